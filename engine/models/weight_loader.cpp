#include "engine/models/weight_loader.h"

#include <cstring>

#include "engine/model_file/model_file.h"
#include "kernels/float16.h"

namespace tandem::engine {
namespace {

using kernels::DType;

std::vector<float> to_floats(DType dtype, const std::vector<std::byte>& bytes) {
  if (dtype == DType::kF32) {
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> values(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    values[i] = dtype == DType::kF16 ? kernels::f16_to_f32(bits) : kernels::bf16_to_f32(bits);
  }
  return values;
}

}  // namespace

WeightLoader::WeightLoader(std::shared_ptr<const ModelFile> file, std::vector<ResolvedWeight> weights,
                           kernels::Backend& backend, std::function<bool(std::uint64_t)> progress)
    : file_(std::move(file)), weights_(std::move(weights)), backend_(backend), progress_(std::move(progress)) {
  for (std::size_t i = 0; i < weights_.size(); ++i) index_.emplace(weights_[i].spec.name, i);
}

const ResolvedWeight& WeightLoader::find(const std::string& name) const {
  const auto found = index_.find(name);
  CHECK(found != index_.end(), name + " is not among the architecture's weights");
  return weights_[found->second];
}

bool WeightLoader::add_progress(std::uint64_t bytes) {
  bytes_read_ += bytes;
  return !progress_ || progress_(bytes_read_);
}

Result<std::shared_ptr<const kernels::Matrix>> WeightLoader::matrix(const std::string& name) {
  const ResolvedWeight& weight = find(name);
  const auto& shape = weight.spec.shape;
  const std::size_t rank = shape.size();
  CHECK(weight.spec.is_matrix && rank >= 2 && weight.is_present(), name + " is not a matrix");
  kernels::MatrixSpec spec;
  spec.dtype = weight.dtype;
  spec.num_cols = shape[rank - 1];
  spec.num_rows = shape[rank - 2];
  spec.num_matrices = rank == 3 ? shape[0] : 1;
  spec.name = name;
  const auto source = weight_source(file_, weight);
  auto matrix = TANDEM_TRY(backend_.load_matrix(spec, *source, [this](std::uint64_t bytes) { return add_progress(bytes); }));
  device_bytes_ += matrix->bytes();
  return std::shared_ptr<const kernels::Matrix>(std::move(matrix));
}

Result<Linear> WeightLoader::linear(const std::string& name) {
  return Linear(TANDEM_TRY(matrix(name)));
}

Result<Embedding> WeightLoader::embedding(const std::string& name) {
  return Embedding(TANDEM_TRY(matrix(name)));
}

Result<std::vector<float>> WeightLoader::vector(const std::string& name) {
  const ResolvedWeight& weight = find(name);
  CHECK(!weight.spec.is_matrix, name + " is not a vector");
  if (!weight.is_present()) return std::vector<float>{};
  std::vector<std::byte> bytes(weight.bytes);
  TANDEM_TRY(weight_source(file_, weight)->read(0, bytes));
  if (!add_progress(weight.bytes)) return Error{ErrorCode::kCancelled, "loading was cancelled"};
  auto values = to_floats(weight.dtype, bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return Error{ErrorCode::kCorrupt,
                   "tensor " + weight.pieces[0].tensor->name + ": element " + std::to_string(i) + " is not a finite number"};
    }
  }
  return values;
}

Result<Norm> WeightLoader::norm(const std::string& name, double eps) {
  const std::vector<float> values = TANDEM_TRY(vector(name));
  std::shared_ptr<kernels::Buffer> buffer = TANDEM_TRY(backend_.allocate(values.size() * sizeof(float), name));
  const kernels::Tensor weight{buffer->data(), DType::kF32, {static_cast<std::int64_t>(values.size()), 1, 1}};
  TANDEM_TRY(backend_.upload(std::as_bytes(std::span(values)), weight));
  device_bytes_ += buffer->bytes();
  return Norm(std::move(buffer), weight, static_cast<float>(eps));
}

}  // namespace tandem::engine
