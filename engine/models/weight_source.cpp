#include "engine/models/weight_source.h"

#include <algorithm>
#include <unordered_set>

#include "engine/model_file/model_file.h"

namespace tandem::engine {
namespace {

using kernels::DType;

std::string dtype_text(DType dtype) {
  return std::string(kernels::dtype_info(dtype).name);
}

bool is_vector_dtype(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

Result<void> check_tensor(const TensorInfo& tensor, const std::vector<std::int64_t>& shape, bool is_matrix) {
  if (tensor.shape != shape) {
    return Error{ErrorCode::kCorrupt,
                 "tensor " + tensor.name + ": expected shape " + shape_text(shape) + ", found " + shape_text(tensor.shape)};
  }
  if (is_matrix ? !kernels::is_matrix_dtype(tensor.dtype) : !is_vector_dtype(tensor.dtype)) {
    return Error{ErrorCode::kUnsupported,
                 "tensor " + tensor.name + ": type " + dtype_text(tensor.dtype) +
                     (is_matrix ? " is not one this version can compute with" : "; expected F32, F16 or BF16")};
  }
  return {};
}

std::string expert_name(const std::string& pattern, std::int64_t expert) {
  std::string name = pattern;
  const auto at = name.find("{e}");
  if (at != std::string::npos) name.replace(at, 3, std::to_string(expert));
  return name;
}

class Resolver {
 public:
  explicit Resolver(const ModelFile& file) : file_(file) {}

  Result<ResolvedWeight> resolve(const WeightSpec& spec) {
    ResolvedWeight weight;
    weight.spec = spec;
    const bool is_gguf = file_.format() == ModelFormat::kGguf;
    const std::string& name = is_gguf ? spec.name : spec.hf_name;
    if (!is_gguf && spec.shape.size() == 3) {
      TANDEM_TRY(resolve_stack(weight));
    } else if (const TensorInfo* tensor = name.empty() ? nullptr : file_.find(name)) {
      TANDEM_TRY(check_tensor(*tensor, spec.shape, spec.is_matrix));
      weight.dtype = tensor->dtype;
      weight.pieces.push_back({tensor, 0, tensor->bytes});
      used_.insert(tensor->name);
    } else if (!spec.optional) {
      return missing(name, spec.shape);
    }
    for (const WeightPiece& piece : weight.pieces) weight.bytes += piece.bytes;
    return weight;
  }

  // What a file may hold besides the model's weights: tables that are recomputed, and layers after the last block that only
  // serve drafting.
  bool is_ignorable(const std::string& name) const {
    return name.find("rotary_emb.inv_freq") != std::string::npos || name.find("attn_rot_embd") != std::string::npos;
  }

  Result<void> check_nothing_left_out(std::int32_t num_layers) const {
    for (const TensorInfo& tensor : file_.tensors()) {
      if (used_.contains(tensor.name) || is_ignorable(tensor.name)) continue;
      for (const std::string_view prefix : {std::string_view("blk."), std::string_view("model.layers.")}) {
        if (tensor.name.rfind(prefix, 0) != 0) continue;
        const std::string digits = tensor.name.substr(prefix.size(), tensor.name.find('.', prefix.size()) - prefix.size());
        if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos) continue;
        if (std::stoi(digits) < num_layers) {
          return Error{ErrorCode::kUnsupported, "tensor " + tensor.name + " " + shape_text(tensor.shape) +
                                                    ": this version's model code has no use for it, so the results would be "
                                                    "wrong without it"};
        }
      }
    }
    return {};
  }

 private:
  Error missing(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return Error{ErrorCode::kCorrupt, file_.path().string() + ": tensor " + name + " " + shape_text(shape) + " is missing"};
  }

  // Experts in safetensors: one tensor for all of them, or one for each.
  Result<void> resolve_stack(ResolvedWeight& weight) {
    const WeightSpec& spec = weight.spec;
    const std::int64_t num_experts = spec.shape[0], num_rows = spec.shape[1], num_cols = spec.shape[2];
    if (const TensorInfo* fused = spec.hf_fused_name.empty() ? nullptr : file_.find(spec.hf_fused_name)) {
      TANDEM_TRY(check_tensor(*fused, {num_experts, num_rows * spec.hf_fused_parts, num_cols}, spec.is_matrix));
      weight.dtype = fused->dtype;
      const auto part_bytes = static_cast<std::uint64_t>(kernels::row_bytes(fused->dtype, num_cols) * num_rows);
      for (std::int64_t expert = 0; expert < num_experts; ++expert) {
        const auto part = static_cast<std::uint64_t>(expert * spec.hf_fused_parts + spec.hf_fused_part);
        weight.pieces.push_back({fused, part * part_bytes, part_bytes});
      }
      used_.insert(fused->name);
      return {};
    }
    for (std::int64_t expert = 0; expert < num_experts; ++expert) {
      const std::string name = expert_name(spec.hf_name, expert);
      const TensorInfo* tensor = file_.find(name);
      if (tensor == nullptr) return missing(name, {num_rows, num_cols});
      TANDEM_TRY(check_tensor(*tensor, {num_rows, num_cols}, spec.is_matrix));
      if (expert > 0 && tensor->dtype != weight.dtype) {
        return Error{ErrorCode::kUnsupported, "tensor " + name + ": type " + dtype_text(tensor->dtype) +
                                                  " differs from the other experts' " + dtype_text(weight.dtype)};
      }
      weight.dtype = tensor->dtype;
      weight.pieces.push_back({tensor, 0, tensor->bytes});
      used_.insert(name);
    }
    return {};
  }

  const ModelFile& file_;
  std::unordered_set<std::string> used_;
};

// The number of blocks the specs speak of: one more than the largest N in "blk.N.".
std::int32_t num_blocks(const std::vector<WeightSpec>& specs) {
  std::int32_t count = 0;
  for (const WeightSpec& spec : specs) {
    if (spec.name.rfind("blk.", 0) == 0) count = std::max(count, std::stoi(spec.name.substr(4)) + 1);
  }
  return count;
}

class PiecesSource final : public kernels::ByteSource {
 public:
  PiecesSource(std::shared_ptr<const ModelFile> file, std::vector<WeightPiece> pieces)
      : file_(std::move(file)), pieces_(std::move(pieces)) {
    for (const WeightPiece& piece : pieces_) {
      starts_.push_back(bytes_);
      bytes_ += piece.bytes;
    }
  }

  std::uint64_t bytes() const override { return bytes_; }

  Result<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    CHECK(offset <= bytes_ && out.size() <= bytes_ - offset, "read past the end of a weight");
    auto index = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
    while (!out.empty()) {
      const WeightPiece& piece = pieces_[index - 1];
      const std::uint64_t in_piece = offset - starts_[index - 1];
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), piece.bytes - in_piece));
      TANDEM_TRY(file_->read(*piece.tensor, piece.offset + in_piece, out.first(count)));
      out = out.subspan(count);
      offset += count;
      ++index;
    }
    return {};
  }

 private:
  std::shared_ptr<const ModelFile> file_;
  std::vector<WeightPiece> pieces_;
  std::vector<std::uint64_t> starts_;  // of each piece, in the weight
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint64_t ResolvedWeight::num_elements() const {
  std::uint64_t count = 1;
  for (const std::int64_t size : spec.shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

Result<std::vector<ResolvedWeight>> resolve_weights(const ModelFile& file, const std::vector<WeightSpec>& specs) {
  Resolver resolver(file);
  std::vector<ResolvedWeight> weights;
  weights.reserve(specs.size());
  for (const WeightSpec& spec : specs) weights.push_back(TANDEM_TRY(resolver.resolve(spec)));
  TANDEM_TRY(resolver.check_nothing_left_out(num_blocks(specs)));
  return weights;
}

std::unique_ptr<kernels::ByteSource> weight_source(std::shared_ptr<const ModelFile> file, const ResolvedWeight& weight) {
  return std::make_unique<PiecesSource>(std::move(file), weight.pieces);
}

}  // namespace tandem::engine
