// The catalogue: models people ask for, with enough of their configuration to plan for them without having the files; and how
// a MODEL argument becomes a path.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/planner/planner.h"
#include "kernels/dtype.h"

namespace tandem::engine {

struct CatalogEntry {
  std::string id;          // "qwen3-8b-q8_0": what the command line takes
  std::string name;        // "Qwen3 8B"
  std::string repository;  // Hugging Face repository of the weights, "Qwen/Qwen3-8B-GGUF"
  std::string file;        // in the repository; empty: all of it
  kernels::DType weight_dtype = kernels::DType::kBF16;
  nlohmann::ordered_json config;                 // Hugging Face config.json, as far as a plan needs it
  std::optional<std::filesystem::path> shipped;  // the file, when it comes with the program
};

// The shipped catalogue. Errors: kNotFound when the installation is incomplete, kCorrupt naming entry and field.
Result<std::vector<CatalogEntry>> load_catalog();
Result<std::vector<CatalogEntry>> parse_catalog(std::string_view json_text);

// What the planner says of an entry: vectors count as F32, the other weights as the entry's type. Real files mix types, so
// their size may differ by some per cent.
Result<ModelDescription> describe_entry(const CatalogEntry& entry);

// What the command line calls MODEL: a path, or the id of an entry whose file is on this machine. Errors: kNotFound; for an
// entry that is not here the message says where to get it.
Result<std::filesystem::path> resolve_model(const std::string& argument);

// A shipped file ("catalog.json", "demo-model/…"): in $TANDEM_RESOURCES, beside the program, in its installation's
// share/tandem, or in the source tree it was built from. nullopt: in none of them.
std::optional<std::filesystem::path> find_resource(const std::filesystem::path& relative);

}  // namespace tandem::engine
