#include "engine/prompt.h"

#include "engine/chat/chat_template.h"
#include "engine/chat/reasoning_splitter.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

std::string special_text(const Tokenizer& tokenizer, std::int32_t id) {
  return id < 0 ? std::string() : std::string(tokenizer.token_bytes(id));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string text_field(const nlohmann::ordered_json& message, const char* key) {
  const auto found = message.find(key);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The text up to the end of the last message's content, wherever the template put it.
Result<std::string> render_continuation(const ChatTemplate& chat_template, ChatTemplateInput input) {
  const nlohmann::ordered_json last = input.messages.empty() ? nlohmann::ordered_json() : input.messages.back();
  if (!last.is_object() || text_field(last, "role") != "assistant") {
    return Error{ErrorCode::kInvalidArgument, "To continue the last message, it has to be the assistant's"};
  }
  const std::string content = text_field(last, "content");
  const std::string reasoning = text_field(last, "reasoning_content");
  if (trimmed(content).empty()) {
    // Nothing to look for in the rendered text: open the turn as usual, and the reasoning in it.
    input.messages.erase(input.messages.size() - 1);
    std::string text = TANDEM_TRY(chat_template.render(input));
    if (!reasoning.empty()) {
      if (!prompt_opens_reasoning(text)) text += "<think>\n";
      text += reasoning;
    }
    return text + content;
  }
  input.add_generation_prompt = false;
  std::string text = TANDEM_TRY(chat_template.render(input));
  auto at = text.rfind(content);
  if (at != std::string::npos) return text.substr(0, at + content.size());
  // Many templates trim the content; the white space at its end is put back, since the model wrote it.
  const std::string_view core = trimmed(content);
  at = text.rfind(core);
  if (at == std::string::npos) {
    return Error{ErrorCode::kUnsupported,
                 "The model's chat template rewrites the assistant's last message, so it cannot be continued"};
  }
  const auto core_end = static_cast<std::size_t>(core.data() - content.data()) + core.size();
  return text.substr(0, at + core.size()) + content.substr(core_end);
}

}  // namespace

ChatTemplates::ChatTemplates(const ModelFile& file) {
  auto plain = ChatTemplate::from_model(file, /*with_tools=*/false);
  if (!plain) {
    error_ = plain.error();
    return;
  }
  plain_ = *std::move(plain);
  auto with_tools = ChatTemplate::from_model(file, /*with_tools=*/true);
  with_tools_ = with_tools ? *std::move(with_tools) : plain_;
}

Result<const ChatTemplate*> ChatTemplates::find(bool with_tools) const {
  if (error_) return *error_;
  const ChatTemplate* found = with_tools ? with_tools_.get() : plain_.get();
  if (found == nullptr) {
    return Error{ErrorCode::kUnsupported, "The model has no chat template: send plain text instead (generate --raw)"};
  }
  return found;
}

Result<std::string> render_chat(const ChatPrompt& prompt, const ChatTemplate& chat_template, const Tokenizer& tokenizer) {
  if (!prompt.messages.is_array() || prompt.messages.empty()) {
    return Error{ErrorCode::kInvalidArgument, "A chat needs at least one message"};
  }
  ChatTemplateInput input;
  input.messages = prompt.messages;
  input.tools = prompt.tools;
  input.kwargs = prompt.template_kwargs;
  input.bos_token = special_text(tokenizer, tokenizer.bos_id());
  input.eos_token = special_text(tokenizer, tokenizer.eos_id());
  return prompt.continue_final_message ? render_continuation(chat_template, std::move(input)) : chat_template.render(input);
}

Result<EncodedPrompt> encode_prompt(const Request& request, const ChatTemplates& templates, const Tokenizer& tokenizer,
                                    std::int64_t vocab_size) {
  EncodedPrompt encoded;
  if (const auto* chat = std::get_if<ChatPrompt>(&request.prompt)) {
    const bool with_tools = chat->tools.is_array() && !chat->tools.empty();
    const ChatTemplate* chat_template = TANDEM_TRY(templates.find(with_tools));
    const std::string text = TANDEM_TRY(render_chat(*chat, *chat_template, tokenizer));
    encoded.opens_reasoning = prompt_opens_reasoning(text);
    // Most templates write BOS themselves; the tokenizer adds it only where it is not there yet.
    encoded.ids = TANDEM_TRY(tokenizer.encode(text, SpecialTokens::kParse, /*add_bos=*/true));
  } else if (const auto* text = std::get_if<TextPrompt>(&request.prompt)) {
    encoded.ids = TANDEM_TRY(tokenizer.encode(text->text, SpecialTokens::kParse, text->add_special_tokens));
  } else {
    encoded.ids = std::get<TokenPrompt>(request.prompt).ids;
  }
  if (encoded.ids.empty()) return Error{ErrorCode::kInvalidArgument, "The prompt is empty: it has no tokens"};
  for (std::size_t i = 0; i < encoded.ids.size(); ++i) {
    if (encoded.ids[i] < 0 || encoded.ids[i] >= vocab_size) {
      return Error{ErrorCode::kInvalidArgument, "Token " + std::to_string(i) + " of the prompt has id " +
                                                    std::to_string(encoded.ids[i]) + "; the model's vocabulary has " +
                                                    std::to_string(vocab_size) + " entries"};
    }
  }
  return encoded;
}

}  // namespace tandem::engine
