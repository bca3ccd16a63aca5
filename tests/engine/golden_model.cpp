#include "tests/engine/golden_model.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/check.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/quantize.h"
#include "tests/support/safetensors_io.h"

namespace tandem::testing {
namespace {

using kernels::DType;
using Json = nlohmann::json;
using Tensors = std::map<std::string, LoadedTensor>;

std::vector<std::int32_t> ids_of(const LoadedTensor& tensor) {
  std::vector<std::int32_t> ids;
  for (const std::int64_t id : tensor.i64()) ids.push_back(static_cast<std::int32_t>(id));
  return ids;
}

double standard_deviation(const std::vector<float>& values) {
  double sum = 0.0, squares = 0.0;
  for (const float value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const float value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::vector<float> bf16_values(const LoadedTensor& tensor) {
  CHECK(tensor.dtype == DType::kBF16, "golden weights are BF16");
  std::vector<float> values(tensor.bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + 2 * i, 2);
    values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  return values;
}

// Rows s · dim/2 + j of every head move to 2j + s.
std::vector<float> permute_rows(const std::vector<float>& values, std::int64_t num_heads, std::int64_t head_dim) {
  const std::size_t num_cols = values.size() / static_cast<std::size_t>(num_heads * head_dim);
  std::vector<float> out(values.size());
  for (std::int64_t h = 0; h < num_heads; ++h) {
    for (std::int64_t s = 0; s < 2; ++s) {
      for (std::int64_t j = 0; j < head_dim / 2; ++j) {
        const auto from = static_cast<std::size_t>(h * head_dim + s * head_dim / 2 + j) * num_cols;
        const auto to = static_cast<std::size_t>(h * head_dim + 2 * j + s) * num_cols;
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), num_cols,
                    out.begin() + static_cast<std::ptrdiff_t>(to));
      }
    }
  }
  return out;
}

// What the converter stores as rope_freqs.weight: by how much each frequency is divided.
std::vector<float> rope_divisors(const Json& scaling, double theta, std::int64_t head_dim) {
  const double factor = scaling.at("factor"), low = scaling.at("low_freq_factor"), high = scaling.at("high_freq_factor");
  const double original = scaling.at("original_max_position_embeddings");
  std::vector<float> divisors;
  for (std::int64_t i = 0; i < head_dim / 2; ++i) {
    const double wavelength =
        2.0 * std::numbers::pi * std::pow(theta, 2.0 * static_cast<double>(i) / static_cast<double>(head_dim));
    double divisor = 1.0;
    if (wavelength > original / low) {
      divisor = factor;
    } else if (wavelength >= original / high) {
      const double smooth = (original / wavelength - low) / (high - low);
      divisor = 1.0 / ((1.0 - smooth) / factor + smooth);
    }
    divisors.push_back(static_cast<float>(divisor));
  }
  return divisors;
}

class Converter {
 public:
  Converter(const std::string& name, DType matrix_dtype, bool round_trip)
      : matrix_dtype_(matrix_dtype), round_trip_(round_trip) {
    const auto folder = golden_folder(name);
    std::ifstream file(folder / "config.json");
    config_ = Json::parse(file);
    auto loaded = load_safetensors(folder / "model.safetensors");
    CHECK(loaded.has_value(), "golden weights are readable");
    tensors_ = *std::move(loaded);
    const auto type = config_.at("model_type").get<std::string>();
    arch_ = type == "qwen3_moe" ? "qwen3moe" : type;
  }

  void write(const std::filesystem::path& path) {
    write_keys();
    matrix("token_embd.weight", "model.embed_tokens.weight");
    vector("output_norm.weight", "model.norm.weight");
    if (tensors_.contains("lm_head.weight")) matrix("output.weight", "lm_head.weight");
    for (std::int64_t i = 0; i < config_.at("num_hidden_layers").get<std::int64_t>(); ++i) {
      write_layer("blk." + std::to_string(i) + ".", "model.layers." + std::to_string(i) + ".");
    }
    CHECK(writer_.write(path).has_value(), "GGUF is written");
  }

 private:
  std::uint32_t number(const char* key) const { return config_.at(key).get<std::uint32_t>(); }

  void write_keys() {
    const Json& rope = config_.contains("rope_parameters") ? config_["rope_parameters"] : config_["rope_scaling"];
    const double theta = rope.is_object() && rope.contains("rope_theta") ? rope["rope_theta"].get<double>()
                                                                         : config_.at("rope_theta").get<double>();
    const auto key = [this](const char* name) { return arch_ + "." + name; };
    writer_.add_string("general.architecture", arch_);
    writer_.add_u32(key("block_count"), number("num_hidden_layers"));
    writer_.add_u32(key("context_length"), number("max_position_embeddings"));
    writer_.add_u32(key("embedding_length"), number("hidden_size"));
    writer_.add_u32(key("feed_forward_length"), number("intermediate_size"));
    writer_.add_u32(key("attention.head_count"), number("num_attention_heads"));
    writer_.add_u32(key("attention.head_count_kv"), number("num_key_value_heads"));
    writer_.add_u32(key("attention.key_length"), number("head_dim"));
    writer_.add_u32(key("attention.value_length"), number("head_dim"));
    writer_.add_f32(key("attention.layer_norm_rms_epsilon"), config_.at("rms_norm_eps").get<float>());
    writer_.add_f32(key("rope.freq_base"), static_cast<float>(theta));
    writer_.add_u32(key("vocab_size"), number("vocab_size"));
    if (arch_ == "qwen3moe") {
      writer_.add_u32(key("expert_count"), number("num_experts"));
      writer_.add_u32(key("expert_used_count"), number("num_experts_per_tok"));
      writer_.add_u32(key("expert_feed_forward_length"), number("moe_intermediate_size"));
    }
    if (arch_ == "llama") {
      writer_.add_u32(key("rope.dimension_count"), number("head_dim"));
      const std::vector<float> divisors = rope_divisors(rope, theta, number("head_dim"));
      writer_.add_f32_tensor("rope_freqs.weight", {static_cast<std::int64_t>(divisors.size())}, divisors);
    }
  }

  void write_layer(const std::string& to, const std::string& from) {
    vector(to + "attn_norm.weight", from + "input_layernorm.weight");
    vector(to + "ffn_norm.weight", from + "post_attention_layernorm.weight");
    const std::string attention = from + "self_attn.";
    rotated(to + "attn_q.weight", attention + "q_proj.weight", number("num_attention_heads"));
    rotated(to + "attn_k.weight", attention + "k_proj.weight", number("num_key_value_heads"));
    matrix(to + "attn_v.weight", attention + "v_proj.weight");
    matrix(to + "attn_output.weight", attention + "o_proj.weight");
    if (arch_ != "llama") {
      vector(to + "attn_q_norm.weight", attention + "q_norm.weight");
      vector(to + "attn_k_norm.weight", attention + "k_norm.weight");
    }
    if (arch_ != "qwen3moe") {
      for (const char* role : {"gate", "up", "down"}) {
        matrix(to + "ffn_" + role + ".weight", from + "mlp." + role + "_proj.weight");
      }
      return;
    }
    vector(to + "ffn_gate_inp.weight", from + "mlp.gate.weight");
    experts(to, from + "mlp.experts.");
  }

  void experts(const std::string& to, const std::string& from) {
    const std::int64_t count = number("num_experts"), size = number("moe_intermediate_size"), hidden = number("hidden_size");
    std::map<std::string, std::vector<float>> stacks;
    if (tensors_.contains(from + "gate_up_proj")) {
      const std::vector<float> fused = bf16_values(tensors_.at(from + "gate_up_proj"));
      const auto part = static_cast<std::ptrdiff_t>(size * hidden);
      for (std::int64_t e = 0; e < count; ++e) {
        const auto gate = fused.begin() + 2 * e * part;
        stacks["gate"].insert(stacks["gate"].end(), gate, gate + part);
        stacks["up"].insert(stacks["up"].end(), gate + part, gate + 2 * part);
      }
      stacks["down"] = bf16_values(tensors_.at(from + "down_proj"));
    } else {
      for (const char* role : {"gate", "up", "down"}) {
        for (std::int64_t e = 0; e < count; ++e) {
          const auto values = bf16_values(tensors_.at(from + std::to_string(e) + "." + role + "_proj.weight"));
          stacks[role].insert(stacks[role].end(), values.begin(), values.end());
        }
      }
    }
    add(to + "ffn_gate_exps.weight", {count, size, hidden}, stacks["gate"]);
    add(to + "ffn_up_exps.weight", {count, size, hidden}, stacks["up"]);
    add(to + "ffn_down_exps.weight", {count, hidden, size}, stacks["down"]);
  }

  void vector(const std::string& to, const std::string& from) {
    writer_.add_f32_tensor(to, tensors_.at(from).shape, bf16_values(tensors_.at(from)));
  }

  void matrix(const std::string& to, const std::string& from) {
    add(to, tensors_.at(from).shape, bf16_values(tensors_.at(from)));
  }

  void rotated(const std::string& to, const std::string& from, std::int64_t num_heads) {
    const std::vector<float> values = bf16_values(tensors_.at(from));
    add(to, tensors_.at(from).shape, arch_ == "llama" ? permute_rows(values, num_heads, number("head_dim")) : values);
  }

  void add(const std::string& to, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    if (round_trip_) {
      writer_.add_f32_tensor(to, shape, quantize_and_back(matrix_dtype_, values));
    } else {
      writer_.add_tensor(to, matrix_dtype_, shape, quantize(matrix_dtype_, values));
    }
  }

  DType matrix_dtype_;
  bool round_trip_;
  Json config_;
  Tensors tensors_;
  std::string arch_;
  GgufWriter writer_;
};

}  // namespace

std::filesystem::path golden_folder(const std::string& name) {
  return std::filesystem::path(TANDEM_TEST_DATA) / "golden" / name;
}

std::vector<GoldenPrompt> load_golden_prompts(const std::string& name) {
  auto tensors = load_safetensors(golden_folder(name) / "reference.safetensors");
  CHECK(tensors.has_value(), "golden reference is readable");
  std::vector<GoldenPrompt> prompts;
  for (int i = 0; tensors->contains("p" + std::to_string(i) + ".input_ids"); ++i) {
    const std::string prefix = "p" + std::to_string(i) + ".";
    GoldenPrompt prompt;
    prompt.ids = ids_of(tensors->at(prefix + "input_ids"));
    prompt.logits = tensors->at(prefix + "logits").f32();
    prompt.greedy_ids = ids_of(tensors->at(prefix + "greedy_ids"));
    prompt.greedy_margin = tensors->at(prefix + "greedy_margin").f32();
    prompt.logit_std = standard_deviation(prompt.logits);
    prompts.push_back(std::move(prompt));
  }
  CHECK(!prompts.empty(), "golden reference has prompts");
  return prompts;
}

void write_golden_gguf(const std::string& name, const std::filesystem::path& path, DType matrix_dtype, bool round_trip) {
  Converter(name, matrix_dtype, round_trip).write(path);
}

}  // namespace tandem::testing
