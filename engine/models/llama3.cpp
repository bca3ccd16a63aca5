// Llama 3 ("The Llama 3 Herd of Models", 2024). Per layer:
//
//   x = norm(h);  q, k, v = Wq x, Wk x, Wv x;  rotate q and k
//   h += Wo attention(q, k, v)                 grouped queries, scale 1/sqrt(head_dim)
//   x = norm(h);  h += Wdown (silu(Wgate x) · Wup x)
//
// Two traps. GGUF files hold the rows of Wq and Wk in another order, so that pairs to rotate are neighbours, while safetensors
// keep them half a head apart. And GGUF files give the frequency scaling as a table of divisors, rope_freqs.weight, instead of
// the formula's parameters.
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
  Linear wo;
  Norm mlp_norm;
  Linear gate, up, down;
};

class Llama3 final : public Model {
 public:
  Llama3(const ModelConfig& config, kernels::Backend& backend) : config_(config), backend_(backend) {}

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
      layer.wo = TANDEM_TRY(weights.linear(name("attn_output")));
      layer.mlp_norm = TANDEM_TRY(weights.norm(name("ffn_norm"), eps));
      layer.gate = TANDEM_TRY(weights.linear(name("ffn_gate")));
      layer.up = TANDEM_TRY(weights.linear(name("ffn_up")));
      layer.down = TANDEM_TRY(weights.linear(name("ffn_down")));
      layers_.push_back(std::move(layer));
    }
    final_norm_ = TANDEM_TRY(weights.norm("output_norm.weight", eps));
    head_ = config_.tied_embeddings ? embedding_.as_head() : TANDEM_TRY(weights.linear("output.weight"));
    const std::vector<float> divisors = TANDEM_TRY(weights.vector("rope_freqs.weight"));
    for (const float divisor : divisors) {
      if (!(divisor > 0.0F)) {
        return Error{ErrorCode::kCorrupt,
                     "tensor rope_freqs.weight holds " + std::to_string(divisor) + "; every divisor must be positive"};
      }
    }
    inv_freq_ = rope_inverse_frequencies(config_, divisors);
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
    const RopePairing pairing = config_.rope_adjacent_pairs ? RopePairing::kAdjacent : RopePairing::kHalfSplit;
    backend_.rope(a.q, plan.positions, inv_freq_, pairing);
    backend_.rope(a.k, plan.positions, inv_freq_, pairing);
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
  return decoder_weights(config, {.rope_freqs = true});
}

Result<std::unique_ptr<Model>> create(const ModelConfig& config, ModelContext& context) {
  auto model = std::make_unique<Llama3>(config, context.backend);
  TANDEM_TRY(model->load(context));
  return std::unique_ptr<Model>(std::move(model));
}

Result<ModelConfig> config_from_gguf(const GgufMetadata& metadata) {
  ModelConfig config = TANDEM_TRY(read_gguf_decoder_config(metadata, kLlama3.name, /*moe=*/false));
  config.rope_adjacent_pairs = true;
  return config;
}

Result<ModelConfig> config_from_hf(const nlohmann::ordered_json& config) {
  return read_hf_decoder_config(config, kLlama3.name, /*moe=*/false);
}

constexpr std::string_view kHfArchitectures[] = {"LlamaForCausalLM"};

}  // namespace

constinit const Architecture kLlama3{.name = "llama",
                                     .hf_architectures = kHfArchitectures,
                                     .display_name = "Llama",
                                     .config_from_gguf = config_from_gguf,
                                     .config_from_hf = config_from_hf,
                                     .weights = weights,
                                     .create = create};

}  // namespace tandem::engine
