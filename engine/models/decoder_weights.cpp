#include "engine/models/decoder_weights.h"

namespace tandem::engine {
namespace {

using Shape = std::vector<std::int64_t>;

WeightSpec vector_spec(std::string name, std::int64_t size, std::string hf_name) {
  WeightSpec spec;
  spec.name = std::move(name);
  spec.shape = {size};
  spec.is_matrix = false;
  spec.hf_name = std::move(hf_name);
  return spec;
}

WeightSpec matrix_spec(std::string name, Shape shape, Split split, std::string hf_name) {
  WeightSpec spec;
  spec.name = std::move(name);
  spec.shape = std::move(shape);
  spec.split = split;
  spec.hf_name = std::move(hf_name);
  return spec;
}

// One of the three expert stacks. Newer exports keep gate and up in one tensor, gate first.
WeightSpec expert_spec(std::string name, Shape shape, const std::string& hf_mlp, const std::string& role) {
  WeightSpec spec = matrix_spec(std::move(name), std::move(shape), Split::kExperts, hf_mlp + "experts.{e}." + role + ".weight");
  const bool is_down = role == "down_proj";
  spec.hf_fused_name = hf_mlp + (is_down ? "experts.down_proj" : "experts.gate_up_proj");
  spec.hf_fused_part = role == "up_proj" ? 1 : 0;
  spec.hf_fused_parts = is_down ? 1 : 2;
  return spec;
}

}  // namespace

std::string block_weight_name(std::int32_t layer, std::string_view role) {
  return "blk." + std::to_string(layer) + "." + std::string(role) + ".weight";
}

std::vector<WeightSpec> decoder_weights(const ModelConfig& config, const DecoderParts& parts) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t q_size = std::int64_t{config.num_heads} * config.head_dim;
  const std::int64_t kv_size = std::int64_t{config.num_kv_heads} * config.head_dim;

  std::vector<WeightSpec> specs;
  specs.push_back(matrix_spec("token_embd.weight", {config.vocab_size, hidden}, Split::kRows, "model.embed_tokens.weight"));
  if (parts.rope_freqs) {
    specs.push_back(vector_spec("rope_freqs.weight", config.rope_dim / 2, ""));
    specs.back().optional = true;
  }
  for (std::int32_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string hf = "model.layers." + std::to_string(layer) + ".";
    const auto name = [layer](std::string_view role) { return block_weight_name(layer, role); };
    specs.push_back(vector_spec(name("attn_norm"), hidden, hf + "input_layernorm.weight"));
    specs.push_back(matrix_spec(name("attn_q"), {q_size, hidden}, Split::kRows, hf + "self_attn.q_proj.weight"));
    specs.push_back(matrix_spec(name("attn_k"), {kv_size, hidden}, Split::kRows, hf + "self_attn.k_proj.weight"));
    specs.push_back(matrix_spec(name("attn_v"), {kv_size, hidden}, Split::kRows, hf + "self_attn.v_proj.weight"));
    if (parts.qk_norm) {
      specs.push_back(vector_spec(name("attn_q_norm"), config.head_dim, hf + "self_attn.q_norm.weight"));
      specs.push_back(vector_spec(name("attn_k_norm"), config.head_dim, hf + "self_attn.k_norm.weight"));
    }
    specs.push_back(matrix_spec(name("attn_output"), {hidden, q_size}, Split::kColumns, hf + "self_attn.o_proj.weight"));
    specs.push_back(vector_spec(name("ffn_norm"), hidden, hf + "post_attention_layernorm.weight"));
    if (config.moe.is_moe()) {
      const std::int64_t experts = config.moe.num_experts, size = config.moe.intermediate_size;
      const std::string mlp = hf + "mlp.";
      specs.push_back(matrix_spec(name("ffn_gate_inp"), {experts, hidden}, Split::kReplicate, mlp + "gate.weight"));
      specs.push_back(expert_spec(name("ffn_gate_exps"), {experts, size, hidden}, mlp, "gate_proj"));
      specs.push_back(expert_spec(name("ffn_up_exps"), {experts, size, hidden}, mlp, "up_proj"));
      specs.push_back(expert_spec(name("ffn_down_exps"), {experts, hidden, size}, mlp, "down_proj"));
    } else {
      const std::int64_t size = config.intermediate_size;
      specs.push_back(matrix_spec(name("ffn_gate"), {size, hidden}, Split::kRows, hf + "mlp.gate_proj.weight"));
      specs.push_back(matrix_spec(name("ffn_up"), {size, hidden}, Split::kRows, hf + "mlp.up_proj.weight"));
      specs.push_back(matrix_spec(name("ffn_down"), {hidden, size}, Split::kColumns, hf + "mlp.down_proj.weight"));
    }
  }
  specs.push_back(vector_spec("output_norm.weight", hidden, "model.norm.weight"));
  if (!config.tied_embeddings) {
    specs.push_back(matrix_spec("output.weight", {config.vocab_size, hidden}, Split::kRows, "lm_head.weight"));
  }
  return specs;
}

}  // namespace tandem::engine
