// Linear, Embedding, Norm: weights that know their own format, so that model code reads like the paper.
#pragma once

#include <memory>
#include <span>

#include "kernels/backend.h"

namespace tandem::engine {

class Linear {
 public:
  Linear() = default;
  explicit Linear(std::shared_ptr<const kernels::Matrix> weight) : weight_(std::move(weight)) {}
  // out = x · wᵀ, or += it. x [n, in], out [n, out].
  void operator()(kernels::Backend& backend, kernels::Tensor x, kernels::Tensor out,
                  kernels::Accumulate accumulate = kernels::Accumulate::kNo) const {
    backend.linear(*weight_, x, out, accumulate);
  }
  const kernels::Matrix& matrix() const { return *weight_; }

 private:
  std::shared_ptr<const kernels::Matrix> weight_;
};

class Embedding {
 public:
  Embedding() = default;
  explicit Embedding(std::shared_ptr<const kernels::Matrix> table) : table_(std::move(table)) {}
  // out [n, hidden] = rows `ids` of the table.
  void operator()(kernels::Backend& backend, std::span<const std::int32_t> ids, kernels::Tensor out) const {
    backend.embed(*table_, ids, out);
  }
  // The output head of a model with tied embeddings: the same weights, held once.
  Linear as_head() const { return Linear(table_); }

 private:
  std::shared_ptr<const kernels::Matrix> table_;
};

class Norm {
 public:
  Norm() = default;
  Norm(std::shared_ptr<const kernels::Buffer> buffer, kernels::Tensor weight, float eps)
      : buffer_(std::move(buffer)), weight_(weight), eps_(eps) {}
  // RMSNorm over the last dimension; x may be out.
  void operator()(kernels::Backend& backend, kernels::Tensor x, kernels::Tensor out) const {
    backend.rms_norm(x, weight_, eps_, out);
  }

 private:
  std::shared_ptr<const kernels::Buffer> buffer_;  // owns weight_
  kernels::Tensor weight_;
  float eps_ = 0.0F;
};

}  // namespace tandem::engine
