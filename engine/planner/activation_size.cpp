// activation_bytes: what a step needs beside weights and cache, counted the way the engine allocates it.
#include <algorithm>

#include "engine/planner/planner.h"
#include "engine/planner/saturating.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kElementBytes = 4;  // activations are F32 on every backend of this version

// Ids, positions, block tables, a cache line of padding per tensor, and the samplers' own buffers.
constexpr std::uint64_t kFixedBytes = 1 << 20;

// Elements that each row of a step needs: residual stream and its norm, q, k, v and attention's output, and the MLP.
std::uint64_t elements_per_row(const ModelConfig& config) {
  const std::uint64_t hidden = as_count(config.hidden_size);
  const std::uint64_t head_dim = as_count(config.head_dim);
  const std::uint64_t q_size = saturating_mul(as_count(config.num_heads), head_dim);
  const std::uint64_t kv_size = saturating_mul(as_count(config.num_kv_heads), head_dim);
  std::uint64_t elements = saturating_mul(2, hidden);
  elements = saturating_add(elements, saturating_mul(2, q_size));
  elements = saturating_add(elements, saturating_mul(2, kv_size));

  // The widest input of a matrix is held a second time, in the order in which the kernels read it.
  std::uint64_t repacked = std::max(hidden, q_size);
  if (config.moe.is_moe()) {
    const std::uint64_t num_used = as_count(config.moe.num_experts_used);
    const std::uint64_t size = as_count(config.moe.intermediate_size);
    // Router logits, ids and weights; then gate, up and down of every chosen expert.
    elements = saturating_add(elements, saturating_add(as_count(config.moe.num_experts), saturating_mul(2, num_used)));
    elements = saturating_add(elements, saturating_mul(num_used, saturating_add(saturating_mul(2, size), hidden)));
    repacked = std::max(repacked, saturating_mul(num_used, std::max(hidden, size)));
  } else {
    const std::uint64_t size = as_count(config.intermediate_size);
    elements = saturating_add(elements, saturating_mul(2, size));
    repacked = std::max(repacked, size);
  }
  // An eighth more, since repacking rounds rows and columns up.
  return saturating_add(elements, saturating_add(repacked, repacked / 8));
}

}  // namespace

std::uint64_t activation_bytes(const ModelConfig& config, std::int32_t max_num_batched_tokens, std::int32_t max_num_seqs) {
  // A decode step has a row for every sequence, so there are at least as many.
  const std::uint64_t rows = as_count(std::max(max_num_batched_tokens, max_num_seqs));
  const std::uint64_t row_bytes = saturating_mul(elements_per_row(config), kElementBytes);
  // One row of logits per sequence on the device, and its copy where sampling reads it.
  const std::uint64_t logits_bytes = saturating_product(2, as_count(max_num_seqs), as_count(config.vocab_size), kElementBytes);
  return saturating_add(saturating_add(saturating_mul(rows, row_bytes), logits_bytes), kFixedBytes);
}

}  // namespace tandem::engine
