// route_softmax: the experts of each row and their weights.
//
//   p = softmax(logits[r, :]); the num_used largest p (ties: lower index), divided by their sum when `renormalise`
//   logits [n, num_experts] F32, expert_ids [n, num_used] I32, weights [n, num_used] F32
//
// In double throughout: a few hundred numbers per row. Tolerance: 1e-6 relative. NaN logits count as the smallest.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::route_softmax(Tensor logits, std::int32_t num_used, bool renormalise, Tensor expert_ids, Tensor weights) {
  const std::int64_t n = logits.num_rows(), num_experts = logits.row_size();
  CHECK(logits.dtype == DType::kF32 && expert_ids.dtype == DType::kI32 && weights.dtype == DType::kF32, "dtypes of the router");
  CHECK(num_used >= 1 && num_used <= num_experts, "more experts used than there are");
  CHECK(expert_ids.num_rows() == n && expert_ids.row_size() == num_used && weights.num_rows() == n &&
            weights.row_size() == num_used,
        "ids and weights are [n, num_used]");
  for_rows(n, num_experts * num_used, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      const float* row = logits.as<float>() + r * num_experts;
      std::int32_t* ids = expert_ids.as<std::int32_t>() + r * num_used;
      float* out = weights.as<float>() + r * num_used;
      // num_used is small: look for the largest that is not taken yet, as often as needed.
      for (std::int32_t j = 0; j < num_used; ++j) {
        std::int32_t best = -1;
        for (std::int32_t e = 0; e < num_experts; ++e) {
          if (std::find(ids, ids + j, e) != ids + j) continue;
          if (best < 0 || row[e] > row[best] || (std::isnan(row[best]) && !std::isnan(row[e]))) best = e;
        }
        ids[j] = best;
      }
      const double max = row[ids[0]];
      double sum = 0;
      if (renormalise) {
        for (std::int32_t j = 0; j < num_used; ++j) sum += std::exp(row[ids[j]] - max);
      } else {
        for (std::int64_t e = 0; e < num_experts; ++e) sum += std::exp(row[e] - max);
      }
      for (std::int32_t j = 0; j < num_used; ++j) out[j] = static_cast<float>(std::exp(row[ids[j]] - max) / sum);
    }
  });
}

}  // namespace tandem::kernels::cpu
