// Makes models to measure: the exact shape of Qwen3-0.6B, random weights.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "kernels/dtype.h"

namespace tandem::testing {

// Bytes of tensor data in the file that write_random_qwen3 makes.
std::uint64_t random_qwen3_bytes(kernels::DType dtype);

// Writes a GGUF of 28 layers, hidden 1024, 16 query and 8 key heads of 128, intermediate 3072, vocabulary 151936, head tied to
// the embedding, no tokenizer. Matrices are random blocks of `dtype` (kQ8_0 or kQ4_K) with scales near 1/sqrt(columns), so that
// every activation stays finite; norms are 1. The same bytes each time. Needs little memory: blocks are written as they are
// made. Errors: kInvalidArgument (dtype), kIo.
Result<void> write_random_qwen3(const std::filesystem::path& path, kernels::DType dtype);

}  // namespace tandem::testing
