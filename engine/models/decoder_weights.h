// The weights of an ordinary decoder-only transformer, under the names GGUF and safetensors give them.
#pragma once

#include <vector>

#include "engine/models/architecture.h"

namespace tandem::engine {

struct DecoderParts {
  bool qk_norm = false;     // an RMSNorm on every query and key head (Qwen3)
  bool rope_freqs = false;  // an optional table of RoPE divisors (GGUF `llama`)
};

// Embedding, blocks, final norm and head. The feed-forward part is a mixture of experts when config.moe says so.
std::vector<WeightSpec> decoder_weights(const ModelConfig& config, const DecoderParts& parts);

// "blk.3.attn_q.weight" from 3 and "attn_q".
std::string block_weight_name(std::int32_t layer, std::string_view role);

}  // namespace tandem::engine
