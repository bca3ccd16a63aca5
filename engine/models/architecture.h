// The registry of architectures. Adding one is a file in this folder and a line in registry.h.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/models/model_config.h"

namespace tandem::engine {

class GgufMetadata;
class Model;
class ModelFile;
struct ModelContext;

// How a weight is divided over tensor-parallel ranks. The planner and the loader both go by it.
enum class Split : std::uint8_t {
  kReplicate,  // every rank holds all of it
  kRows,       // output channels: q, k, v, gate, up, vocabulary
  kColumns,    // input channels, summed by an all-reduce: attention output, down
  kExperts,    // whole experts
};

// One weight of a model, by role; where its bytes are found is the loader's business (weight_source.h).
struct WeightSpec {
  std::string name;                 // GGUF name, the project's canonical one: "blk.0.attn_q.weight"
  std::vector<std::int64_t> shape;  // outermost first: [out, in], [experts, out, in], [size]
  Split split = Split::kReplicate;
  bool is_matrix = true;  // false: a small vector kept in F32
  bool optional = false;
  // Where safetensors keep it. "{e}" stands for the expert's number, and the stack is put together from one tensor per
  // expert. Empty: safetensors never have it.
  std::string hf_name;
  // Stacks only: the tensor [experts, hf_fused_parts · out, in] that newer exports use instead of one tensor per expert; this
  // weight is part `hf_fused_part` of the rows of each expert.
  std::string hf_fused_name;
  std::int32_t hf_fused_part = 0;
  std::int32_t hf_fused_parts = 1;
};

struct Architecture {
  std::string_view name;                               // GGUF `general.architecture`
  std::span<const std::string_view> hf_architectures;  // config.json `architectures`: "Qwen3ForCausalLM"
  std::string_view display_name;                       // "Qwen3"
  Result<ModelConfig> (*config_from_gguf)(const GgufMetadata&);
  Result<ModelConfig> (*config_from_hf)(const nlohmann::ordered_json& config);
  std::vector<WeightSpec> (*weights)(const ModelConfig&);
  // Loads the weights through the context and returns the model, ready to run. Errors name tensor, expected and found shape.
  Result<std::unique_ptr<Model>> (*create)(const ModelConfig&, ModelContext&);
};

std::span<const Architecture> architectures();

// The architecture of an opened model, or kUnsupported with its name and the list of what this version can load.
Result<const Architecture*> find_architecture(const ModelFile& file);
Result<const Architecture*> find_architecture(const nlohmann::ordered_json& hf_config);

// Config of an opened model, checked for what a loader must check (formats: section 9.2).
Result<ModelConfig> read_model_config(const ModelFile& file);
Result<ModelConfig> read_model_config(const nlohmann::ordered_json& hf_config);

}  // namespace tandem::engine
