#include "engine/planner/library_scan.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "engine/model_file/model_parts.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;

class Scanner {
 public:
  Scanner(const ScanProgressSink& progress, int max_depth) : progress_(progress), max_depth_(max_depth) {}

  bool is_cancelled() const { return is_cancelled_; }
  ScanResult take_result() {
    std::sort(result_.models.begin(), result_.models.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(result_);
  }

  void scan(const fs::path& path, int depth) {
    if (is_cancelled_) return;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) {
      scan_folder(path, depth);
    } else if (fs::is_regular_file(status)) {
      if (path.extension() == ".gguf" || path.extension() == ".safetensors") add_model(path);
    } else if (depth == 0) {
      // What the user named must be told about; a dangling link below it is nobody's concern.
      result_.problems.push_back({ErrorCode::kNotFound, path.string() + " does not exist"});
    }
  }

 private:
  void scan_folder(const fs::path& folder, int depth) {
    // A folder reached a second time, by a link, has been read: this ends loops.
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (error || !seen_folders_.insert(canonical).second) return;
    ++progress_so_far_.folders_seen;
    if (!report()) return;

    std::vector<fs::path> files, folders;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::error_code entry_error;
      if (it->is_directory(entry_error)) {
        folders.push_back(it->path());
      } else if (it->is_regular_file(entry_error)) {
        files.push_back(it->path());
      }
    }
    if (error) result_.problems.push_back({ErrorCode::kIo, folder.string() + ": cannot be read: " + error.message()});
    std::sort(files.begin(), files.end());
    std::sort(folders.begin(), folders.end());

    add_models_of(folder, files);
    if (depth >= max_depth_) {
      if (!folders.empty()) {
        result_.problems.push_back({ErrorCode::kUnsupported, folder.string() + ": folders below this one, more than " +
                                                                 std::to_string(max_depth_) + " deep, were not looked at"});
      }
      return;
    }
    for (const fs::path& inner : folders) scan(inner, depth + 1);
  }

  void add_models_of(const fs::path& folder, const std::vector<fs::path>& files) {
    const auto has = [&](const char* name) { return std::binary_search(files.begin(), files.end(), folder / name); };
    // The shards of a Hugging Face folder are one model. An adapter or a vision tower alone has no such file.
    if (has("config.json") && (has("model.safetensors") || has("model.safetensors.index.json"))) add_model(folder);
    std::set<std::string> split_models;
    for (const fs::path& file : files) {
      if (is_cancelled_) return;
      if (file.extension() != ".gguf") continue;
      const auto split = parse_split_name(file.filename().string(), ".gguf");
      if (!split) {
        add_model(file);
      } else if (split_models.insert(split->prefix + "/" + std::to_string(split->num_parts)).second) {
        // Also when the first part is missing: opening it then says so.
        add_model(folder / split_file_name(split->prefix, 0, split->num_parts, ".gguf"));
      }
    }
  }

  void add_model(const fs::path& path) {
    if (is_cancelled_) return;
    std::error_code error;
    fs::path canonical = fs::canonical(path, error);
    if (error) canonical = path;
    if (!seen_models_.insert(canonical).second) return;
    result_.models.push_back(summarize_model(path));
    ++progress_so_far_.models_found;
    report();
  }

  bool report() {
    if (progress_ && !progress_(progress_so_far_)) is_cancelled_ = true;
    return !is_cancelled_;
  }

  const ScanProgressSink& progress_;
  const int max_depth_;
  ScanProgress progress_so_far_;
  ScanResult result_;
  std::set<fs::path> seen_folders_, seen_models_;  // canonical
  bool is_cancelled_ = false;
};

}  // namespace

Result<ScanResult> scan_library(const std::vector<std::filesystem::path>& folders, const ScanProgressSink& progress,
                                int max_depth) {
  Scanner scanner(progress, max_depth);
  for (const fs::path& folder : folders) scanner.scan(folder, 0);
  if (scanner.is_cancelled()) return Error{ErrorCode::kCancelled, "the search for models was cancelled"};
  return scanner.take_result();
}

}  // namespace tandem::engine
