// Opens a safetensors model: one file or several behind an index, with the JSON files beside them.
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/model_file/json_reader.h"
#include "engine/model_file/model_parts.h"
#include "engine/model_file/quoted_name.h"
#include "engine/model_file/safetensors_reader.h"

namespace tandem::engine {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMaxConfigBytes = 16u << 20;
constexpr std::uint64_t kMaxTokenizerBytes = 256u << 20;
constexpr std::uint64_t kMaxTemplateBytes = 4u << 20;
constexpr std::uint64_t kMaxIndexBytes = 32u << 20;
constexpr std::size_t kMaxShards = 10'000;

Error in_file(const std::filesystem::path& path, ErrorCode code, const std::string& message) {
  return Error{code, path.string() + ": " + message};
}

// The text of a file, or nullopt when it is not there.
Result<std::optional<std::string>> read_optional(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const Result<FileReader> file = FileReader::open(path);
  if (!file && file.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  if (!file) return file.error();
  return std::optional<std::string>(TANDEM_TRY(file->read_all(max_bytes)));
}

Result<ordered_json> parse_object(const std::filesystem::path& path, std::string_view text) {
  ordered_json json = TANDEM_TRY(parse_json(text, path.string()));
  if (!json.is_object())
    return in_file(path, ErrorCode::kCorrupt, "it must hold a JSON object, not " + std::string(json.type_name()));
  return json;
}

// The object in a file, or null when it is not there.
Result<ordered_json> read_optional_object(const std::filesystem::path& path) {
  const auto text = TANDEM_TRY(read_optional(path, kMaxConfigBytes));
  if (!text) return ordered_json(nullptr);
  return parse_object(path, *text);
}

Result<void> read_side_files(const std::filesystem::path& folder, ModelParts& parts) {
  parts.config = TANDEM_TRY(read_optional_object(folder / "config.json"));
  if (parts.config.is_null()) {
    return Error{ErrorCode::kNotFound,
                 "there is no config.json in " + folder.string() + "; a safetensors model needs the one it was published with"};
  }
  parts.generation_config = TANDEM_TRY(read_optional_object(folder / "generation_config.json"));
  parts.tokenizer_config = TANDEM_TRY(read_optional_object(folder / "tokenizer_config.json"));
  parts.tokenizer_json = TANDEM_TRY(read_optional(folder / "tokenizer.json", kMaxTokenizerBytes));
  parts.chat_template_file = TANDEM_TRY(read_optional(folder / "chat_template.jinja", kMaxTemplateBytes));
  return {};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

// What an index says: the shard of each tensor, and the shards in the order of their names.
struct Index {
  std::unordered_map<std::string, std::uint32_t> shard_of;
  std::vector<std::string> shards;
};

Result<Index> read_index(const std::filesystem::path& path) {
  const FileReader file = TANDEM_TRY(FileReader::open(path));
  const std::string text = TANDEM_TRY(file.read_all(kMaxIndexBytes));
  const ordered_json json = TANDEM_TRY(parse_object(path, text));
  const auto weight_map = json.find("weight_map");
  if (weight_map == json.end() || !weight_map->is_object() || weight_map->empty()) {
    return in_file(path, ErrorCode::kCorrupt, "it has no weight_map that says which file holds which tensor");
  }
  std::map<std::string, std::uint32_t> shard_ids;
  for (const auto& [tensor, shard] : weight_map->items()) {
    const std::string* name = shard.get_ptr<const std::string*>();
    if (name == nullptr || !is_plain_file_name(*name)) {
      return in_file(path, ErrorCode::kCorrupt,
                     "tensor " + quoted_name(tensor) + ": " +
                         (name == nullptr ? std::string(shard.type_name()) : quoted_name(*name)) +
                         " is not the name of a file in the same folder");
    }
    shard_ids.emplace(*name, 0);
    if (shard_ids.size() > kMaxShards) {
      return in_file(path, ErrorCode::kCorrupt, "it names more than " + std::to_string(kMaxShards) + " files");
    }
  }
  Index index;
  for (auto& [name, id] : shard_ids) {
    id = static_cast<std::uint32_t>(index.shards.size());
    index.shards.push_back(name);
  }
  for (const auto& [tensor, shard] : weight_map->items()) {
    index.shard_of.emplace(tensor, shard_ids.at(shard.get_ref<const std::string&>()));
  }
  return index;
}

// Opens one shard, checks its tensors against the index and moves them to `parts`.
Result<void> add_shard(const std::filesystem::path& path, std::uint32_t shard_idx, const Index& index, ModelParts& parts) {
  FileReader file = TANDEM_TRY(FileReader::open(path));
  SafetensorsHeader header = TANDEM_TRY(read_safetensors_header(file, shard_idx));
  for (const TensorInfo& tensor : header.tensors) {
    const auto found = index.shard_of.find(tensor.name);
    if (found == index.shard_of.end() || found->second != shard_idx) {
      return in_file(path, ErrorCode::kCorrupt,
                     "tensor " + quoted_name(tensor.name) + " is in this file, but the index " +
                         (found == index.shard_of.end() ? "does not list it" : "places it in " + index.shards[found->second]));
    }
  }
  parts.files.push_back(std::move(file));
  std::move(header.tensors.begin(), header.tensors.end(), std::back_inserter(parts.tensors));
  return {};
}

// Every tensor found is listed once; so if the numbers differ, a listed one was not found.
Result<void> check_all_found(const std::filesystem::path& index_path, const Index& index, const ModelParts& parts) {
  if (parts.tensors.size() == index.shard_of.size()) return {};
  std::unordered_set<std::string_view> found;
  for (const TensorInfo& tensor : parts.tensors) found.insert(tensor.name);
  for (const auto& [tensor, shard] : index.shard_of) {
    if (found.contains(tensor)) continue;
    return in_file(index_path, ErrorCode::kCorrupt,
                   "tensor " + quoted_name(tensor) + " should be in " + index.shards[shard] + ", but is not (" +
                       std::to_string(index.shard_of.size() - parts.tensors.size()) + " tensors are missing)");
  }
  return {};
}

}  // namespace

Result<ModelParts> open_safetensors_index(const std::filesystem::path& index_path) {
  ModelParts parts;
  parts.format = ModelFormat::kSafetensors;
  const std::filesystem::path folder = folder_of(index_path);
  TANDEM_TRY(read_side_files(folder, parts));
  const Index index = TANDEM_TRY(read_index(index_path));
  for (std::uint32_t i = 0; i < index.shards.size(); ++i) {
    TANDEM_TRY(add_shard(folder / index.shards[i], i, index, parts));
  }
  TANDEM_TRY(check_all_found(index_path, index, parts));
  return parts;
}

Result<ModelParts> open_safetensors_file(const std::filesystem::path& path) {
  ModelParts parts;
  parts.format = ModelFormat::kSafetensors;
  FileReader file = TANDEM_TRY(FileReader::open(path));
  const auto name = parse_split_name(path.filename().string(), ".safetensors");
  if (name && name->num_parts > 1) {
    return in_file(path, ErrorCode::kInvalidArgument,
                   "this is part " + std::to_string(name->part_idx + 1) + " of " + std::to_string(name->num_parts) +
                       "; open its folder " + folder_of(path).string() + " instead");
  }
  SafetensorsHeader header = TANDEM_TRY(read_safetensors_header(file, 0));
  TANDEM_TRY(read_side_files(folder_of(path), parts));
  parts.files.push_back(std::move(file));
  parts.tensors = std::move(header.tensors);
  return parts;
}

}  // namespace tandem::engine
