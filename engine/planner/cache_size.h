// Sizes of the KV cache. Internal to this folder; the rest of the program uses kv_bytes_per_token() of planner.h.
#pragma once

#include <cstdint>

#include "engine/cache/kv_dtype.h"
#include "engine/models/model_config.h"

namespace tandem::engine {

// Keys and values of one token in all layers, for `num_kv_heads` of the model's KV heads. kTooLarge (saturating.h) when the
// number does not fit 64 bits.
std::uint64_t kv_token_bytes(const ModelConfig& config, KvDType dtype, std::int32_t num_kv_heads);

// KV heads that the rank with the most of them holds. A rank holds at least one: heads are copied when there are fewer than
// ranks.
std::int32_t kv_heads_per_rank(const ModelConfig& config, std::int32_t tp_size);

}  // namespace tandem::engine
