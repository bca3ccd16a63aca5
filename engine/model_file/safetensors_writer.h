// Writes safetensors files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/dtype.h"

namespace tandem::engine {

struct SafetensorsTensor {
  std::string name;
  kernels::DType dtype = kernels::DType::kF32;
  std::vector<std::int64_t> shape;  // outermost first
  std::span<const std::byte> data;  // of exactly the bytes shape and dtype need; borrowed
};

// Writes all tensors to `path`, in the given order except that wider dtypes come first, so that every value is aligned. A
// file already there is replaced only once the new one is complete (temporary file in the same folder, then rename).
// Errors: kInvalidArgument for names, sizes or dtypes the format does not have; kIo, on a full disk with bytes needed and free.
Result<void> write_safetensors(const std::filesystem::path& path, std::span<const SafetensorsTensor> tensors,
                               const std::map<std::string, std::string>& metadata = {});

}  // namespace tandem::engine
