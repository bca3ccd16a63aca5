// What a client asked for, checked: the bodies of /v1/chat/completions and /v1/completions as engine requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "engine/server/api_error.h"
#include "engine/server/json_fields.h"

namespace tandem::engine::server {

enum class ToolChoice : std::uint8_t { kAuto, kNone };

// One HTTP request: `prompts.size() * n` answers, choice index = prompt index * n + i.
struct GenerationRequest {
  bool is_chat = true;
  std::string model;  // as asked; empty: whatever is served
  std::vector<Request> prompts;
  std::int32_t n = 1;
  bool stream = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool echo = false;                      // completions: prompt text first
  std::vector<std::string> prompt_texts;  // completions with echo: what to repeat
  bool include_stop_text = false;         // include_stop_str_in_output
  bool parallel_tool_calls = true;
  bool include_reasoning = true;
  Json tools;  // null: none, or hidden by tool_choice "none"
  std::vector<std::string> unknown_fields;
};

struct RequestDefaults {
  SamplingParams sampling;  // the model's own advice, used where the client says nothing
};

std::variant<GenerationRequest, ApiError> parse_chat_request(const Json& body, const RequestDefaults& defaults);
std::variant<GenerationRequest, ApiError> parse_completion_request(const Json& body, const RequestDefaults& defaults);

}  // namespace tandem::engine::server
