// Lexer: template source to tokens, with white-space control already applied to the text between tags.
//
// Settings are those of Hugging Face chat templates: trim_blocks, lstrip_blocks, no line statements; a single newline at the
// end of the source is dropped; \r\n and \r count as \n.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

enum class TokenKind {
  kText,           // literal output
  kVariableBegin,  // {{
  kVariableEnd,    // }}
  kBlockBegin,     // {%
  kBlockEnd,       // %}
  kName,
  kString,    // value holds the decoded text
  kNumber,    // value holds an int or a float
  kOperator,  // text is the operator: "+", "==", "(", …
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  Value value;
  int line = 1;
};

// `source` must be valid UTF-8. Throws TemplateError with the line. The last token is kEnd.
std::vector<Token> tokenize(std::string_view source);

}  // namespace tandem::engine::jinja
