// library_scan: finds the models in folders.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "engine/planner/model_summary.h"

namespace tandem::engine {

struct ScanProgress {
  std::int64_t folders_seen = 0;
  std::int64_t models_found = 0;
};
// Called between folders and between models; returning false cancels the scan.
using ScanProgressSink = std::function<bool(const ScanProgress&)>;

struct ScanResult {
  std::vector<ModelSummary> models;  // in order of path; models that cannot be loaded are listed with their error
  std::vector<Error> problems;       // folders that could not be read
};

// Looks through `folders` and everything below them. A split GGUF is one model, and so is a folder with config.json and
// safetensors. Links are followed, but no folder is read twice, so loops end; at most `max_depth` folders deep. A path that is
// itself a model is accepted too. Errors: kCancelled. Blocks on the disk; any thread but the window's.
Result<ScanResult> scan_library(const std::vector<std::filesystem::path>& folders, const ScanProgressSink& progress = {},
                                int max_depth = 12);

}  // namespace tandem::engine
