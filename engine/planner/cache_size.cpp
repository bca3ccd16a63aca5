#include "engine/planner/cache_size.h"

#include <algorithm>

#include "engine/planner/planner.h"
#include "engine/planner/saturating.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kKvBlockElements = 32;  // the unit in which kv_bytes() counts

// Bytes of one head's key or value. A head is stored by itself, so a quantised type rounds it up to a whole block.
std::uint64_t head_bytes(KvDType dtype, std::uint64_t head_dim) {
  const std::uint64_t block_bytes = kv_bytes(dtype, kKvBlockElements);
  if (dtype == KvDType::kQ8_0) {
    return saturating_mul((head_dim + kKvBlockElements - 1) / kKvBlockElements, block_bytes);
  }
  return saturating_mul(head_dim, block_bytes / kKvBlockElements);
}

}  // namespace

std::uint64_t kv_token_bytes(const ModelConfig& config, KvDType dtype, std::int32_t num_kv_heads) {
  return saturating_product(as_count(config.num_layers), 2, as_count(num_kv_heads),
                            head_bytes(dtype, as_count(config.head_dim)));
}

std::int32_t kv_heads_per_rank(const ModelConfig& config, std::int32_t tp_size) {
  const std::int64_t ranks = std::max(tp_size, 1);
  const std::int64_t heads = std::max(config.num_kv_heads, 0);
  return static_cast<std::int32_t>((heads + ranks - 1) / ranks);
}

std::uint64_t kv_bytes_per_token(const ModelConfig& config, KvDType dtype, std::int32_t tp_size) {
  return kv_token_bytes(config, dtype, kv_heads_per_rank(config, tp_size));
}

}  // namespace tandem::engine
