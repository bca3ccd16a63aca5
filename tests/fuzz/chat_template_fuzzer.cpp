// Any bytes as a chat template: parsing and rendering must end in a text or an Error, soon and within the limits.
#include <cstdlib>
#include <string>

#include "engine/chat/jinja/template.h"
#include "tests/support/template_conversation.h"

namespace tandem::engine::jinja {
namespace {

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
  const auto text = (*parsed)->render(testing::conversation(), limits);
  if (text ? text->size() > limits.output_bytes : text.error().code == ErrorCode::kInternal) std::abort();
  (void)(*parsed)->reads("enable_thinking");
}

}  // namespace
}  // namespace tandem::engine::jinja

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tandem::engine::jinja::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
