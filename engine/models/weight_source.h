// Finds a model's weights in its file: which tensors, or pieces of tensors, each weight is made from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/models/architecture.h"
#include "kernels/backend.h"
#include "kernels/dtype.h"

namespace tandem::engine {

class ModelFile;
struct TensorInfo;

struct WeightPiece {
  const TensorInfo* tensor = nullptr;  // lives as long as the file
  std::uint64_t offset = 0;            // first byte in the tensor
  std::uint64_t bytes = 0;
};

struct ResolvedWeight {
  WeightSpec spec;
  kernels::DType dtype = kernels::DType::kF32;
  std::vector<WeightPiece> pieces;  // in order; empty when an optional weight is absent
  std::uint64_t bytes = 0;          // in the file
  bool is_present() const { return !pieces.empty(); }
  std::uint64_t num_elements() const;
};

// Every weight, in the order of `specs`. Refused, naming tensor, expected and found: a required weight that is missing, a shape
// that differs, a type that cannot be multiplied, and tensors of the blocks that the architecture would ignore (their
// arithmetic would be missing from the result).
Result<std::vector<ResolvedWeight>> resolve_weights(const ModelFile& file, const std::vector<WeightSpec>& specs);

// The weight's bytes, pieces put together. The file and the pieces' tensors must outlive it.
std::unique_ptr<kernels::ByteSource> weight_source(std::shared_ptr<const ModelFile> file, const ResolvedWeight& weight);

// "[512, 256]", for messages.
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace tandem::engine
