#include "engine/model_file/model_file.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "engine/model_file/model_parts.h"
#include "engine/model_file/quoted_name.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;

class OpenModelFile final : public ModelFile {
 public:
  OpenModelFile(fs::path path, ModelParts parts) : path_(std::move(path)), parts_(std::move(parts)) {
    for (const FileReader& file : parts_.files) {
      file_paths_.push_back(file.path());
      file_bytes_ += file.bytes();
    }
    by_name_.reserve(parts_.tensors.size());
    for (const TensorInfo& tensor : parts_.tensors) by_name_.emplace(tensor.name, &tensor);
  }

  ModelFormat format() const override { return parts_.format; }
  const fs::path& path() const override { return path_; }
  const std::vector<fs::path>& files() const override { return file_paths_; }
  std::uint64_t file_bytes() const override { return file_bytes_; }
  const std::vector<TensorInfo>& tensors() const override { return parts_.tensors; }
  const TensorInfo* find(std::string_view name) const override {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  const GgufMetadata& gguf() const override { return parts_.gguf; }
  const nlohmann::ordered_json& config() const override { return parts_.config; }
  const nlohmann::ordered_json& generation_config() const override { return parts_.generation_config; }
  const nlohmann::ordered_json& tokenizer_config() const override { return parts_.tokenizer_config; }
  const std::optional<std::string>& tokenizer_json() const override { return parts_.tokenizer_json; }
  const std::optional<std::string>& chat_template_file() const override { return parts_.chat_template_file; }

  Result<void> read(const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > tensor.bytes || out.size() > tensor.bytes - offset || tensor.file_idx >= parts_.files.size()) {
      return Error{ErrorCode::kInternal, "tensor " + quoted_name(tensor.name) + ": " + std::to_string(out.size()) +
                                             " bytes at byte " + std::to_string(offset) + " were asked for, but it has " +
                                             std::to_string(tensor.bytes)};
    }
    if (out.empty()) return {};  // the place of an empty tensor may lie past the end of the file
    const Result<void> done = parts_.files[tensor.file_idx].read(tensor.file_offset + offset, out);
    if (!done) return Error{done.error().code, "tensor " + quoted_name(tensor.name) + ": " + done.error().detail};
    return {};
  }

 private:
  fs::path path_;
  ModelParts parts_;
  std::vector<fs::path> file_paths_;
  std::uint64_t file_bytes_ = 0;
  std::unordered_map<std::string_view, const TensorInfo*> by_name_;  // into parts_.tensors
};

class TensorSource final : public kernels::ByteSource {
 public:
  TensorSource(std::shared_ptr<const ModelFile> file, TensorInfo tensor) : file_(std::move(file)), tensor_(std::move(tensor)) {}
  std::uint64_t bytes() const override { return tensor_.bytes; }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) override { return file_->read(tensor_, offset, out); }

 private:
  std::shared_ptr<const ModelFile> file_;
  TensorInfo tensor_;
};

// Names of the entries of a folder, sorted, so that choices and messages do not depend on the disk.
Result<std::vector<std::string>> list_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return Error{ErrorCode::kIo, "cannot list " + folder.string() + ": " + error.message()};
  std::sort(names.begin(), names.end());
  return names;
}

std::string list_some(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxListed = 8;
  if (names.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) text += (i == 0 ? "" : ", ") + quoted_name(names[i]);
  if (names.size() > kMaxListed) text += " and " + std::to_string(names.size() - kMaxListed) + " more";
  return text;
}

// The GGUF files a user may mean by a folder: whole ones and first parts.
std::vector<std::string> gguf_choices(const std::vector<std::string>& names) {
  std::vector<std::string> choices;
  for (const std::string& name : names) {
    const auto split = parse_split_name(name, ".gguf");
    if (name.ends_with(".gguf") && (!split || split->part_idx == 0)) choices.push_back(name);
  }
  return choices;
}

Result<ModelParts> open_folder(const fs::path& folder) {
  const std::vector<std::string> names = TANDEM_TRY(list_folder(folder));
  const auto has = [&](std::string_view name) { return std::binary_search(names.begin(), names.end(), name); };
  if (has("model.safetensors")) return open_safetensors_file(folder / "model.safetensors");
  if (has("model.safetensors.index.json")) return open_safetensors_index(folder / "model.safetensors.index.json");
  const std::vector<std::string> choices = gguf_choices(names);
  if (choices.size() == 1) return open_gguf(folder / choices.front());
  if (choices.size() > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 folder.string() + " holds several GGUF models; open one of them: " + list_some(choices)};
  }
  return Error{ErrorCode::kNotFound, folder.string() +
                                         " holds no model: a .gguf file, or config.json with model.safetensors or " +
                                         "model.safetensors.index.json, is needed; found: " + list_some(names)};
}

bool starts_with_gguf_magic(const fs::path& path) {
  const Result<FileReader> file = FileReader::open(path);
  char magic[4] = {};
  return file && file->read(0, std::as_writable_bytes(std::span(magic))).has_value() &&
         std::string_view(magic, sizeof magic) == "GGUF";
}

Result<ModelParts> open_parts(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return Error{ErrorCode::kNotFound, path.string() + " does not exist"};
  }
  if (fs::is_directory(status)) return open_folder(path);
  const std::string name = path.filename().string();
  if (name.ends_with(".safetensors")) return open_safetensors_file(path);
  if (name.ends_with(".safetensors.index.json")) return open_safetensors_index(path);
  // Download caches keep files under names without an extension.
  if (name.ends_with(".gguf") || starts_with_gguf_magic(path)) return open_gguf(path);
  TANDEM_TRY(FileReader::open(path));
  return Error{ErrorCode::kInvalidArgument,
               path.string() + " is not a model: a .gguf file, a .safetensors file or a folder with one is needed"};
}

}  // namespace

Result<std::shared_ptr<const ModelFile>> ModelFile::open(const fs::path& path) {
  try {
    return std::shared_ptr<const ModelFile>(std::make_shared<OpenModelFile>(path, TANDEM_TRY(open_parts(path))));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, path.string() + ": not enough memory for the header of the model"};
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInternal, path.string() + ": " + error.what()};
  }
}

std::unique_ptr<kernels::ByteSource> tensor_source(std::shared_ptr<const ModelFile> file, const TensorInfo& tensor) {
  return std::make_unique<TensorSource>(std::move(file), tensor);
}

}  // namespace tandem::engine
