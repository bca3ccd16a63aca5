// What fuzzed chat templates are rendered with: one turn of every shape, and a value of every type under a short name.
#pragma once

#include <nlohmann/json.hpp>

namespace tandem::testing {

inline const nlohmann::ordered_json& conversation() {
  static const auto kConversation = nlohmann::ordered_json::parse(R"({
    "messages": [
      {"role": "system", "content": "Be brief. 你好"},
      {"role": "user", "content": [{"type": "text", "text": "hi"}]},
      {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls":
        [{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": [1, 2.5, null, true], "items": {}}}}]},
      {"role": "tool", "tool_call_id": "1", "content": "<think>x</think>\n"}],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
    "documents": null, "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>", "enable_thinking": false,
    "n": 7, "big": 18446744073709551615, "s": "Hello", "l": [3, 1, 2], "d": {"b": 1, "a": 2}})");
  return kConversation;
}

}  // namespace tandem::testing
