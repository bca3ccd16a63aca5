// Any bytes as a GGUF file: opening must end in a model or an Error, and an opened model must be readable to its last byte.
#include <cstdlib>

#include "engine/model_file/model_file.h"
#include "tests/support/memory_file.h"

namespace tandem::engine {
namespace {

void touch_keys(const GgufMetadata& gguf) {
  for (const auto& [key, value] : gguf.entries()) {
    (void)gguf.get_uint(key).has_value();
    (void)gguf.get_float(key).has_value();
    (void)gguf.get_bool(key).has_value();
    (void)gguf.get_string(key).has_value();
    (void)gguf.get_string_array(key).has_value();
    (void)gguf.get_int_array(key).has_value();
    (void)gguf.get_float_array(key).has_value();
    (void)gguf.get_bool_array(key).has_value();
  }
}

void run(const std::uint8_t* data, std::size_t size) {
  const testing::MemoryFile memory(data, size);
  const auto file = ModelFile::open(memory.path());
  if (!file) {
    if (file.error().detail.empty() || file.error().code == ErrorCode::kInternal) std::abort();
    return;
  }
  touch_keys((*file)->gguf());
  const auto problems = verify_tensors(**file, nullptr);
  if (!problems) std::abort();
  for (const IntegrityProblem& problem : *problems) {
    // Whatever the header promised must be in the file.
    if (problem.what.find("were asked for") != std::string::npos) std::abort();
  }
}

}  // namespace
}  // namespace tandem::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::engine::run(data, size);
  return 0;
}
