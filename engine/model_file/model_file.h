// ModelFile: one view over GGUF (single, split) and safetensors (single, sharded) models. Opening reads headers only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "kernels/backend.h"
#include "kernels/dtype.h"

namespace tandem::engine {

enum class ModelFormat : std::uint8_t { kGguf, kSafetensors };

struct TensorInfo {
  std::string name;
  kernels::DType dtype = kernels::DType::kF32;
  std::vector<std::int64_t> shape;  // outermost first, as in PyTorch; a linear weight is [out, in]
  std::uint64_t bytes = 0;
  std::uint32_t file_idx = 0;     // into ModelFile::files()
  std::uint64_t file_offset = 0;  // of the first byte, in that file
};

// Typed values of a GGUF header, in file order. Getters check the stored type: a string is never read as a number.
class GgufMetadata {
 public:
  using Array = std::variant<std::vector<std::uint8_t>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                             std::vector<double>, std::vector<bool>, std::vector<std::string>>;
  using Value = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, Array>;

  bool contains(std::string_view key) const;
  // Absent → kNotFound; another type or a negative number → kCorrupt. The message names the key.
  Result<std::uint64_t> get_uint(std::string_view key) const;  // any integer type that holds a value ≥ 0
  Result<double> get_float(std::string_view key) const;        // f32 or f64
  Result<bool> get_bool(std::string_view key) const;
  Result<std::string> get_string(std::string_view key) const;
  Result<std::vector<std::string>> get_string_array(std::string_view key) const;
  Result<std::vector<std::int64_t>> get_int_array(std::string_view key) const;  // any integer element type
  Result<std::vector<double>> get_float_array(std::string_view key) const;      // f32 or f64 elements
  Result<std::vector<bool>> get_bool_array(std::string_view key) const;

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  void add(std::string key, Value value) { entries_.emplace_back(std::move(key), std::move(value)); }

 private:
  const Value* find(std::string_view key) const;
  std::vector<std::pair<std::string, Value>> entries_;
};

// Immutable after open(); any thread may read from it.
class ModelFile {
 public:
  // `path` is a GGUF file (the first part of a split one), a folder with config.json and model.safetensors or
  // model.safetensors.index.json, that index, a .safetensors file with a config.json beside it, or a folder that holds one
  // GGUF model and nothing else of these. Every rule of the containers is checked here; an Error names file, tensor and
  // numbers.
  static Result<std::shared_ptr<const ModelFile>> open(const std::filesystem::path& path);
  virtual ~ModelFile() = default;

  virtual ModelFormat format() const = 0;
  virtual const std::filesystem::path& path() const = 0;  // as given to open()
  virtual const std::vector<std::filesystem::path>& files() const = 0;
  virtual std::uint64_t file_bytes() const = 0;                     // of all files together
  virtual const std::vector<TensorInfo>& tensors() const = 0;       // in file order
  virtual const TensorInfo* find(std::string_view name) const = 0;  // null when absent

  // GGUF: the header's values; empty for safetensors.
  virtual const GgufMetadata& gguf() const = 0;
  // safetensors: config.json and, where present, generation_config.json, tokenizer.json (as text: it is large),
  // tokenizer_config.json and chat_template.jinja; null or nullopt for GGUF or when absent.
  virtual const nlohmann::ordered_json& config() const = 0;
  virtual const nlohmann::ordered_json& generation_config() const = 0;
  virtual const nlohmann::ordered_json& tokenizer_config() const = 0;
  virtual const std::optional<std::string>& tokenizer_json() const = 0;
  virtual const std::optional<std::string>& chat_template_file() const = 0;

  // Copies bytes [offset, offset + out.size()) of the tensor. A file cut short after opening is an Error, not a signal.
  virtual Result<void> read(const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> out) const = 0;
};

// The whole tensor as a ByteSource; the file must outlive it.
std::unique_ptr<kernels::ByteSource> tensor_source(std::shared_ptr<const ModelFile> file, const TensorInfo& tensor);

struct IntegrityProblem {
  std::string file, tensor, what;  // tensor is empty when the file as a whole is meant
};

// Reads every tensor and checks what a header cannot show: non-finite scales and values. `progress` gets bytes done and
// total and returns false to cancel. Used by `inspect --verify`.
Result<std::vector<IntegrityProblem>> verify_tensors(const ModelFile& file,
                                                     const std::function<bool(std::uint64_t, std::uint64_t)>& progress);

}  // namespace tandem::engine
