#include "engine/tokenizer/added_tokens.h"

#include <algorithm>
#include <utf8proc.h>

#include "base/check.h"
#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

bool is_white_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// \w of the reference's regular expressions: alphabetic, marks, decimal digits, connectors, join controls.
bool is_word(char32_t c) {
  if (c == 0x200C || c == 0x200D) return true;
  if ((c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
      (c >= 0x1F170 && c <= 0x1F189)) {
    return true;  // symbols that are Alphabetic
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default: return false;
  }
}

// The character that ends at `end` (> 0) and where it begins.
char32_t character_before(std::string_view text, std::size_t end, std::size_t& begin) {
  begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  std::size_t length = 0;
  return utf8::decode(text, begin, length);
}

bool touches_word(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t unused = 0;
  if (begin > 0 && is_word(character_before(text, begin, unused))) return true;
  return end < text.size() && is_word(utf8::decode(text, end, unused));
}

}  // namespace

std::int32_t AddedTokenFinder::find_child(std::int32_t node, unsigned char byte) const {
  std::int32_t child = nodes_[static_cast<std::size_t>(node)].child;
  while (child >= 0 && nodes_[static_cast<std::size_t>(child)].byte != byte)
    child = nodes_[static_cast<std::size_t>(child)].sibling;
  return child;
}

void AddedTokenFinder::add(std::string_view text, const AddedToken& token) {
  CHECK(!text.empty() && text.size() <= kMaxTokenBytes, "the loader checks the length of added tokens");
  std::int32_t node = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    std::int32_t child = find_child(node, byte);
    if (child < 0) {
      child = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({-1, nodes_[static_cast<std::size_t>(node)].child, -1, byte});
      nodes_[static_cast<std::size_t>(node)].child = child;
    }
    node = child;
  }
  Node& last = nodes_[static_cast<std::size_t>(node)];
  if (last.token_idx >= 0) return;
  last.token_idx = static_cast<std::int32_t>(tokens_.size());
  tokens_.push_back(token);
  first_bytes_[static_cast<unsigned char>(text.front())] = true;
}

std::int32_t AddedTokenFinder::longest_at(std::string_view text, std::size_t pos, std::size_t& length) const {
  std::int32_t found = -1;
  std::int32_t node = 0;
  for (std::size_t i = pos; i < text.size(); ++i) {
    node = find_child(node, static_cast<unsigned char>(text[i]));
    if (node < 0) break;
    if (nodes_[static_cast<std::size_t>(node)].token_idx >= 0) {
      found = nodes_[static_cast<std::size_t>(node)].token_idx;
      length = i + 1 - pos;
    }
  }
  return found;
}

Result<void> AddedTokenFinder::split(std::string_view text, bool with_special, const OnText& on_text,
                                     const OnToken& on_token) const {
  std::size_t done = 0;  // everything before it has been handed out
  std::size_t pos = 0;
  while (!tokens_.empty() && pos < text.size()) {
    if (!first_bytes_[static_cast<unsigned char>(text[pos])]) {
      ++pos;
      continue;
    }
    std::size_t length = 0;
    const std::int32_t token_idx = longest_at(text, pos, length);
    if (token_idx < 0) {
      ++pos;
      continue;
    }
    // As in the reference, a match that is turned down is passed over as a whole.
    const AddedToken& token = tokens_[static_cast<std::size_t>(token_idx)];
    std::size_t begin = pos;
    std::size_t end = pos + length;
    pos = end;
    if (token.special && !with_special) continue;
    if (token.single_word && touches_word(text, begin, end)) continue;
    std::size_t other = 0;
    while (token.lstrip && begin > done && is_white_space(character_before(text, begin, other))) begin = other;
    while (token.rstrip && end < text.size() && is_white_space(utf8::decode(text, end, other))) end += other;
    if (begin > done) TANDEM_TRY(on_text(text.substr(done, begin - done)));
    on_token(token.id);
    done = end;
    pos = end;
  }
  if (done < text.size()) TANDEM_TRY(on_text(text.substr(done)));
  return {};
}

}  // namespace tandem::engine
