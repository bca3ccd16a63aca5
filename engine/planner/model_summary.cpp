#include "engine/planner/model_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engine/model_file/model_file.h"
#include "engine/model_file/quoted_name.h"
#include "engine/models/architecture.h"
#include "engine/planner/planner.h"

namespace tandem::engine {
namespace {

using kernels::DType;

// GGUF's general.file_type (llama.cpp's numbering): the mix by name, and the type most of its matrices have.
struct FileType {
  std::uint64_t id;
  std::string_view name;
  DType main_type;
};
constexpr std::array kFileTypes{
    FileType{0, "F32", DType::kF32},      FileType{1, "F16", DType::kF16},        FileType{2, "Q4_0", DType::kQ4_0},
    FileType{3, "Q4_1", DType::kQ4_1},    FileType{7, "Q8_0", DType::kQ8_0},      FileType{8, "Q5_0", DType::kQ5_0},
    FileType{9, "Q5_1", DType::kQ5_1},    FileType{10, "Q2_K", DType::kQ2_K},     FileType{11, "Q3_K_S", DType::kQ3_K},
    FileType{12, "Q3_K_M", DType::kQ3_K}, FileType{13, "Q3_K_L", DType::kQ3_K},   FileType{14, "Q4_K_S", DType::kQ4_K},
    FileType{15, "Q4_K_M", DType::kQ4_K}, FileType{16, "Q5_K_S", DType::kQ5_K},   FileType{17, "Q5_K_M", DType::kQ5_K},
    FileType{18, "Q6_K", DType::kQ6_K},   FileType{25, "IQ4_NL", DType::kIQ4_NL}, FileType{30, "IQ4_XS", DType::kIQ4_XS},
    FileType{32, "BF16", DType::kBF16},
};

struct DominantType {
  DType dtype = DType::kF32;
  bool is_majority = false;  // more than half of the bytes
};

DominantType dominant_type(const ModelFile& file) {
  std::map<DType, std::uint64_t> bytes_by_type;
  std::uint64_t total = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    bytes_by_type[tensor.dtype] += tensor.bytes;
    total += tensor.bytes;
  }
  if (bytes_by_type.empty()) return {};
  const auto most = std::max_element(bytes_by_type.begin(), bytes_by_type.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, most->second > total / 2};
}

std::uint64_t count_elements(const ModelFile& file) {
  std::uint64_t count = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
    count += elements;
  }
  return count;
}

// What the file calls its architecture, for one that this version does not know.
std::string raw_architecture(const ModelFile& file) {
  if (file.format() == ModelFormat::kGguf) return file.gguf().get_string("general.architecture").value_or("");
  const auto& config = file.config();
  const auto names = config.is_object() ? config.find("architectures") : config.end();
  const bool has_name =
      config.is_object() && names != config.end() && names->is_array() && !names->empty() && names->front().is_string();
  return has_name ? names->front().get<std::string>() : std::string();
}

std::string name_from_path(std::filesystem::path path) {
  if (!path.has_filename()) path = path.parent_path();
  const bool is_file = path.extension() == ".gguf" || path.extension() == ".safetensors";
  std::string name = is_file ? path.stem().string() : path.filename().string();
  // "model-00001-of-00003" is one model, "model".
  constexpr std::string_view kFirstPart = "-00001-of-";
  const std::size_t at = name.rfind(kFirstPart);
  if (is_file && at != std::string::npos && at + kFirstPart.size() + 5 == name.size()) name.resize(at);
  return name;
}

}  // namespace

std::string quantization_label(const ModelFile& file) {
  const DominantType dominant = dominant_type(file);
  const std::string type_name(kernels::dtype_info(dominant.dtype).name);
  if (file.format() == ModelFormat::kGguf) {
    // Informative only: some tools leave a wrong number behind, so the tensors have the last word.
    const auto id = file.gguf().get_uint("general.file_type");
    for (const FileType& type : kFileTypes) {
      if (id && type.id == *id && type.main_type == dominant.dtype) return std::string(type.name);
    }
  }
  return dominant.is_majority ? type_name : type_name + " mix";
}

ModelSummary summarize_model(const std::filesystem::path& path) {
  ModelSummary summary;
  summary.path = path;
  summary.name = name_from_path(path);
  const auto file = ModelFile::open(path);
  if (!file) {
    summary.error = file.error();
    return summary;
  }
  summary.bytes = (*file)->file_bytes();
  summary.num_parameters = count_elements(**file);
  summary.quantization = quantization_label(**file);
  summary.architecture = raw_architecture(**file);
  if (const auto name = (*file)->gguf().get_string("general.name"); name && !name->empty()) summary.name = *name;
  const auto model = describe_model(**file);
  if (!model) {
    summary.error = model.error();
    return summary;
  }
  summary.architecture = model->architecture;
  summary.num_parameters = model->num_parameters();
  summary.max_context = model->config.max_context;
  return summary;
}

}  // namespace tandem::engine
