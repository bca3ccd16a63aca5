// ModelConfig: the hyper-parameters of a decoder-only transformer, read from a GGUF header or a config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::engine {

// Llama-3's frequency scaling: see "The Llama 3 Herd of Models", section 3.2, and transformers' rope utilities.
struct Llama3RopeScaling {
  double factor = 1.0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 1.0;
  std::int64_t original_context = 0;
};

struct MoeConfig {
  std::int32_t num_experts = 0;  // 0: the model is dense
  std::int32_t num_experts_used = 0;
  std::int64_t intermediate_size = 0;  // of one expert
  bool renormalise = true;             // divide the chosen probabilities by their sum
  bool is_moe() const { return num_experts > 0; }
};

struct ModelConfig {
  std::string architecture;  // registry name: "llama", "qwen3", "qwen3moe"
  std::string name;          // for people; may be empty
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int32_t num_layers = 0;
  std::int32_t num_heads = 0;
  std::int32_t num_kv_heads = 0;
  std::int32_t head_dim = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t max_context = 0;  // tokens the model was made for
  double rms_norm_eps = 0.0;
  double rope_theta = 0.0;
  std::int32_t rope_dim = 0;
  std::optional<Llama3RopeScaling> rope_scaling;
  bool rope_adjacent_pairs = false;  // GGUF `llama` stores q and k rows in that order
  bool tied_embeddings = false;
  MoeConfig moe;
};

}  // namespace tandem::engine
