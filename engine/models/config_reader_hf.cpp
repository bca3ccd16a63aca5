#include <cmath>
#include <limits>
#include <string>

#include "engine/models/config_reader.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

// The value of `key`, or null where it is absent or JSON null: transformers writes null for "default".
const Json* find_value(const Json& object, const std::string& key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

Error wrong_value(const std::string& key, const Json& value, const std::string& expected) {
  return Error{ErrorCode::kCorrupt, "config.json: " + key + " is " + shown(value) + "; expected " + expected};
}

Result<std::int64_t> count(const Json& object, const std::string& key) {
  const Json* value = find_value(object, key);
  if (value == nullptr) return Error{ErrorCode::kCorrupt, "config.json: " + key + " is missing"};
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(kMax)
                        : value->is_number_integer() && value->get<std::int64_t>() >= 0 && value->get<std::int64_t>() <= kMax;
  if (!fits) return wrong_value(key, *value, "a whole number from 0 to " + std::to_string(kMax));
  return value->get<std::int64_t>();
}

Result<std::int64_t> count_or(const Json& object, const std::string& key, std::int64_t fallback) {
  return find_value(object, key) == nullptr ? Result<std::int64_t>(fallback) : count(object, key);
}

Result<double> number(const Json& object, const std::string& key) {
  const Json* value = find_value(object, key);
  if (value == nullptr) return Error{ErrorCode::kCorrupt, "config.json: " + key + " is missing"};
  if (!value->is_number() || !std::isfinite(value->get<double>())) return wrong_value(key, *value, "a number");
  return value->get<double>();
}

Result<bool> flag_or(const Json& object, const std::string& key, bool fallback) {
  const Json* value = find_value(object, key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return wrong_value(key, *value, "true or false");
  return value->get<bool>();
}

Error unsupported(const std::string& what) {
  return Error{ErrorCode::kUnsupported, "config.json: " + what + " is not supported by this version"};
}

// rope_theta and scaling; the newer exports gather both under rope_parameters.
Result<void> read_rope(const Json& json, ModelConfig& config) {
  const Json* parameters = find_value(json, "rope_parameters");
  const Json* scaling = parameters != nullptr ? parameters : find_value(json, "rope_scaling");
  if (scaling != nullptr && !scaling->is_object()) {
    return wrong_value(parameters != nullptr ? "rope_parameters" : "rope_scaling", *scaling, "an object");
  }
  config.rope_theta = 10000.0;
  if (parameters != nullptr && find_value(*parameters, "rope_theta") != nullptr) {
    config.rope_theta = TANDEM_TRY(number(*parameters, "rope_theta"));
  } else if (find_value(json, "rope_theta") != nullptr) {
    config.rope_theta = TANDEM_TRY(number(json, "rope_theta"));
  }
  if (scaling == nullptr) return {};

  // "type" is the older spelling of "rope_type".
  const Json* type = find_value(*scaling, "rope_type");
  if (type == nullptr) type = find_value(*scaling, "type");
  if (type == nullptr) {
    if (find_value(*scaling, "factor") != nullptr) {
      return Error{ErrorCode::kCorrupt, "config.json: the rope scaling has a factor but no rope_type"};
    }
    return {};
  }
  if (*type == "default") return {};
  if (*type != "llama3") return unsupported("rope_type " + shown(*type));
  Llama3RopeScaling llama3;
  llama3.factor = TANDEM_TRY(number(*scaling, "factor"));
  llama3.low_freq_factor = TANDEM_TRY(number(*scaling, "low_freq_factor"));
  llama3.high_freq_factor = TANDEM_TRY(number(*scaling, "high_freq_factor"));
  llama3.original_context = TANDEM_TRY(count(*scaling, "original_max_position_embeddings"));
  config.rope_scaling = llama3;
  return {};
}

Result<void> read_moe(const Json& json, ModelConfig& config) {
  const bool has_num_experts = find_value(json, "num_experts") != nullptr;
  config.moe.num_experts =
      static_cast<std::int32_t>(TANDEM_TRY(count(json, has_num_experts ? "num_experts" : "num_local_experts")));
  config.moe.num_experts_used = static_cast<std::int32_t>(TANDEM_TRY(count(json, "num_experts_per_tok")));
  config.moe.intermediate_size = TANDEM_TRY(count(json, "moe_intermediate_size"));
  config.moe.renormalise = TANDEM_TRY(flag_or(json, "norm_topk_prob", false));
  if (config.moe.num_experts == 0) {
    return Error{ErrorCode::kCorrupt, "config.json: num_experts is 0 in a mixture-of-experts model"};
  }
  if (TANDEM_TRY(count_or(json, "decoder_sparse_step", 1)) != 1) return unsupported("decoder_sparse_step other than 1");
  const Json* dense_layers = find_value(json, "mlp_only_layers");
  if (dense_layers != nullptr && !(dense_layers->is_array() && dense_layers->empty())) {
    return unsupported("mlp_only_layers " + shown(*dense_layers));
  }
  return {};
}

// Features that change the arithmetic and that the decoder models of this version do not have.
Result<void> refuse_other_features(const Json& json) {
  const Json* quantization = find_value(json, "quantization_config");
  if (quantization != nullptr) {
    const Json* method = find_value(*quantization, "quant_method");
    return Error{ErrorCode::kUnsupported,
                 "config.json: a quantised safetensors checkpoint (quant_method " +
                     (method == nullptr ? std::string("not given") : shown(*method)) +
                     ") is not supported by this version. Use the F16 or BF16 original, or a GGUF file."};
  }
  const Json* activation = find_value(json, "hidden_act");
  if (activation != nullptr && *activation != "silu") return unsupported("hidden_act " + shown(*activation));
  if (TANDEM_TRY(flag_or(json, "attention_bias", false))) return unsupported("attention_bias");
  if (TANDEM_TRY(flag_or(json, "mlp_bias", false))) return unsupported("mlp_bias");
  if (TANDEM_TRY(flag_or(json, "use_sliding_window", false))) return unsupported("use_sliding_window");
  if (const Json* types = find_value(json, "layer_types")) {
    if (!types->is_array()) return wrong_value("layer_types", *types, "an array");
    for (const Json& type : *types) {
      if (type != "full_attention") return unsupported("layer type " + shown(type));
    }
  }
  return {};
}

}  // namespace

Result<ModelConfig> read_hf_decoder_config(const Json& json, std::string_view architecture, bool moe) {
  if (!json.is_object()) return Error{ErrorCode::kCorrupt, "config.json: not a JSON object"};
  TANDEM_TRY(refuse_other_features(json));

  ModelConfig config;
  config.architecture = std::string(architecture);
  if (const Json* name = find_value(json, "_name_or_path"); name != nullptr && name->is_string()) {
    config.name = name->get<std::string>();
  }
  config.vocab_size = TANDEM_TRY(count(json, "vocab_size"));
  config.hidden_size = TANDEM_TRY(count(json, "hidden_size"));
  config.num_layers = static_cast<std::int32_t>(TANDEM_TRY(count(json, "num_hidden_layers")));
  config.num_heads = static_cast<std::int32_t>(TANDEM_TRY(count(json, "num_attention_heads")));
  config.num_kv_heads = static_cast<std::int32_t>(TANDEM_TRY(count_or(json, "num_key_value_heads", config.num_heads)));
  config.max_context = TANDEM_TRY(count(json, "max_position_embeddings"));
  config.rms_norm_eps = TANDEM_TRY(number(json, "rms_norm_eps"));
  config.intermediate_size = TANDEM_TRY(count(json, "intermediate_size"));
  config.tied_embeddings = TANDEM_TRY(flag_or(json, "tie_word_embeddings", false));
  if (config.num_heads <= 0) {
    return Error{ErrorCode::kCorrupt, "config.json: num_attention_heads is " + std::to_string(config.num_heads)};
  }
  if (find_value(json, "head_dim") == nullptr && config.hidden_size % config.num_heads != 0) {
    return Error{ErrorCode::kCorrupt, "config.json: hidden_size = " + std::to_string(config.hidden_size) +
                                          " is not a multiple of num_attention_heads = " + std::to_string(config.num_heads)};
  }
  config.head_dim = static_cast<std::int32_t>(TANDEM_TRY(count_or(json, "head_dim", config.hidden_size / config.num_heads)));
  config.rope_dim = config.head_dim;
  if (find_value(json, "partial_rotary_factor") != nullptr) {
    if (TANDEM_TRY(number(json, "partial_rotary_factor")) != 1.0) return unsupported("partial_rotary_factor other than 1");
  }
  TANDEM_TRY(read_rope(json, config));
  if (moe) TANDEM_TRY(read_moe(json, config));
  TANDEM_TRY(check_model_config(config));
  return config;
}

}  // namespace tandem::engine
