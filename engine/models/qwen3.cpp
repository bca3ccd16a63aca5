// Qwen3, dense (Qwen team, "Qwen3 Technical Report", 2025). Per layer:
//
//   x = norm(h);  q, k, v = Wq x, Wk x, Wv x;  q, k = norm per head, then rotate half-split pairs
//   h += Wo attention(q, k, v)                 grouped queries, scale 1/sqrt(head_dim)
//   x = norm(h);  h += Wdown (silu(Wgate x) · Wup x)
#include <cmath>

#include "engine/models/activations.h"
#include "engine/models/config_reader.h"
#include "engine/models/decoder_weights.h"
#include "engine/models/registry.h"
#include "engine/models/rope.h"

namespace tandem::engine {
namespace {

using kernels::Accumulate;
using kernels::RopePairing;
using kernels::Tensor;

struct Layer {
  Norm attention_norm;
  Linear wq, wk, wv;
  Norm q_norm, k_norm;
  Linear wo;
  Norm mlp_norm;
  Linear gate, up, down;
};

class Qwen3 final : public Model {
 public:
  Qwen3(const ModelConfig& config, kernels::Backend& backend) : config_(config), backend_(backend) {}

  Result<void> load(ModelContext& context) {
    WeightLoader& weights = context.weights;
    const double eps = config_.rms_norm_eps;
    embedding_ = TANDEM_TRY(weights.embedding("token_embd.weight"));
    for (std::int32_t i = 0; i < config_.num_layers; ++i) {
      const auto name = [i](std::string_view role) { return block_weight_name(i, role); };
      Layer layer;
      layer.attention_norm = TANDEM_TRY(weights.norm(name("attn_norm"), eps));
      layer.wq = TANDEM_TRY(weights.linear(name("attn_q")));
      layer.wk = TANDEM_TRY(weights.linear(name("attn_k")));
      layer.wv = TANDEM_TRY(weights.linear(name("attn_v")));
      layer.q_norm = TANDEM_TRY(weights.norm(name("attn_q_norm"), eps));
      layer.k_norm = TANDEM_TRY(weights.norm(name("attn_k_norm"), eps));
      layer.wo = TANDEM_TRY(weights.linear(name("attn_output")));
      layer.mlp_norm = TANDEM_TRY(weights.norm(name("ffn_norm"), eps));
      layer.gate = TANDEM_TRY(weights.linear(name("ffn_gate")));
      layer.up = TANDEM_TRY(weights.linear(name("ffn_up")));
      layer.down = TANDEM_TRY(weights.linear(name("ffn_down")));
      layers_.push_back(std::move(layer));
    }
    final_norm_ = TANDEM_TRY(weights.norm("output_norm.weight", eps));
    head_ = config_.tied_embeddings ? embedding_.as_head() : TANDEM_TRY(weights.linear("output.weight"));
    inv_freq_ = rope_inverse_frequencies(config_, {});
    buffers_ = TANDEM_TRY(Activations::allocate(config_, context.limits, backend_));
    return {};
  }

  void forward(const StepPlan& plan, const KvCache& cache) override {
    const Activations a = buffers_.rows(plan.num_rows());
    plan.sequence_rows(sequences_);
    embedding_(backend_, plan.token_ids, a.hidden);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      attention(layers_[i], cache.layer(i), plan, a);
      mlp(layers_[i], a);
    }
  }

  void logits(std::span<const std::int32_t> rows, Tensor out) override {
    const Tensor last = buffers_.normed.rows(0, static_cast<std::int64_t>(rows.size()));
    backend_.gather_rows(buffers_.hidden, rows, last);
    final_norm_(backend_, last, last);
    head_(backend_, last, out);
  }

  std::uint64_t activation_bytes() const override { return buffers_.bytes(); }

 private:
  void attention(const Layer& layer, const kernels::KvLayer& cache, const StepPlan& plan, const Activations& a) {
    layer.attention_norm(backend_, a.hidden, a.normed);
    layer.wq(backend_, a.normed, a.q);
    layer.wk(backend_, a.normed, a.k);
    layer.wv(backend_, a.normed, a.v);
    layer.q_norm(backend_, a.q, a.q);
    layer.k_norm(backend_, a.k, a.k);
    backend_.rope(a.q, plan.positions, inv_freq_, RopePairing::kHalfSplit);
    backend_.rope(a.k, plan.positions, inv_freq_, RopePairing::kHalfSplit);
    backend_.store_kv(a.k, a.v, cache, sequences_);
    const float scale = 1.0F / std::sqrt(static_cast<float>(config_.head_dim));
    backend_.attention(a.q, cache, sequences_, scale, a.attended);
    layer.wo(backend_, a.attended, a.hidden, Accumulate::kYes);
  }

  void mlp(const Layer& layer, const Activations& a) {
    layer.mlp_norm(backend_, a.hidden, a.normed);
    layer.gate(backend_, a.normed, a.gate);
    layer.up(backend_, a.normed, a.up);
    backend_.silu_mul(a.gate, a.up, a.gate);
    layer.down(backend_, a.gate, a.hidden, Accumulate::kYes);
  }

  const ModelConfig config_;
  kernels::Backend& backend_;
  Embedding embedding_;
  std::vector<Layer> layers_;
  Norm final_norm_;
  Linear head_;
  std::vector<float> inv_freq_;
  Activations buffers_;
  std::vector<kernels::SequenceRows> sequences_;
};

std::vector<WeightSpec> weights(const ModelConfig& config) {
  return decoder_weights(config, {.qk_norm = true});
}

Result<std::unique_ptr<Model>> create(const ModelConfig& config, ModelContext& context) {
  auto model = std::make_unique<Qwen3>(config, context.backend);
  TANDEM_TRY(model->load(context));
  return std::unique_ptr<Model>(std::move(model));
}

Result<ModelConfig> config_from_gguf(const GgufMetadata& metadata) {
  return read_gguf_decoder_config(metadata, kQwen3.name, /*moe=*/false);
}

Result<ModelConfig> config_from_hf(const nlohmann::ordered_json& config) {
  return read_hf_decoder_config(config, kQwen3.name, /*moe=*/false);
}

constexpr std::string_view kHfArchitectures[] = {"Qwen3ForCausalLM"};

}  // namespace

constinit const Architecture kQwen3{.name = "qwen3",
                                    .hf_architectures = kHfArchitectures,
                                    .display_name = "Qwen3",
                                    .config_from_gguf = config_from_gguf,
                                    .config_from_hf = config_from_hf,
                                    .weights = weights,
                                    .create = create};

}  // namespace tandem::engine
