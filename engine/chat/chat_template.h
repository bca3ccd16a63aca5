// ChatTemplate: renders a conversation to prompt text with the template in the model file.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::engine {

class ModelFile;
class Tokenizer;

struct ChatTemplateInput {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools;                                      // null: none
  nlohmann::ordered_json kwargs = nlohmann::ordered_json::object();  // may not replace the names below or globals
  bool add_generation_prompt = true;
  std::string bos_token, eos_token;
};

// Immutable after parsing; any thread. Untrusted templates are safe: steps, output, nesting and recursion are bounded.
class ChatTemplate {
 public:
  // `name` appears in messages. Errors name the template line: "chat template, line 12: …".
  static Result<std::shared_ptr<const ChatTemplate>> parse(std::string source, std::string name);
  // The model's template ("default", or "tool_use" when asked for and present); null when the file has none.
  static Result<std::shared_ptr<const ChatTemplate>> from_model(const ModelFile& file, bool with_tools);
  virtual ~ChatTemplate() = default;

  virtual Result<std::string> render(const ChatTemplateInput& input) const = 0;
  virtual const std::string& source() const = 0;
  virtual bool mentions(std::string_view variable) const = 0;  // the template reads this variable
};

}  // namespace tandem::engine
