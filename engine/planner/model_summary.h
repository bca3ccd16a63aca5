// ModelSummary: one line of a model library. Reads headers only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace tandem::engine {

class ModelFile;

struct ModelSummary {
  std::filesystem::path path;        // what Engine::load() takes: a .gguf (first part of a split one) or a folder
  std::string name;                  // for people: the file's own name for the model, else the file's or folder's
  std::string architecture;          // "Qwen3"; the file's own word for one this version does not know
  std::uint64_t num_parameters = 0;  // elements of all weights
  std::string quantization;          // "Q8_0", "Q4_K_M", "BF16": see quantization_label()
  std::uint64_t bytes = 0;           // of all files together
  std::int64_t max_context = 0;      // tokens the model was made for; 0: not known
  // Why it cannot be loaded: damaged, a part missing, an architecture this version does not have. What could be read all the
  // same is filled in.
  std::optional<Error> error;
};

// Summary of anything ModelFile::open() takes. Never fails: trouble is in `error`. Blocks on the disk for some milliseconds.
// Any thread.
ModelSummary summarize_model(const std::filesystem::path& path);

// The name people know the mix of types by: GGUF's general.file_type ("Q4_K_M") when the tensors agree with it, otherwise the
// type that holds most bytes, followed by " mix" when it holds less than half of them.
std::string quantization_label(const ModelFile& file);

}  // namespace tandem::engine
