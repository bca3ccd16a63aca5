// Opens a GGUF model that is one file or split into several.
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include "engine/model_file/gguf_reader.h"
#include "engine/model_file/model_parts.h"
#include "engine/model_file/quoted_name.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kMaxParts = 10'000;
constexpr std::string_view kExtension = ".gguf";

Error in_file(const std::filesystem::path& path, ErrorCode code, const std::string& message) {
  return Error{code, path.string() + ": " + message};
}

// The split keys of one part; a file without split.count is whole by itself.
struct SplitKeys {
  std::uint64_t part_idx = 0;
  std::uint64_t num_parts = 1;
  std::uint64_t num_tensors = 0;  // over all parts
};

Result<std::uint64_t> split_key(const std::filesystem::path& path, const GgufMetadata& gguf, std::string_view key) {
  const Result<std::uint64_t> value = gguf.get_uint(key);
  if (!value) return in_file(path, ErrorCode::kCorrupt, value.error().detail);
  return value;
}

Result<SplitKeys> read_split_keys(const std::filesystem::path& path, const GgufMetadata& gguf) {
  SplitKeys keys;
  if (!gguf.contains("split.count")) return keys;
  keys.num_parts = TANDEM_TRY(split_key(path, gguf, "split.count"));
  if (keys.num_parts > kMaxParts) {
    return in_file(
        path, ErrorCode::kCorrupt,
        "split.count is " + std::to_string(keys.num_parts) + "; at most " + std::to_string(kMaxParts) + " parts are accepted");
  }
  if (keys.num_parts <= 1) return SplitKeys{};
  keys.part_idx = TANDEM_TRY(split_key(path, gguf, "split.no"));
  keys.num_tensors = TANDEM_TRY(split_key(path, gguf, "split.tensors.count"));
  return keys;
}

Error not_the_first(const std::filesystem::path& path, const SplitKeys& keys) {
  std::string next = "open the first part instead";
  if (const auto name = parse_split_name(path.filename().string(), kExtension)) {
    next = "open " + split_file_name(name->prefix, 0, name->num_parts, kExtension) + " instead";
  }
  return in_file(path, ErrorCode::kInvalidArgument,
                 "this is part " + std::to_string(keys.part_idx + 1) + " of " + std::to_string(keys.num_parts) + "; " + next);
}

// Opens part `part_idx` beside the first one and appends it to `parts`.
Result<void> add_part(const std::filesystem::path& path, std::uint64_t part_idx, const SplitKeys& first, ModelParts& parts) {
  Result<FileReader> file = FileReader::open(path);
  if (!file) {
    return Error{file.error().code, "part " + std::to_string(part_idx + 1) + " of " + std::to_string(first.num_parts) +
                                        " of the model cannot be opened; all parts must be in one folder (" +
                                        file.error().detail + ")"};
  }
  GgufHeader header = TANDEM_TRY(read_gguf_header(*file, static_cast<std::uint32_t>(part_idx)));
  const SplitKeys keys = TANDEM_TRY(read_split_keys(path, header.metadata));
  if (keys.part_idx != part_idx || keys.num_parts != first.num_parts) {
    return in_file(path, ErrorCode::kCorrupt,
                   "it says that it is part " + std::to_string(keys.part_idx + 1) + " of " + std::to_string(keys.num_parts) +
                       ", but its name says part " + std::to_string(part_idx + 1) + " of " + std::to_string(first.num_parts));
  }
  parts.files.push_back(std::move(*file));
  std::move(header.tensors.begin(), header.tensors.end(), std::back_inserter(parts.tensors));
  return {};
}

Result<void> check_all_tensors(const std::filesystem::path& path, const SplitKeys& keys, const ModelParts& parts) {
  if (parts.tensors.size() != keys.num_tensors) {
    return in_file(path, ErrorCode::kCorrupt,
                   "split.tensors.count is " + std::to_string(keys.num_tensors) + ", but the " +
                       std::to_string(keys.num_parts) + " parts hold " + std::to_string(parts.tensors.size()) + " tensors");
  }
  std::unordered_set<std::string_view> seen;
  for (const TensorInfo& tensor : parts.tensors) {
    if (!seen.insert(tensor.name).second) {
      return in_file(parts.files[tensor.file_idx].path(), ErrorCode::kCorrupt,
                     "tensor " + quoted_name(tensor.name) + ": an earlier part has one of this name");
    }
  }
  return {};
}

}  // namespace

Result<ModelParts> open_gguf(const std::filesystem::path& path) {
  ModelParts parts;
  parts.format = ModelFormat::kGguf;
  FileReader file = TANDEM_TRY(FileReader::open(path));
  GgufHeader header = TANDEM_TRY(read_gguf_header(file, 0));
  const SplitKeys keys = TANDEM_TRY(read_split_keys(path, header.metadata));
  parts.files.push_back(std::move(file));
  parts.tensors = std::move(header.tensors);
  parts.gguf = std::move(header.metadata);
  if (keys.num_parts == 1) return parts;
  if (keys.part_idx != 0) return not_the_first(path, keys);
  const auto name = parse_split_name(path.filename().string(), kExtension);
  if (!name || name->part_idx != 0 || name->num_parts != keys.num_parts) {
    return in_file(path, ErrorCode::kInvalidArgument,
                   "this is the first of " + std::to_string(keys.num_parts) + " parts, so it must be named like " +
                       split_file_name("MODEL", 0, keys.num_parts, kExtension) + " for the others to be found");
  }
  // Names are made here, never taken from the file.
  for (std::uint64_t i = 1; i < keys.num_parts; ++i) {
    const std::string part_name = split_file_name(name->prefix, i, keys.num_parts, kExtension);
    TANDEM_TRY(add_part(path.parent_path() / part_name, i, keys, parts));
  }
  TANDEM_TRY(check_all_tensors(path, keys, parts));
  return parts;
}

}  // namespace tandem::engine
