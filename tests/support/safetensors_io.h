// Reads whole safetensors files for tests: reference logits and the like. To write them, use
// engine/model_file/safetensors_writer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/dtype.h"

namespace tandem::testing {

struct LoadedTensor {
  kernels::DType dtype = kernels::DType::kF32;
  std::vector<std::int64_t> shape;  // outermost first
  std::vector<std::byte> bytes;

  std::vector<float> f32() const;         // dtype must be F32
  std::vector<std::int64_t> i64() const;  // dtype must be I64
};

// Every tensor of the file, by name.
Result<std::map<std::string, LoadedTensor>> load_safetensors(const std::filesystem::path& path);

}  // namespace tandem::testing
