// Published hyper-parameters of real models, for tests of sizes.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/models/model_config.h"

namespace tandem::engine::testing {

inline ModelConfig qwen3_0_6b() {
  ModelConfig config;
  config.architecture = "qwen3";
  config.name = "Qwen3-0.6B";
  config.vocab_size = 151936;
  config.hidden_size = 1024;
  config.num_layers = 28;
  config.num_heads = 16;
  config.num_kv_heads = 8;
  config.head_dim = 128;
  config.intermediate_size = 3072;
  config.max_context = 40960;
  config.rms_norm_eps = 1e-6;
  config.rope_theta = 1e6;
  config.rope_dim = 128;
  config.tied_embeddings = true;
  return config;
}

inline ModelConfig qwen3_4b() {
  ModelConfig config = qwen3_0_6b();
  config.name = "Qwen3-4B";
  config.hidden_size = 2560;
  config.num_layers = 36;
  config.num_heads = 32;
  config.intermediate_size = 9728;
  return config;
}

inline ModelConfig qwen3_30b_a3b() {
  ModelConfig config = qwen3_0_6b();
  config.architecture = "qwen3moe";
  config.name = "Qwen3-30B-A3B";
  config.hidden_size = 2048;
  config.num_layers = 48;
  config.num_heads = 32;
  config.num_kv_heads = 4;
  config.intermediate_size = 6144;
  config.tied_embeddings = false;
  config.moe.num_experts = 128;
  config.moe.num_experts_used = 8;
  config.moe.intermediate_size = 768;
  return config;
}

inline ModelConfig llama_3_1_8b() {
  ModelConfig config;
  config.architecture = "llama";
  config.name = "Llama-3.1-8B";
  config.vocab_size = 128256;
  config.hidden_size = 4096;
  config.num_layers = 32;
  config.num_heads = 32;
  config.num_kv_heads = 8;
  config.head_dim = 128;
  config.intermediate_size = 14336;
  config.max_context = 131072;
  config.rms_norm_eps = 1e-5;
  config.rope_theta = 500000.0;
  config.rope_dim = 128;
  return config;
}

inline ModelConfig llama_3_1_70b() {
  ModelConfig config = llama_3_1_8b();
  config.name = "Llama-3.1-70B";
  config.hidden_size = 8192;
  config.num_layers = 80;
  config.num_heads = 64;
  config.intermediate_size = 28672;
  return config;
}

// The config.json that transformers writes for such a model.
inline nlohmann::ordered_json hf_config(const ModelConfig& config) {
  const bool is_llama = config.architecture == "llama";
  nlohmann::ordered_json json{{"architectures",
                               {is_llama              ? "LlamaForCausalLM"
                                : config.moe.is_moe() ? "Qwen3MoeForCausalLM"
                                                      : "Qwen3ForCausalLM"}},
                              {"hidden_act", "silu"},
                              {"vocab_size", config.vocab_size},
                              {"hidden_size", config.hidden_size},
                              {"num_hidden_layers", config.num_layers},
                              {"num_attention_heads", config.num_heads},
                              {"num_key_value_heads", config.num_kv_heads},
                              {"head_dim", config.head_dim},
                              {"intermediate_size", config.intermediate_size},
                              {"max_position_embeddings", config.max_context},
                              {"rms_norm_eps", config.rms_norm_eps},
                              {"rope_theta", config.rope_theta},
                              {"tie_word_embeddings", config.tied_embeddings}};
  if (config.moe.is_moe()) {
    json["num_experts"] = config.moe.num_experts;
    json["num_experts_per_tok"] = config.moe.num_experts_used;
    json["moe_intermediate_size"] = config.moe.intermediate_size;
    json["norm_topk_prob"] = true;
  }
  return json;
}

}  // namespace tandem::engine::testing
