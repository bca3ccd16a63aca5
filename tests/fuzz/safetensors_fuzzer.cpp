// Any bytes as a safetensors file: the header must give tensors that fill the file, or an Error.
#include <cstdlib>
#include <vector>

#include "engine/model_file/safetensors_reader.h"
#include "tests/support/memory_file.h"

namespace tandem::engine {
namespace {

void run(const std::uint8_t* data, std::size_t size) {
  const testing::MemoryFile memory(data, size);
  const auto file = FileReader::open(memory.path());
  if (!file) std::abort();
  const auto header = read_safetensors_header(*file, 0);
  if (!header) {
    if (header.error().detail.empty() || header.error().code == ErrorCode::kInternal) std::abort();
    return;
  }
  std::vector<std::byte> bytes;
  for (const TensorInfo& tensor : header->tensors) {
    bytes.resize(tensor.bytes);
    if (!file->read(tensor.file_offset, bytes)) std::abort();
  }
}

}  // namespace
}  // namespace tandem::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::engine::run(data, size);
  return 0;
}
