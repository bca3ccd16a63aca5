#include "engine/chat/chat_template.h"

#include <algorithm>
#include <array>

#include "engine/chat/chat_messages.h"
#include "engine/chat/jinja/template.h"
#include "engine/model_file/model_file.h"

namespace tandem::engine {
namespace {

constexpr std::array<std::string_view, 6> kReservedNames = {"messages",  "tools",     "add_generation_prompt",
                                                            "bos_token", "eos_token", "documents"};

class JinjaChatTemplate : public ChatTemplate {
 public:
  JinjaChatTemplate(std::string source, std::string name, std::shared_ptr<const jinja::Template> parsed)
      : source_(std::move(source)), name_(std::move(name)), parsed_(std::move(parsed)) {
    style_.takes_parts = prints_parts();
    style_.strips_contents = is_step_template(source_);
  }

  Result<std::string> render(const ChatTemplateInput& input) const override {
    nlohmann::ordered_json variables = nlohmann::ordered_json::object();
    if (!input.kwargs.is_null() && !input.kwargs.is_object()) {
      return Error{ErrorCode::kInvalidArgument, "chat_template_kwargs must be a JSON object"};
    }
    for (const auto& [key, value] : input.kwargs.items()) {
      const bool is_documents = key == "documents";
      const bool is_reserved = std::find(kReservedNames.begin(), kReservedNames.end(), key) != kReservedNames.end();
      if ((is_reserved && !is_documents) || jinja::is_global_name(key)) {
        return Error{ErrorCode::kInvalidArgument,
                     "chat_template_kwargs may not set '" + key + "': the name is reserved for the template"};
      }
      variables[key] = value;
    }
    variables["messages"] = TANDEM_TRY(prepare_messages(input.messages, style_));
    // The names stay defined without a value, as Hugging Face passes them.
    variables["tools"] = input.tools.is_array() && input.tools.empty() ? nlohmann::ordered_json() : input.tools;
    if (!variables.contains("documents")) variables["documents"] = nullptr;
    variables["add_generation_prompt"] = input.add_generation_prompt;
    variables["bos_token"] = input.bos_token;
    variables["eos_token"] = input.eos_token;
    return parsed_->render(variables);
  }

  const std::string& source() const override { return source_; }
  bool mentions(std::string_view variable) const override { return parsed_->reads(variable); }

 private:
  // Tried out rather than guessed from the source: many templates mention parts in one branch and drop them in another.
  bool prints_parts() const {
    const auto probe = nlohmann::ordered_json::parse(
        R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "parts probe"}]}], "tools": null,
            "documents": null, "add_generation_prompt": true, "bos_token": "", "eos_token": ""})");
    jinja::Limits limits;
    limits.steps = 100'000;
    const Result<std::string> text = parsed_->render(probe, limits);
    return text && text->find("parts probe") != std::string::npos && text->find("'type': 'text'") == std::string::npos &&
           text->find("\"type\": \"text\"") == std::string::npos;
  }

  std::string source_;
  std::string name_;
  std::shared_ptr<const jinja::Template> parsed_;
  MessageStyle style_;
};

// The template of a "chat_template" value of tokenizer_config.json: a string, or a list of {name, template}.
Result<std::optional<std::string>> template_of_config(const nlohmann::ordered_json& value, bool with_tools) {
  if (value.is_string()) return std::optional(value.get<std::string>());
  if (value.is_null()) return std::optional<std::string>();
  if (!value.is_array()) {
    return Error{ErrorCode::kCorrupt, "tokenizer_config.json: chat_template is neither a string nor a list"};
  }
  std::optional<std::string> fallback;
  std::optional<std::string> tool_use;
  for (const auto& entry : value) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("template") || !entry["name"].is_string() ||
        !entry["template"].is_string()) {
      return Error{ErrorCode::kCorrupt, "tokenizer_config.json: an entry of the chat_template list lacks name or template"};
    }
    if (entry["name"] == "default") fallback = entry["template"].get<std::string>();
    if (entry["name"] == "tool_use") tool_use = entry["template"].get<std::string>();
  }
  return with_tools && tool_use ? tool_use : fallback;
}

}  // namespace

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::parse(std::string source, std::string name) {
  auto parsed = jinja::Template::parse(source);
  if (!parsed) {
    Error error = std::move(parsed).error();
    if (!name.empty()) error.detail = name + ": " + error.detail;
    return error;
  }
  return std::shared_ptr<const ChatTemplate>(
      std::make_shared<JinjaChatTemplate>(std::move(source), std::move(name), std::move(parsed).value()));
}

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::from_model(const ModelFile& file, bool with_tools) {
  const std::string name = file.path().filename().string();
  std::optional<std::string> source;
  if (file.format() == ModelFormat::kGguf) {
    const GgufMetadata& gguf = file.gguf();
    if (with_tools && gguf.contains("tokenizer.chat_template.tool_use")) {
      source = TANDEM_TRY(gguf.get_string("tokenizer.chat_template.tool_use"));
    } else if (gguf.contains("tokenizer.chat_template")) {
      source = TANDEM_TRY(gguf.get_string("tokenizer.chat_template"));
    }
  } else if (file.chat_template_file()) {
    source = *file.chat_template_file();  // newer repositories: wins over tokenizer_config.json, as in transformers
  } else if (file.tokenizer_config().is_object() && file.tokenizer_config().contains("chat_template")) {
    source = TANDEM_TRY(template_of_config(file.tokenizer_config()["chat_template"], with_tools));
  }
  if (!source) return std::shared_ptr<const ChatTemplate>();
  return parse(std::move(*source), name);
}

}  // namespace tandem::engine
