// moe_mlp: mixture of experts with gated SiLU.
//
//   out[r] += Σ_j weights[r, j] · down_e · (silu(gate_e · x[r]) · (up_e · x[r])),  e = expert_ids[r, j]
//   gate, up [num_experts, intermediate, hidden], down [num_experts, hidden, intermediate], x, out [n, hidden] F32
//
// Rows are grouped by expert, so that an expert's weights are read once for all of its rows; each (row, j) has its own place
// in scratch, and the sum over j is taken in order of j, so the result does not depend on the grouping. Bound by memory for
// few rows. Tolerance: as linear, twice.
#include <algorithm>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

std::int64_t CpuBackend::moe_scratch_elements(const Matrix& gate, std::int64_t num_rows, std::int32_t num_used) const {
  const MatrixSpec& spec = gate.spec();
  return num_rows * num_used * (2 * spec.num_rows + spec.num_cols);
}

void CpuBackend::moe_mlp(const Matrix& gate, const Matrix& up, const Matrix& down, Tensor x, Tensor expert_ids, Tensor weights,
                         Tensor scratch, Tensor out) {
  const MatrixSpec& spec = gate.spec();
  const std::int64_t hidden = spec.num_cols, intermediate = spec.num_rows, num_experts = spec.num_matrices;
  const std::int64_t n = x.num_rows(), num_used = expert_ids.row_size();
  const std::int64_t num_pairs = n * num_used;
  CHECK(up.spec().num_cols == hidden && up.spec().num_rows == intermediate && up.spec().num_matrices == num_experts &&
            down.spec().num_cols == intermediate && down.spec().num_rows == hidden && down.spec().num_matrices == num_experts,
        "shapes of gate, up and down do not match");
  CHECK(x.dtype == DType::kF32 && out.dtype == DType::kF32 && scratch.dtype == DType::kF32, "activations are F32");
  CHECK(x.row_size() == hidden && out.shape == x.shape, "input or output does not match the experts");
  CHECK(expert_ids.dtype == DType::kI32 && weights.dtype == DType::kF32 && expert_ids.num_rows() == n &&
            weights.num_rows() == n && weights.row_size() == num_used,
        "ids and weights are [n, num_used]");
  CHECK(scratch.num_elements() >= moe_scratch_elements(gate, n, static_cast<std::int32_t>(num_used)), "scratch is too small");
  if (num_pairs == 0) return;
  const std::int32_t* ids = expert_ids.as<std::int32_t>();
  for (std::int64_t pair = 0; pair < num_pairs; ++pair) {
    CHECK(ids[pair] >= 0 && ids[pair] < num_experts, "expert outside the stack");
  }

  float* gate_out = scratch.as<float>();
  float* up_out = gate_out + num_pairs * intermediate;
  float* down_out = up_out + num_pairs * intermediate;
  pairs_.resize(static_cast<std::size_t>(num_pairs));
  for (std::int64_t pair = 0; pair < num_pairs; ++pair) pairs_[static_cast<std::size_t>(pair)] = pair;
  std::ranges::stable_sort(pairs_, {}, [&](std::int64_t pair) { return ids[pair]; });

  // Multiplies the input of every pair, in order of experts, with that expert's part of `matrix`.
  const auto multiply_pairs = [&](const CpuMatrix& matrix, const float* input, bool input_per_pair, float* result) {
    rows_.clear();
    jobs_.clear();
    for (std::size_t first = 0; first < pairs_.size();) {
      std::size_t last = first;
      while (last < pairs_.size() && ids[pairs_[last]] == ids[pairs_[first]]) ++last;
      while (first < last) {
        PanelJob job;
        job.matrix = &matrix;
        job.matrix_idx = ids[pairs_[first]];
        job.width = next_panel_width(static_cast<std::int64_t>(last - first));
        for (int i = 0; i < job.width; ++i, ++first) {
          const std::int64_t row = input_per_pair ? pairs_[first] : pairs_[first] / num_used;
          rows_.push_back(input + row * matrix.spec().num_cols);
          job.out[i] = result + pairs_[first] * matrix.spec().num_rows;
        }
        jobs_.push_back(job);
      }
    }
    if (fill_panels()) multiply(false);
  };
  multiply_pairs(cpu_matrix(gate), x.as<float>(), false, gate_out);
  multiply_pairs(cpu_matrix(up), x.as<float>(), false, up_out);
  for_rows(num_pairs, 4 * intermediate, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t p = begin; p < end; ++p) {
      kernels_.silu_mul(gate_out + p * intermediate, up_out + p * intermediate, intermediate, gate_out + p * intermediate);
    }
  });
  multiply_pairs(cpu_matrix(down), gate_out, true, down_out);
  if (fault_) return;
  for_rows(n, num_used * hidden, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t j = 0; j < num_used; ++j) {
        kernels_.add_scaled(down_out + (r * num_used + j) * hidden, weights.as<float>()[r * num_used + j], hidden,
                            out.as<float>() + r * hidden);
      }
    }
  });
}

}  // namespace tandem::kernels::cpu
