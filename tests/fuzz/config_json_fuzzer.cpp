// Any text as a config.json: the end is a config with sizes that add up, or an Error.
#include <cstdlib>
#include <string_view>

#include "engine/model_file/json_reader.h"
#include "engine/model_file/model_file.h"  // complete, since json converts to anything: overloads look at it
#include "engine/models/architecture.h"

namespace tandem::engine {
namespace {

void run(std::string_view text) {
  const auto json = parse_json(text, "config.json");
  if (!json) {
    if (json.error().detail.empty()) std::abort();
    return;
  }
  const auto config = read_model_config(*json);
  if (!config) {
    if (config.error().detail.empty() || config.error().code == ErrorCode::kInternal) std::abort();
    return;
  }
  if (config->num_heads % config->num_kv_heads != 0 || config->rope_dim > config->head_dim) std::abort();
  const auto architecture = find_architecture(*json);
  if (!architecture) std::abort();
  // The planner multiplies these out before any memory is asked for.
  std::int64_t num_values = 0;
  for (const WeightSpec& weight : (*architecture)->weights(*config)) {
    std::int64_t product = 1;
    for (const std::int64_t dim : weight.shape) {
      if (dim <= 0 || __builtin_mul_overflow(product, dim, &product)) std::abort();
    }
    if (__builtin_add_overflow(num_values, product, &num_values)) std::abort();
  }
}

}  // namespace
}  // namespace tandem::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::engine::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
