#include "tests/support/safetensors_io.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "engine/model_file/file_reader.h"
#include "engine/model_file/safetensors_reader.h"

namespace tandem::testing {
namespace {

template <class T>
std::vector<T> values_of(const LoadedTensor& tensor, kernels::DType dtype) {
  CHECK(tensor.dtype == dtype, "the tensor has another dtype");
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace

std::vector<float> LoadedTensor::f32() const {
  return values_of<float>(*this, kernels::DType::kF32);
}

std::vector<std::int64_t> LoadedTensor::i64() const {
  return values_of<std::int64_t>(*this, kernels::DType::kI64);
}

Result<std::map<std::string, LoadedTensor>> load_safetensors(const std::filesystem::path& path) {
  const engine::FileReader file = TANDEM_TRY(engine::FileReader::open(path));
  const engine::SafetensorsHeader header = TANDEM_TRY(engine::read_safetensors_header(file, 0));
  std::map<std::string, LoadedTensor> tensors;
  for (const engine::TensorInfo& info : header.tensors) {
    LoadedTensor tensor{info.dtype, info.shape, std::vector<std::byte>(info.bytes)};
    TANDEM_TRY(file.read(info.file_offset, tensor.bytes));
    tensors.emplace(info.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace tandem::testing
