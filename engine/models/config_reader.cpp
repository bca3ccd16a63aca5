#include "engine/models/config_reader.h"

#include <cmath>
#include <string>

namespace tandem::engine {
namespace {

Error out_of_range(const std::string& what, std::int64_t value, std::int64_t low, std::int64_t high) {
  return Error{ErrorCode::kCorrupt, "model configuration: " + what + " is " + std::to_string(value) + "; allowed are " +
                                        std::to_string(low) + " to " + std::to_string(high)};
}

Result<void> check_range(const std::string& what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) return out_of_range(what, value, low, high);
  return {};
}

Error broken_relation(const std::string& text) {
  return Error{ErrorCode::kCorrupt, "model configuration: " + text};
}

Result<void> check_rope_scaling(const Llama3RopeScaling& scaling) {
  const bool sane = std::isfinite(scaling.factor) && scaling.factor > 0 && std::isfinite(scaling.low_freq_factor) &&
                    scaling.low_freq_factor > 0 && std::isfinite(scaling.high_freq_factor) &&
                    scaling.high_freq_factor > scaling.low_freq_factor && scaling.original_context > 0;
  if (sane) return {};
  return broken_relation("the llama3 rope scaling (factor " + std::to_string(scaling.factor) + ", low_freq_factor " +
                         std::to_string(scaling.low_freq_factor) + ", high_freq_factor " +
                         std::to_string(scaling.high_freq_factor) + ", original context " +
                         std::to_string(scaling.original_context) +
                         ") needs positive values and high_freq_factor above low_freq_factor");
}

}  // namespace

Result<void> check_model_config(const ModelConfig& config) {
  // Caps far above any real model, so that products of sizes cannot overflow 64 bits anywhere later.
  constexpr std::int64_t kMaxLayers = 1024, kMaxWidth = 1 << 20, kMaxVocab = 1 << 24, kMaxHeads = 4096, kMaxHeadDim = 1024;
  constexpr std::int64_t kMaxExperts = 4096, kMaxContext = std::int64_t{1} << 30;
  TANDEM_TRY(check_range("the number of layers", config.num_layers, 1, kMaxLayers));
  TANDEM_TRY(check_range("the hidden size", config.hidden_size, 1, kMaxWidth));
  TANDEM_TRY(check_range("the feed-forward size", config.intermediate_size, 1, kMaxWidth));
  TANDEM_TRY(check_range("the vocabulary size", config.vocab_size, 1, kMaxVocab));
  TANDEM_TRY(check_range("the context length", config.max_context, 1, kMaxContext));
  TANDEM_TRY(check_range("the number of heads", config.num_heads, 1, kMaxHeads));
  TANDEM_TRY(check_range("the number of KV heads", config.num_kv_heads, 1, config.num_heads));
  TANDEM_TRY(check_range("the head dimension", config.head_dim, 2, kMaxHeadDim));
  TANDEM_TRY(check_range("the number of rotary dimensions", config.rope_dim, 2, config.head_dim));
  if (config.num_heads % config.num_kv_heads != 0) {
    return broken_relation(std::to_string(config.num_heads) + " heads cannot share " + std::to_string(config.num_kv_heads) +
                           " KV heads evenly");
  }
  if (config.rope_dim % 2 != 0) {
    return broken_relation("the number of rotary dimensions, " + std::to_string(config.rope_dim) + ", is odd");
  }
  if (!(config.rms_norm_eps > 0.0 && config.rms_norm_eps < 1.0)) {
    return broken_relation("the norm epsilon is " + std::to_string(config.rms_norm_eps) + "; it must lie between 0 and 1");
  }
  if (!(std::isfinite(config.rope_theta) && config.rope_theta > 0.0)) {
    return broken_relation("rope theta is " + std::to_string(config.rope_theta) + "; it must be a positive number");
  }
  if (config.rope_scaling) TANDEM_TRY(check_rope_scaling(*config.rope_scaling));
  if (config.moe.is_moe()) {
    TANDEM_TRY(check_range("the number of experts", config.moe.num_experts, 1, kMaxExperts));
    TANDEM_TRY(check_range("the number of experts used", config.moe.num_experts_used, 1, config.moe.num_experts));
    TANDEM_TRY(check_range("the expert feed-forward size", config.moe.intermediate_size, 1, kMaxWidth));
  }
  return {};
}

}  // namespace tandem::engine
