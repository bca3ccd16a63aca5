// Reads and checks the hyper-parameters that decoder-only transformers share, from a GGUF header or a config.json.
//
// Hostile input is expected: every number is bounded before anything is derived from it, and messages name the key, the
// value and what is allowed.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"
#include "engine/models/model_config.h"

namespace tandem::engine {

class GgufMetadata;

// Keys `<architecture>.…` of a GGUF header. `moe` also reads the expert keys. The context's `tied_embeddings` is left for the
// caller, since a GGUF says it by leaving the tensor out.
Result<ModelConfig> read_gguf_decoder_config(const GgufMetadata& metadata, std::string_view architecture, bool moe);

// config.json of transformers, in the classic spelling (rope_theta, rope_scaling) and the newer one (rope_parameters).
Result<ModelConfig> read_hf_decoder_config(const nlohmann::ordered_json& config, std::string_view architecture, bool moe);

// The relations that hold in every model: head counts divide, rope dimensions fit, and so on. Both readers end with it.
Result<void> check_model_config(const ModelConfig& config);

}  // namespace tandem::engine
