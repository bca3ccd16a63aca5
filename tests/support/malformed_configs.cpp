#include "tests/support/malformed_files.h"

namespace tandem::testing {
namespace {

// A config that is sound but for `change`, which is put last in the object and replaces the field of its name.
std::string config_with(const std::string& field, const std::string& value) {
  const std::vector<std::pair<std::string, std::string>> fields{
      {"architectures", R"(["LlamaForCausalLM"])"},
      {"hidden_size", "64"},
      {"intermediate_size", "128"},
      {"num_hidden_layers", "2"},
      {"num_attention_heads", "4"},
      {"num_key_value_heads", "2"},
      {"head_dim", "16"},
      {"max_position_embeddings", "4096"},
      {"rms_norm_eps", "1e-05"},
      {"vocab_size", "256"},
  };
  std::string text = "{";
  for (const auto& [name, sound] : fields) {
    if (name != field) text += "\"" + name + "\": " + sound + ", ";
  }
  if (value.empty()) return text + "\"unused\": 0}";
  return text + "\"" + field + "\": " + value + "}";
}

}  // namespace

std::vector<MalformedFile> malformed_configs() {
  const auto corrupt = ErrorCode::kCorrupt;
  const auto unsupported = ErrorCode::kUnsupported;
  std::vector<MalformedFile> files{
      {"empty", "", corrupt, {"not valid JSON"}},
      {"cut", R"({"hidden_size": 6)", corrupt, {"not valid JSON"}},
      {"not_utf8", "{\"a\": \"\xff\"}", corrupt, {"not valid JSON"}},
      {"zero_byte", std::string("{}\0{}", 5), corrupt, {"zero byte"}},
      {"key_twice", R"({"hidden_size": 64, "hidden_size": 65})", corrupt, {"hidden_size", "twice"}},
      {"nested_deeply", std::string(2000, '['), corrupt, {"deeper than 64"}},
      {"integer_of_70_bits", R"({"hidden_size": 1180591620717411303424})", corrupt, {"1180591620717411303424"}},
  };
  struct Change {
    const char* name;
    const char* field;
    const char* value;
    ErrorCode code;
  };
  const std::vector<Change> changes{
      {"architecture_unknown", "architectures", R"(["MambaForCausalLM"])", unsupported},
      {"architecture_missing", "architectures", "", corrupt},
      {"hidden_size_missing", "hidden_size", "", corrupt},
      {"hidden_size_string", "hidden_size", "\"64\"", corrupt},
      {"hidden_size_fraction", "hidden_size", "64.5", corrupt},
      {"hidden_size_negative", "hidden_size", "-64", corrupt},
      {"hidden_size_2_62", "hidden_size", "4611686018427387904", corrupt},
      {"layers_0", "num_hidden_layers", "0", corrupt},
      {"layers_1000000", "num_hidden_layers", "1000000", corrupt},
      {"heads_0", "num_attention_heads", "0", corrupt},
      {"kv_heads_0", "num_key_value_heads", "0", corrupt},
      {"kv_heads_do_not_divide", "num_key_value_heads", "3", corrupt},
      {"head_dim_odd", "head_dim", "15", corrupt},
      {"vocab_0", "vocab_size", "0", corrupt},
      {"eps_negative", "rms_norm_eps", "-1e-5", corrupt},
      {"eps_string", "rms_norm_eps", "\"small\"", corrupt},
      {"rope_theta_0", "rope_theta", "0", corrupt},
      {"rope_scaling_list", "rope_scaling", "[]", corrupt},
      {"rope_scaling_unknown", "rope_scaling", R"({"rope_type": "spiral", "factor": 2.0})", unsupported},
      {"rope_scaling_factor_0", "rope_scaling",
       R"({"rope_type": "llama3", "factor": 0, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192})",
       corrupt},
      {"quantised", "quantization_config", R"({"quant_method": "gptq", "bits": 4})", unsupported},
      {"activation_unknown", "hidden_act", "\"gelu\"", unsupported},
  };
  for (const Change& change : changes) {
    files.push_back({change.name, config_with(change.field, change.value), change.code, {}});
  }
  return files;
}

}  // namespace tandem::testing
