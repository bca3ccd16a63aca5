// What the readers of both formats hand to ModelFile::open. Internal to this folder.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/model_file/file_reader.h"
#include "engine/model_file/model_file.h"

namespace tandem::engine {

struct ModelParts {
  ModelFormat format = ModelFormat::kGguf;
  std::vector<FileReader> files;
  std::vector<TensorInfo> tensors;
  GgufMetadata gguf;
  nlohmann::ordered_json config, generation_config, tokenizer_config;
  std::optional<std::string> tokenizer_json, chat_template_file;
};

// Name of part `part_idx` (from 0) of a split file: PREFIX-00001-of-00003.gguf.
std::string split_file_name(std::string_view prefix, std::uint64_t part_idx, std::uint64_t num_parts,
                            std::string_view extension);

struct SplitName {
  std::string prefix;
  std::uint64_t part_idx = 0;  // from 0
  std::uint64_t num_parts = 0;
};
// Takes a file name of that form apart; nullopt for any other name.
std::optional<SplitName> parse_split_name(std::string_view file_name, std::string_view extension);

// `path` is a GGUF file, the first of its parts if it is split.
Result<ModelParts> open_gguf(const std::filesystem::path& path);

// Exactly these weights: a model.safetensors.index.json, or one .safetensors file. config.json lies in the same folder.
Result<ModelParts> open_safetensors_index(const std::filesystem::path& index_path);
Result<ModelParts> open_safetensors_file(const std::filesystem::path& path);

}  // namespace tandem::engine
