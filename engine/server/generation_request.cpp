#include "engine/server/generation_request.h"

#include <limits>

namespace tandem::engine::server {
namespace {

constexpr std::int64_t kMaxChoices = 16;
constexpr std::size_t kMaxStopStrings = 16;
constexpr std::size_t kMaxPrompts = 64;
constexpr std::int64_t kMaxTokenCount = std::numeric_limits<std::int32_t>::max();

void read_sampling(JsonFields& fields, SamplingParams& sampling) {
  if (const auto v = fields.number("temperature", 0.0, 100.0)) sampling.temperature = static_cast<float>(*v);
  if (const auto v = fields.number("top_p", 0.0, 1.0)) {
    if (*v == 0.0) fields.fail("top_p", "must be greater than 0; use temperature 0 for greedy decoding.");
    sampling.top_p = static_cast<float>(*v);
  }
  if (const auto v = fields.integer("top_k", -1, kMaxTokenCount)) sampling.top_k = *v < 0 ? 0 : static_cast<std::int32_t>(*v);
  if (const auto v = fields.number("min_p", 0.0, 1.0)) sampling.min_p = static_cast<float>(*v);
  if (const auto v = fields.number("repetition_penalty", 0.01, 10.0)) sampling.repetition_penalty = static_cast<float>(*v);
  if (const auto v = fields.number("presence_penalty", -2.0, 2.0)) sampling.presence_penalty = static_cast<float>(*v);
  if (const auto v = fields.number("frequency_penalty", -2.0, 2.0)) sampling.frequency_penalty = static_cast<float>(*v);
  if (const auto v =
          fields.integer("seed", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max())) {
    sampling.seed = static_cast<std::uint64_t>(*v);
  }
  if (fields.has("stop")) {
    sampling.stop = fields.strings("stop", kMaxStopStrings);
    for (const std::string& stop : sampling.stop) {
      if (stop.empty()) fields.fail("stop", "must not hold an empty string: it would end every answer at once.");
    }
  }
  if (const Json* ids = fields.raw("stop_token_ids")) {
    if (!ids->is_array() || ids->size() > 256) {
      fields.fail("stop_token_ids", "must be a list of at most 256 token ids.");
    } else {
      for (const Json& id : *ids) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > kMaxTokenCount) {
          fields.fail("stop_token_ids", "must hold token ids (integers from 0 on), not " + id.dump().substr(0, 32) + ".");
          break;
        }
        sampling.stop_token_ids.push_back(id.get<std::int32_t>());
      }
    }
  }
  if (const auto v = fields.boolean("ignore_eos")) sampling.ignore_eos = *v;
}

void read_stream_options(JsonFields& fields, GenerationRequest& request) {
  request.stream = fields.boolean("stream").value_or(false);
  if (const Json* options = fields.raw("stream_options")) {
    if (!request.stream) {
      fields.fail("stream_options", "is only allowed when stream is true.");
    } else if (!options->is_object()) {
      fields.fail("stream_options", "must be an object.");
    } else {
      JsonFields inner(*options, "stream_options.");
      request.include_usage = inner.boolean("include_usage").value_or(false);
      request.continuous_usage = inner.boolean("continuous_usage_stats").value_or(false);
      if (inner.error()) fields.fail("stream_options", inner.error()->message);
    }
  }
}

// Fields both endpoints know.
void read_common(JsonFields& fields, GenerationRequest& request, SamplingParams& sampling) {
  request.model = fields.string("model").value_or("");
  request.n = static_cast<std::int32_t>(fields.integer("n", 1, kMaxChoices).value_or(1));
  read_sampling(fields, sampling);
  read_stream_options(fields, request);
  request.include_stop_text = fields.boolean("include_stop_str_in_output").value_or(false);
  // Named in either API or by vLLM, and would change the answer: said, not dropped.
  fields.refuse_unless("logit_bias", {Json::object()});
  fields.refuse_unless("min_tokens", {0});
  fields.refuse_unless("bad_words", {Json::array()});
  fields.refuse_unless("allowed_token_ids", {});
  fields.refuse_unless("prompt_logprobs", {});
  fields.refuse_unless("truncate_prompt_tokens", {});
  fields.refuse_unless("structured_outputs", {});
  fields.refuse_unless("guided_json", {});
  fields.refuse_unless("guided_regex", {});
  fields.refuse_unless("guided_choice", {});
  fields.refuse_unless("guided_grammar", {});
  fields.refuse_unless("return_token_ids", {false});
  fields.refuse_unless("return_tokens_as_token_ids", {false});
  fields.refuse_unless("skip_special_tokens", {true});
  fields.refuse_unless("thinking_token_budget", {});
  fields.ignore({"user", "store", "metadata", "service_tier", "safety_identifier", "prompt_cache_key", "cache_salt", "priority",
                 "request_id", "spaces_between_special_tokens"});
}

bool is_text_part(const Json& part) {
  return part.is_object() && part.contains("type") && part["type"] == "text" && part.contains("text") &&
         part["text"].is_string();
}

void check_message(JsonFields& fields, const Json& message, std::size_t idx) {
  const std::string where = "[" + std::to_string(idx) + "]";
  if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
    fields.fail("messages", where + " must be an object with a role.");
    return;
  }
  const auto content = message.find("content");
  if (content == message.end() || content->is_null() || content->is_string()) return;
  if (!content->is_array()) {
    fields.fail("messages", where + ".content must be a string or a list of parts.");
    return;
  }
  for (const Json& part : *content) {
    if (is_text_part(part)) continue;
    const std::string type = part.is_object() && part.contains("type") ? part["type"].dump() : std::string(part.type_name());
    fields.fail("messages", where + ".content has a part of type " + type.substr(0, 40) + "; this model reads text only.");
    return;
  }
}

void read_messages(JsonFields& fields, ChatPrompt& prompt) {
  const Json* messages = fields.raw("messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    fields.fail("messages", "must be a list with at least one message.");
    return;
  }
  for (std::size_t i = 0; i < messages->size(); ++i) check_message(fields, (*messages)[i], i);
  prompt.messages = *messages;
  // OpenAI's newer name of "system".
  for (Json& message : prompt.messages) {
    if (message.is_object() && message.value("role", "") == "developer") message["role"] = "system";
    // The history may carry reasoning under either name.
    if (message.is_object() && message.contains("reasoning") && !message.contains("reasoning_content")) {
      message["reasoning_content"] = message["reasoning"];
    }
  }
}

void read_tools(JsonFields& fields, GenerationRequest& request) {
  const Json* tools = fields.raw("tools");
  if (tools != nullptr && !tools->is_array()) {
    fields.fail("tools", "must be a list.");
  } else if (tools != nullptr) {
    for (std::size_t i = 0; i < tools->size(); ++i) {
      const Json& tool = (*tools)[i];
      const bool valid = tool.is_object() && tool.value("type", "") == "function" && tool.contains("function") &&
                         tool["function"].is_object() && tool["function"].contains("name") &&
                         tool["function"]["name"].is_string();
      if (!valid)
        fields.fail("tools", "[" + std::to_string(i) + "] must be {\"type\": \"function\", \"function\": {\"name\": …}}.");
    }
    if (!tools->empty()) request.tools = *tools;
  }
  if (const Json* choice = fields.raw("tool_choice")) {
    if (*choice == "none") {
      request.tools = nullptr;
    } else if (*choice == "required" || choice->is_object()) {
      fields.fail("tool_choice",
                  "\"required\" and a named function are not supported by this version; use \"auto\" or \"none\".");
    } else if (*choice != "auto") {
      fields.fail("tool_choice", "must be \"auto\" or \"none\".");
    } else if (request.tools.is_null()) {
      fields.fail("tool_choice", "is only allowed when tools are given.");
    }
  }
  request.parallel_tool_calls = fields.boolean("parallel_tool_calls").value_or(true);
}

}  // namespace

std::variant<GenerationRequest, ApiError> parse_chat_request(const Json& body, const RequestDefaults& defaults) {
  JsonFields fields(body);
  GenerationRequest request;
  Request engine_request;
  ChatPrompt prompt;
  engine_request.sampling = defaults.sampling;
  read_common(fields, request, engine_request.sampling);
  read_messages(fields, prompt);
  read_tools(fields, request);
  prompt.tools = request.tools;

  const auto max_tokens = fields.integer("max_tokens", 1, kMaxTokenCount);
  const auto max_completion_tokens = fields.integer("max_completion_tokens", 1, kMaxTokenCount);
  if (max_completion_tokens) {
    engine_request.sampling.max_tokens = static_cast<std::int32_t>(*max_completion_tokens);
  } else if (max_tokens) {
    engine_request.sampling.max_tokens = static_cast<std::int32_t>(*max_tokens);
  }

  const auto top_logprobs = fields.integer("top_logprobs", 0, 20);
  if (fields.boolean("logprobs").value_or(false)) {
    engine_request.sampling.logprobs = static_cast<std::int32_t>(top_logprobs.value_or(0));
  } else if (top_logprobs && *top_logprobs > 0) {
    fields.fail("top_logprobs", "needs logprobs to be true.");
  }

  if (const Json* format = fields.raw("response_format")) {
    if (!format->is_object() || !format->contains("type") || !(*format)["type"].is_string()) {
      fields.fail("response_format", "must be an object with a type.");
    } else if ((*format)["type"] == "json_object") {
      engine_request.json_schema = {{"type", "object"}};
    } else if ((*format)["type"] == "json_schema") {
      const bool has_schema = format->contains("json_schema") && (*format)["json_schema"].is_object() &&
                              (*format)["json_schema"].contains("schema") && !(*format)["json_schema"]["schema"].is_null();
      if (has_schema) {
        engine_request.json_schema = (*format)["json_schema"]["schema"];
      } else {
        fields.fail("response_format", "of type json_schema needs {\"json_schema\": {\"schema\": …}}.");
      }
    } else if ((*format)["type"] != "text") {
      fields.fail("response_format",
                  "of type " + (*format)["type"].dump() + " is not known; use \"text\", \"json_object\" or \"json_schema\".");
    }
  }

  if (const Json* kwargs = fields.raw("chat_template_kwargs")) {
    if (kwargs->is_object()) {
      prompt.template_kwargs = *kwargs;
    } else {
      fields.fail("chat_template_kwargs", "must be an object.");
    }
  }
  if (const auto effort = fields.string("reasoning_effort")) prompt.template_kwargs["reasoning_effort"] = *effort;
  request.include_reasoning = fields.boolean("include_reasoning").value_or(true);
  if (fields.has("chat_template")) {
    fields.fail("chat_template",
                "is code from the network and is not run here; the model's own template is used. Leave it out.");
  }
  prompt.continue_final_message = fields.boolean("continue_final_message").value_or(false);
  if (prompt.continue_final_message) {
    const bool last_is_assistant = prompt.messages.is_array() && !prompt.messages.empty() &&
                                   prompt.messages.back().is_object() &&
                                   prompt.messages.back().value("role", "") == "assistant";
    if (!last_is_assistant) fields.fail("continue_final_message", "needs a last message of the assistant.");
    fields.refuse_unless("add_generation_prompt", {false});
  } else {
    fields.refuse_unless("add_generation_prompt", {true});
  }
  fields.refuse_unless("add_special_tokens", {false});
  fields.refuse_unless("echo", {false});
  fields.refuse_unless("documents", {Json::array()});
  fields.refuse_unless("modalities", {Json::array({"text"})});
  fields.refuse_unless("functions", {Json::array()});
  fields.refuse_unless("function_call", {"none", "auto"});

  if (fields.error()) return *fields.error();
  engine_request.prompt = std::move(prompt);
  request.prompts.push_back(std::move(engine_request));
  request.unknown_fields = fields.unknown_fields();
  return request;
}

namespace {

bool is_token_list(const Json& value) {
  if (!value.is_array() || value.empty()) return false;
  for (const Json& item : value) {
    if (!item.is_number_integer()) return false;
  }
  return true;
}

void add_prompt(JsonFields& fields, const Json& value, const Request& base, bool add_special_tokens,
                GenerationRequest& request) {
  Request one = base;
  if (value.is_string()) {
    one.prompt = TextPrompt{value.get<std::string>(), add_special_tokens};
    request.prompt_texts.push_back(value.get<std::string>());
  } else if (is_token_list(value)) {
    TokenPrompt tokens;
    for (const Json& id : value) {
      if (id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > kMaxTokenCount) {
        fields.fail("prompt", "has the token id " + id.dump() + ", which no vocabulary holds.");
        return;
      }
      tokens.ids.push_back(id.get<std::int32_t>());
    }
    one.prompt = std::move(tokens);
    request.prompt_texts.emplace_back();
    if (request.echo) fields.fail("echo", "is supported for text prompts only.");
  } else {
    fields.fail("prompt", "must be a string, a list of strings, a list of token ids, or a list of such lists.");
    return;
  }
  request.prompts.push_back(std::move(one));
}

}  // namespace

std::variant<GenerationRequest, ApiError> parse_completion_request(const Json& body, const RequestDefaults& defaults) {
  constexpr std::int32_t kDefaultMaxTokens = 16;  // OpenAI's and vLLM's
  JsonFields fields(body);
  GenerationRequest request;
  request.is_chat = false;
  Request base;
  base.split_reasoning = false;
  base.sampling = defaults.sampling;
  read_common(fields, request, base.sampling);
  base.sampling.max_tokens =
      static_cast<std::int32_t>(fields.integer("max_tokens", 1, kMaxTokenCount).value_or(kDefaultMaxTokens));
  if (const auto count = fields.integer("logprobs", 0, 20)) base.sampling.logprobs = static_cast<std::int32_t>(*count);
  request.echo = fields.boolean("echo").value_or(false);
  if (request.echo && base.sampling.logprobs) fields.fail("echo", "together with logprobs is not supported by this version.");
  fields.refuse_unless("suffix", {""});
  fields.refuse_unless("best_of", {request.n});
  fields.refuse_unless("response_format", {Json{{"type", "text"}}});
  const bool add_special_tokens = fields.boolean("add_special_tokens").value_or(true);

  const Json* prompt = fields.raw("prompt");
  if (prompt == nullptr) {
    fields.fail("prompt", "is missing.");
  } else if (prompt->is_string() || is_token_list(*prompt)) {
    add_prompt(fields, *prompt, base, add_special_tokens, request);
  } else if (prompt->is_array() && !prompt->empty() && prompt->size() <= kMaxPrompts) {
    for (const Json& one : *prompt) add_prompt(fields, one, base, add_special_tokens, request);
  } else {
    fields.fail("prompt", "must be a string, a list of token ids, or a list of 1 to " + std::to_string(kMaxPrompts) +
                              " strings or lists of token ids.");
  }
  if (fields.error()) return *fields.error();
  request.unknown_fields = fields.unknown_fields();
  return request;
}

}  // namespace tandem::engine::server
