#include "engine/models/architecture.h"

#include <algorithm>
#include <array>

#include "engine/model_file/model_file.h"
#include "engine/models/registry.h"

namespace tandem::engine {
namespace {

Error unsupported(const std::string& name) {
  std::string supported;
  for (const Architecture& architecture : architectures()) {
    supported += (supported.empty() ? "" : ", ") + std::string(architecture.name);
  }
  return Error{ErrorCode::kUnsupported,
               "Architecture " + name + " is not supported by this version; supported: " + supported + "."};
}

}  // namespace

std::span<const Architecture> architectures() {
#define TANDEM_LIST_ARCHITECTURE(name) name,
  static const std::array kArchitectures{TANDEM_ARCHITECTURES(TANDEM_LIST_ARCHITECTURE)};
#undef TANDEM_LIST_ARCHITECTURE
  return kArchitectures;
}

Result<const Architecture*> find_architecture(const ModelFile& file) {
  if (file.format() == ModelFormat::kSafetensors) return find_architecture(file.config());
  const std::string name = TANDEM_TRY(file.gguf().get_string("general.architecture"));
  for (const Architecture& architecture : architectures()) {
    if (architecture.name == name) return &architecture;
  }
  return unsupported(name);
}

Result<const Architecture*> find_architecture(const nlohmann::ordered_json& hf_config) {
  const auto names = hf_config.is_object() ? hf_config.find("architectures") : hf_config.end();
  if (!hf_config.is_object() || names == hf_config.end() || !names->is_array() || names->empty() ||
      !names->front().is_string()) {
    return Error{ErrorCode::kCorrupt, "config.json: architectures is missing or not a list of names"};
  }
  const auto name = names->front().get<std::string>();
  for (const Architecture& architecture : architectures()) {
    const auto& known = architecture.hf_architectures;
    if (std::find(known.begin(), known.end(), name) != known.end()) return &architecture;
  }
  return unsupported(name);
}

Result<ModelConfig> read_model_config(const ModelFile& file) {
  const Architecture* architecture = TANDEM_TRY(find_architecture(file));
  if (file.format() == ModelFormat::kSafetensors) return architecture->config_from_hf(file.config());
  ModelConfig config = TANDEM_TRY(architecture->config_from_gguf(file.gguf()));
  // A GGUF says that the head shares the embedding's weights by having no head.
  config.tied_embeddings = file.find("output.weight") == nullptr;
  return config;
}

Result<ModelConfig> read_model_config(const nlohmann::ordered_json& hf_config) {
  const Architecture* architecture = TANDEM_TRY(find_architecture(hf_config));
  return architecture->config_from_hf(hf_config);
}

}  // namespace tandem::engine
