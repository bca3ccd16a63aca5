// Activations: the scratch tensors of a decoder, allocated once for the largest step and cut to size for each.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "engine/models/model.h"
#include "engine/models/model_config.h"

namespace tandem::engine {

struct Activations {
  kernels::Tensor hidden;          // [rows, hidden]: the residual stream
  kernels::Tensor normed;          // [rows, hidden]: input of the part being computed
  kernels::Tensor q, k, v;         // [rows, heads, head_dim]
  kernels::Tensor attended;        // [rows, heads, head_dim]: attention output before its projection
  kernels::Tensor gate, up;        // [rows, intermediate]; dense models only
  kernels::Tensor router;          // [rows, experts]; mixture-of-experts models only, as are the next three
  kernels::Tensor expert_ids;      // [rows, experts used] I32
  kernels::Tensor expert_weights;  // [rows, experts used] F32
  kernels::Tensor moe_scratch;

  // `moe_gate` is any layer's stack of gate matrices; null for dense models.
  static Result<Activations> allocate(const ModelConfig& config, const StepLimits& limits, kernels::Backend& backend,
                                      const kernels::Matrix* moe_gate = nullptr);
  // The same tensors with `num_rows` rows.
  Activations rows(std::int64_t num_rows) const;
  std::uint64_t bytes() const { return arena->bytes(); }

  std::shared_ptr<kernels::Buffer> arena;  // owns all of the above
};

}  // namespace tandem::engine
