#include "engine/models/activations.h"

#include <vector>

namespace tandem::engine {
namespace {

using kernels::DType;
using kernels::Tensor;

constexpr std::size_t kAlignment = 64;  // a cache line, and what vector loads like

std::size_t padded(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Result<Activations> Activations::allocate(const ModelConfig& config, const StepLimits& limits, kernels::Backend& backend,
                                          const kernels::Matrix* moe_gate) {
  const std::int64_t rows = limits.max_rows;
  const DType dtype = backend.activation_dtype();
  Activations a;
  std::vector<Tensor*> tensors;
  const auto want = [&](Tensor& tensor, DType type, std::array<std::int64_t, 3> shape) {
    tensor.dtype = type;
    tensor.shape = shape;
    tensors.push_back(&tensor);
  };
  want(a.hidden, dtype, {rows, config.hidden_size, 1});
  want(a.normed, dtype, {rows, config.hidden_size, 1});
  want(a.q, dtype, {rows, config.num_heads, config.head_dim});
  want(a.k, dtype, {rows, config.num_kv_heads, config.head_dim});
  want(a.v, dtype, {rows, config.num_kv_heads, config.head_dim});
  want(a.attended, dtype, {rows, config.num_heads, config.head_dim});
  if (moe_gate == nullptr) {
    want(a.gate, dtype, {rows, config.intermediate_size, 1});
    want(a.up, dtype, {rows, config.intermediate_size, 1});
  } else {
    const std::int32_t num_used = config.moe.num_experts_used;
    want(a.router, dtype, {rows, config.moe.num_experts, 1});
    want(a.expert_ids, DType::kI32, {rows, num_used, 1});
    want(a.expert_weights, DType::kF32, {rows, num_used, 1});
    want(a.moe_scratch, DType::kF32, {1, backend.moe_scratch_elements(*moe_gate, rows, num_used), 1});
  }
  std::size_t total = 0;
  for (const Tensor* tensor : tensors) total += padded(tensor->bytes());
  a.arena = TANDEM_TRY(backend.allocate(total, "activations"));
  auto* next = static_cast<std::byte*>(a.arena->data());
  for (Tensor* tensor : tensors) {
    tensor->data = next;
    next += padded(tensor->bytes());
  }
  return a;
}

Activations Activations::rows(std::int64_t num_rows) const {
  Activations cut = *this;
  for (Tensor* tensor : {&cut.hidden, &cut.normed, &cut.q, &cut.k, &cut.v, &cut.attended, &cut.gate, &cut.up, &cut.router,
                         &cut.expert_ids, &cut.expert_weights}) {
    if (tensor->data != nullptr) tensor->shape[0] = num_rows;
  }
  return cut;
}

}  // namespace tandem::engine
