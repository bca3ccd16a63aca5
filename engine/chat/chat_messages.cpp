#include "engine/chat/chat_messages.h"

#include <string>

#include "engine/chat/jinja/text.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

Error message_error(std::size_t idx, const std::string& what) {
  return Error{ErrorCode::kInvalidArgument, "messages[" + std::to_string(idx) + "]" + what};
}

Result<void> flatten_parts(Json& content, std::size_t idx) {
  std::string text;
  for (const Json& part : content) {
    if (part.is_string()) {
      text += part.get_ref<const std::string&>();
      continue;
    }
    if (!part.is_object() || !part.contains("type") || !part["type"].is_string()) {
      return message_error(idx, ".content: a part must be an object with a \"type\"");
    }
    const auto& type = part["type"].get_ref<const std::string&>();
    if (type != "text" || !part.contains("text") || !part["text"].is_string()) {
      return message_error(idx, ".content: a part of type \"" + type + "\" cannot be given to this model: it takes text only");
    }
    text += part["text"].get_ref<const std::string&>();
  }
  content = std::move(text);
  return {};
}

void strip_content(Json& content) {
  const auto strip_text = [](Json& text) {
    text = std::string(jinja::strip(jinja::valid_utf8(text.get_ref<const std::string&>()), jinja::StripSide::kBoth));
  };
  if (content.is_string()) return strip_text(content);
  if (!content.is_array()) return;
  for (Json& part : content) {
    if (part.is_object() && part.contains("text") && part["text"].is_string()) strip_text(part["text"]);
  }
}

Result<void> prepare_tool_calls(Json& calls, std::size_t idx) {
  if (!calls.is_array()) return message_error(idx, ".tool_calls must be a list");
  for (Json& call : calls) {
    if (!call.is_object()) return message_error(idx, ".tool_calls: every call must be an object");
    Json& function = call.contains("function") ? call["function"] : call;
    if (!function.is_object() || !function.contains("name") || !function["name"].is_string()) {
      return message_error(idx, ".tool_calls: every call needs a function with a name");
    }
    if (!function.contains("arguments") || !function["arguments"].is_string()) continue;
    const auto& text = function["arguments"].get_ref<const std::string&>();
    Json parsed = Json::parse(text.empty() ? "{}" : text, nullptr, false);
    if (parsed.is_object()) function["arguments"] = std::move(parsed);
  }
  return {};
}

}  // namespace

bool is_step_template(std::string_view source) {
  return source.find("<|im_start|>tool_response") != std::string_view::npos;
}

Result<nlohmann::ordered_json> prepare_messages(const nlohmann::ordered_json& messages, const MessageStyle& style) {
  if (!messages.is_array() || messages.empty()) {
    return Error{ErrorCode::kInvalidArgument, "messages must be a list of at least one message"};
  }
  Json prepared = messages;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    Json& message = prepared[i];
    if (!message.is_object()) return message_error(i, " must be an object");
    if (!message.contains("role") || !message["role"].is_string() || message["role"].get_ref<const std::string&>().empty()) {
      return message_error(i, " needs a \"role\"");
    }
    const bool has_calls = message.contains("tool_calls") && !message["tool_calls"].is_null();
    if (has_calls) TANDEM_TRY(prepare_tool_calls(message["tool_calls"], i));
    if (!message.contains("content")) {
      if (has_calls) message["content"] = nullptr;
      continue;
    }
    Json& content = message["content"];
    if (!content.is_null() && !content.is_string() && !content.is_array()) {
      return message_error(i, ".content must be a string, a list of parts or null");
    }
    if (content.is_array() && !style.takes_parts) TANDEM_TRY(flatten_parts(content, i));
    if (style.strips_contents) strip_content(content);
  }
  return prepared;
}

}  // namespace tandem::engine
