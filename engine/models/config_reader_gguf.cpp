#include <limits>
#include <string>

#include "engine/model_file/model_file.h"
#include "engine/models/config_reader.h"

namespace tandem::engine {
namespace {

// Typed, bounded access to the keys of one architecture.
class Keys {
 public:
  Keys(const GgufMetadata& metadata, std::string_view architecture) : metadata_(metadata), prefix_(architecture) {
    prefix_ += '.';
  }

  bool contains(std::string_view key) const { return metadata_.contains(full(key)); }

  // A count that may also be stored as an array with one entry per block; all entries then have to be equal, since the
  // architectures read by this file do not vary from block to block.
  Result<std::int64_t> count(std::string_view key, std::int64_t num_layers = 0) const {
    const std::string name = full(key);
    if (num_layers > 0) {
      if (auto values = metadata_.get_int_array(name)) {
        if (static_cast<std::int64_t>(values->size()) != num_layers) {
          return Error{ErrorCode::kCorrupt, name + " has " + std::to_string(values->size()) + " entries for " +
                                                std::to_string(num_layers) + " blocks"};
        }
        for (const std::int64_t value : *values) {
          if (value != values->front()) {
            return Error{ErrorCode::kUnsupported, name + " differs from block to block (" + std::to_string(values->front()) +
                                                      " and " + std::to_string(value) + "), which this version cannot run"};
          }
        }
        return values->front();
      }
    }
    const std::uint64_t value = TANDEM_TRY(metadata_.get_uint(name));
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      return Error{ErrorCode::kCorrupt, name + " is " + std::to_string(value) + ", more than 2147483647"};
    }
    return static_cast<std::int64_t>(value);
  }

  Result<std::int64_t> count_or(std::string_view key, std::int64_t fallback, std::int64_t num_layers = 0) const {
    return contains(key) ? count(key, num_layers) : Result<std::int64_t>(fallback);
  }

  Result<double> number(std::string_view key) const { return metadata_.get_float(full(key)); }

  // A feature that changes the arithmetic and that this version does not have: only its neutral value is accepted.
  Result<void> require_neutral_number(std::string_view key, double neutral) const {
    if (!contains(key)) return {};
    const double value = TANDEM_TRY(number(key));
    if (value == neutral) return {};
    return Error{ErrorCode::kUnsupported, full(key) + " = " + std::to_string(value) + " is not supported by this version"};
  }
  Result<void> require_zero_count(std::string_view key) const {
    if (!contains(key)) return {};
    const std::int64_t value = TANDEM_TRY(count(key));
    if (value == 0) return {};
    return Error{ErrorCode::kUnsupported, full(key) + " = " + std::to_string(value) + " is not supported by this version"};
  }

  std::string full(std::string_view key) const { return prefix_ + std::string(key); }

 private:
  const GgufMetadata& metadata_;
  std::string prefix_;
};

// The number of token texts, without copying them.
std::int64_t num_vocabulary_entries(const GgufMetadata& metadata) {
  for (const auto& [key, value] : metadata.entries()) {
    if (key != "tokenizer.ggml.tokens") continue;
    const auto* array = std::get_if<GgufMetadata::Array>(&value);
    const auto* texts = array == nullptr ? nullptr : std::get_if<std::vector<std::string>>(array);
    return texts == nullptr ? 0 : static_cast<std::int64_t>(texts->size());
  }
  return 0;
}

Result<void> refuse_other_attention(const GgufMetadata& metadata, const Keys& keys) {
  TANDEM_TRY(keys.require_zero_count("attention.sliding_window"));
  TANDEM_TRY(keys.require_neutral_number("attn_logit_softcapping", 0.0));
  TANDEM_TRY(keys.require_neutral_number("final_logit_softcapping", 0.0));
  TANDEM_TRY(keys.require_neutral_number("attention.scale", 0.0));
  TANDEM_TRY(keys.require_neutral_number("logit_scale", 1.0));
  if (keys.contains("attention.causal") && !TANDEM_TRY(metadata.get_bool(keys.full("attention.causal")))) {
    return Error{ErrorCode::kUnsupported, keys.full("attention.causal") + " = false: not a text generator"};
  }
  if (keys.contains("rope.scaling.type")) {
    const std::string type = TANDEM_TRY(metadata.get_string(keys.full("rope.scaling.type")));
    // A factor of 1 scales nothing, whatever the type says.
    const bool neutral = type == "none" || (type == "linear" && keys.contains("rope.scaling.factor") &&
                                            TANDEM_TRY(keys.number("rope.scaling.factor")) == 1.0);
    if (!neutral) {
      return Error{ErrorCode::kUnsupported,
                   keys.full("rope.scaling.type") + " = \"" + type + "\" is not supported by this version"};
    }
  }
  return {};
}

}  // namespace

Result<ModelConfig> read_gguf_decoder_config(const GgufMetadata& metadata, std::string_view architecture, bool moe) {
  const Keys keys(metadata, architecture);
  ModelConfig config;
  config.architecture = std::string(architecture);
  if (metadata.contains("general.name")) config.name = TANDEM_TRY(metadata.get_string("general.name"));

  const std::int64_t num_layers = TANDEM_TRY(keys.count("block_count"));
  config.num_layers = static_cast<std::int32_t>(num_layers);
  config.hidden_size = TANDEM_TRY(keys.count("embedding_length"));
  config.num_heads = static_cast<std::int32_t>(TANDEM_TRY(keys.count("attention.head_count", num_layers)));
  config.num_kv_heads =
      static_cast<std::int32_t>(TANDEM_TRY(keys.count_or("attention.head_count_kv", config.num_heads, num_layers)));
  config.max_context = TANDEM_TRY(keys.count("context_length"));
  config.vocab_size = TANDEM_TRY(keys.count_or("vocab_size", num_vocabulary_entries(metadata)));
  if (config.vocab_size == 0) {
    return Error{ErrorCode::kCorrupt,
                 keys.full("vocab_size") + " and tokenizer.ggml.tokens are both missing: the vocabulary's size is not known"};
  }
  config.rms_norm_eps = TANDEM_TRY(keys.number("attention.layer_norm_rms_epsilon"));
  config.rope_theta = keys.contains("rope.freq_base") ? TANDEM_TRY(keys.number("rope.freq_base")) : 10000.0;

  if (config.num_heads <= 0) {
    return Error{ErrorCode::kCorrupt, keys.full("attention.head_count") + " is " + std::to_string(config.num_heads)};
  }
  if (!keys.contains("attention.key_length") && config.hidden_size % config.num_heads != 0) {
    return Error{ErrorCode::kCorrupt, keys.full("embedding_length") + " = " + std::to_string(config.hidden_size) +
                                          " is not a multiple of " + keys.full("attention.head_count") + " = " +
                                          std::to_string(config.num_heads)};
  }
  config.head_dim =
      static_cast<std::int32_t>(TANDEM_TRY(keys.count_or("attention.key_length", config.hidden_size / config.num_heads)));
  const std::int64_t value_length = TANDEM_TRY(keys.count_or("attention.value_length", config.head_dim));
  if (value_length != config.head_dim) {
    return Error{ErrorCode::kUnsupported, keys.full("attention.value_length") + " = " + std::to_string(value_length) +
                                              " differs from " + keys.full("attention.key_length") + " = " +
                                              std::to_string(config.head_dim) + ", which this version cannot run"};
  }
  config.rope_dim = static_cast<std::int32_t>(TANDEM_TRY(keys.count_or("rope.dimension_count", config.head_dim)));

  if (moe) {
    config.moe.num_experts = static_cast<std::int32_t>(TANDEM_TRY(keys.count("expert_count")));
    config.moe.num_experts_used = static_cast<std::int32_t>(TANDEM_TRY(keys.count("expert_used_count")));
    config.moe.intermediate_size = TANDEM_TRY(keys.count("expert_feed_forward_length"));
    config.moe.renormalise = true;  // what a GGUF of this kind means, whatever expert_weights_norm says
    config.intermediate_size = TANDEM_TRY(keys.count_or("feed_forward_length", config.moe.intermediate_size, num_layers));
    if (config.moe.num_experts == 0) {
      return Error{ErrorCode::kCorrupt, keys.full("expert_count") + " is 0 in a mixture-of-experts model"};
    }
    TANDEM_TRY(keys.require_zero_count("expert_shared_count"));
  } else {
    config.intermediate_size = TANDEM_TRY(keys.count("feed_forward_length", num_layers));
    TANDEM_TRY(keys.require_zero_count("expert_count"));
  }
  TANDEM_TRY(refuse_other_attention(metadata, keys));
  TANDEM_TRY(check_model_config(config));
  return config;
}

}  // namespace tandem::engine
