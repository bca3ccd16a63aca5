// What the commands that load a model share: MODEL, load options, sampling options, and progress on the terminal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/tandem_node/command.h"
#include "engine/engine.h"

namespace tandem::node {

struct ModelOptions {
  std::string model;
  std::int64_t context_tokens = 0;  // 0: as the engine chooses
  std::string kv_dtype = "f16";
  double memory_gib = 0.0;  // 0: what is available
};

// MODEL, --context, --kv-dtype, --memory-gib.
void add_model_options(CLI::App& command, ModelOptions& options);

struct SamplingOptions {
  engine::SamplingParams params;
  std::int32_t max_tokens = 0;  // 0: until the context is full
  std::int64_t seed = -1;       // -1: drawn
};

// --temperature, --top-p and so on, with the defaults of a chat.
void add_sampling_options(CLI::App& command, SamplingOptions& options);
engine::SamplingParams sampling_params(const SamplingOptions& options);

// Loads the model; on a terminal, shows progress on stderr. Ctrl-C cancels.
Result<std::unique_ptr<engine::Engine>> load_engine(const CommonOptions& common, const ModelOptions& options,
                                                    engine::LoadOptions load = {});

// Text for terminals and JSON, replacing broken UTF-8 instead of throwing.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace tandem::node
