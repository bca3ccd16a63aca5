// Any bytes as a chat template: parsing and rendering must end in a text or an Error, soon and within the limits.
#include <cstdlib>
#include <string>

#include "engine/chat/jinja/template.h"

namespace tandem::engine::jinja {
namespace {

const nlohmann::ordered_json& conversation() {
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

void run(std::string_view source) {
  const auto parsed = Template::parse(source);
  if (!parsed) {
    if (parsed.error().detail.empty() || parsed.error().code == ErrorCode::kInternal) std::abort();
    return;
  }
  // Small limits keep each input fast; the code that checks them is the same.
  Limits limits;
  limits.steps = 50'000;
  limits.output_bytes = 1 << 20;
  const auto text = (*parsed)->render(conversation(), limits);
  if (text ? text->size() > limits.output_bytes : text.error().code == ErrorCode::kInternal) std::abort();
  (void)(*parsed)->reads("enable_thinking");
}

}  // namespace
}  // namespace tandem::engine::jinja

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tandem::engine::jinja::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
