// From what a client sent to token ids: chat template, continuation of a last message, tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace tandem::engine {

class ModelFile;

// The templates of one model. Immutable; any thread.
class ChatTemplates {
 public:
  // A template that cannot be parsed does not stop the load: the error is kept for those who send chat prompts.
  explicit ChatTemplates(const ModelFile& file);
  ChatTemplates() = default;  // none

  const ChatTemplate* plain() const { return plain_.get(); }
  const std::optional<Error>& error() const { return error_; }
  // The template for a prompt with or without tools; kUnsupported when the model has none.
  Result<const ChatTemplate*> find(bool with_tools) const;

 private:
  std::shared_ptr<const ChatTemplate> plain_, with_tools_;
  std::optional<Error> error_;
};

struct EncodedPrompt {
  std::vector<std::int32_t> ids;
  bool opens_reasoning = false;  // generated text starts inside <think>
};

// Any thread. Errors: kInvalidArgument for an empty prompt or an id outside [0, vocab_size), whatever template and tokenizer
// say.
Result<EncodedPrompt> encode_prompt(const Request& request, const ChatTemplates& templates, const Tokenizer& tokenizer,
                                    std::int64_t vocab_size);

// The text that the model continues. For continue_final_message, it ends inside the assistant's last message.
Result<std::string> render_chat(const ChatPrompt& prompt, const ChatTemplate& chat_template, const Tokenizer& tokenizer);

}  // namespace tandem::engine
