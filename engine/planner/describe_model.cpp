// describe_model: the tensor table of a model, from its files or from its config.json alone.
#include <filesystem>
#include <string>
#include <utility>

#include "engine/model_file/file_reader.h"
#include "engine/model_file/json_reader.h"
#include "engine/model_file/model_file.h"
#include "engine/models/architecture.h"
#include "engine/models/weight_source.h"
#include "engine/planner/planner.h"
#include "engine/planner/saturating.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using Weight = ModelDescription::Weight;

constexpr std::uint64_t kMaxConfigBytes = 16 << 20;  // real ones have some kilobytes

std::uint64_t num_elements(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count = saturating_mul(count, as_count(size));
  return count;
}

std::uint64_t matrix_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
  const kernels::DTypeInfo& info = kernels::dtype_info(dtype);
  const auto block_elements = static_cast<std::uint64_t>(info.block_elements);
  const auto block_bytes = static_cast<std::uint64_t>(info.block_bytes);
  const std::uint64_t elements = num_elements(shape);
  return elements == kTooLarge ? kTooLarge : saturating_mul(elements / block_elements, block_bytes);
}

// Quantisers keep a finer type for rows that the wanted type's blocks do not divide.
DType dtype_for_rows(DType wanted, std::int64_t row_elements) {
  if (row_elements % kernels::dtype_info(wanted).block_elements == 0) return wanted;
  return row_elements % kernels::dtype_info(DType::kQ8_0).block_elements == 0 ? DType::kQ8_0 : DType::kF16;
}

// `spec` stored as `dtype`; small vectors become F32 when they are loaded.
Weight describe_weight(const WeightSpec& spec, DType dtype, const ModelConfig& config) {
  Weight weight;
  weight.name = spec.name;
  weight.shape = spec.shape;
  weight.split = static_cast<std::int32_t>(spec.split);
  weight.dtype = spec.is_matrix ? dtype : DType::kF32;
  weight.bytes = matrix_bytes(weight.dtype, spec.shape);
  // One row of the embedding is read per token: nothing, unless the whole table is read as the head.
  weight.read_per_token = spec.name != "token_embd.weight" || config.tied_embeddings;
  if (spec.split == Split::kExperts && config.moe.is_moe()) {
    weight.read_fraction = static_cast<double>(config.moe.num_experts_used) / config.moe.num_experts;
  }
  return weight;
}

Result<void> check_assumed_dtype(DType dtype) {
  if (kernels::is_matrix_dtype(dtype) || dtype == DType::kF8E4M3 || dtype == DType::kF8E5M2) return {};
  return Error{ErrorCode::kInvalidArgument,
               "weights are not stored as " + std::string(kernels::dtype_info(dtype).name) + "; try BF16, Q8_0 or Q4_K"};
}

bool is_config_json(const std::filesystem::path& path) {
  std::error_code ignored;
  return path.extension() == ".json" && !path.filename().string().ends_with(".index.json") &&
         !std::filesystem::is_directory(path, ignored);
}

// The folder's name is what people call the model.
std::string name_from_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  const bool use_folder = path.filename() == "config.json" && absolute.parent_path().has_filename();
  return use_folder ? absolute.parent_path().filename().string() : path.stem().string();
}

std::string name_of(const ModelFile& file, const ModelConfig& config) {
  if (!config.name.empty()) return config.name;
  std::filesystem::path path = file.path();
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  return file.format() == ModelFormat::kGguf ? path.stem().string() : path.filename().string();
}

}  // namespace

std::uint64_t ModelDescription::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (const Weight& weight : weights) bytes = saturating_add(bytes, weight.bytes);
  return bytes;
}

std::uint64_t ModelDescription::num_parameters() const {
  std::uint64_t count = 0;
  for (const Weight& weight : weights) count = saturating_add(count, num_elements(weight.shape));
  return count;
}

Result<ModelDescription> describe_model(const ModelFile& file) {
  const Architecture* architecture = TANDEM_TRY(find_architecture(file));
  ModelDescription model;
  model.config = TANDEM_TRY(read_model_config(file));
  model.architecture = std::string(architecture->display_name);
  model.name = name_of(file, model.config);
  for (const ResolvedWeight& weight : TANDEM_TRY(resolve_weights(file, architecture->weights(model.config)))) {
    if (weight.is_present()) model.weights.push_back(describe_weight(weight.spec, weight.dtype, model.config));
  }
  return model;
}

Result<ModelDescription> describe_model(const nlohmann::ordered_json& hf_config, std::string name, DType assumed_dtype) {
  TANDEM_TRY(check_assumed_dtype(assumed_dtype));
  const Architecture* architecture = TANDEM_TRY(find_architecture(hf_config));
  ModelDescription model;
  model.config = TANDEM_TRY(read_model_config(hf_config));
  model.architecture = std::string(architecture->display_name);
  model.name = std::move(name);
  for (const WeightSpec& spec : architecture->weights(model.config)) {
    if (spec.optional) continue;
    model.weights.push_back(describe_weight(spec, dtype_for_rows(assumed_dtype, spec.shape.back()), model.config));
  }
  return model;
}

Result<ModelDescription> describe_model(const std::filesystem::path& path, DType assumed_dtype) {
  if (!is_config_json(path)) return describe_model(*TANDEM_TRY(ModelFile::open(path)));
  const FileReader reader = TANDEM_TRY(FileReader::open(path));
  const std::string text = TANDEM_TRY(reader.read_all(kMaxConfigBytes));
  auto model = describe_model(TANDEM_TRY(parse_json(text, path.string())), name_from_path(path), assumed_dtype);
  if (!model) return Error{model.error().code, path.string() + ": " + model.error().detail};
  return model;
}

}  // namespace tandem::engine
