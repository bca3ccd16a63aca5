// linear: out[i, r] = x[i, :] · w[r, :], for every weight format.
//
//   w [num_rows, num_cols] in its file format, x [n, num_cols] F32, out [n, num_rows] F32
//
// Activations become panels of up to 8 rows (panel.h): floats for float weights, int8 for quantised ones. Threads take chunks
// of weight rows and multiply each with every panel, so that a chunk comes from memory once, whatever n is. Bound by memory for
// n = 1 (expected: 80 % and more of the read bandwidth), by arithmetic from n = 8 on. Tolerance against double precision over
// dequantised weights: 1e-5 of |x|·|w| for float weights, normalised mean squared error of 5e-4 for quantised ones, which is
// the rounding of activations to 8 bits.
#include <algorithm>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {
namespace {

// Weights that a thread takes at a time: a chunk stays in the second-level cache while the panels pass by.
constexpr std::int64_t kChunkBytes = 64 * 1024;

}  // namespace

bool CpuBackend::fill_panels() {
  const MatrixSpec& spec = jobs_.front().matrix->spec();
  const PanelKind kind = panel_kind(spec.dtype);
  std::int64_t bytes = 0;
  for (const PanelJob& job : jobs_) bytes += panel_layout(kind, spec.num_cols, job.width).bytes;
  std::byte* panels = workspace(static_cast<std::size_t>(bytes));
  if (panels == nullptr) return false;
  std::int64_t row = 0;
  for (PanelJob& job : jobs_) {
    job.panel = panels;
    job.first_row = row;
    panels += panel_layout(kind, spec.num_cols, job.width).bytes;
    row += job.width;
  }
  for_rows(static_cast<std::int64_t>(jobs_.size()), kMaxPanelRows * spec.num_cols,
           [&](std::int64_t begin, std::int64_t end, std::int32_t) {
             for (std::int64_t j = begin; j < end; ++j) {
               const PanelJob& job = jobs_[static_cast<std::size_t>(j)];
               kernels_.fill_panel(kind, rows_.data() + job.first_row, job.width, spec.num_cols, job.panel);
             }
           });
  return true;
}

void CpuBackend::multiply(bool accumulate) {
  groups_.clear();
  std::int64_t num_chunks = 0;
  for (std::size_t first = 0; first < jobs_.size();) {
    JobGroup group;
    group.first_job = first;
    const CpuMatrix& matrix = *jobs_[first].matrix;
    while (first < jobs_.size() && jobs_[first].matrix_idx == jobs_[group.first_job].matrix_idx) ++first;
    group.last_job = first;
    // A multiple of 4 rows, the largest tile, and at least four chunks per thread against uneven cores.
    const std::int64_t num_rows = matrix.spec().num_rows;
    const std::int64_t by_bytes = kChunkBytes / matrix.row_bytes();
    const std::int64_t by_threads = num_rows / (4 * pool_->num_threads());
    group.chunk_rows = std::max<std::int64_t>(1, std::min(by_bytes, by_threads) / 4) * 4;
    group.first_chunk = num_chunks;
    num_chunks += (num_rows + group.chunk_rows - 1) / group.chunk_rows;
    groups_.push_back(group);
  }
  pool_->parallel_for(num_chunks, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const JobGroup& group = *(std::ranges::upper_bound(groups_, chunk, {}, &JobGroup::first_chunk) - 1);
      for (std::size_t j = group.first_job; j < group.last_job; ++j) {
        const PanelJob& job = jobs_[j];
        const MatrixSpec& spec = job.matrix->spec();
        const std::int64_t row = (chunk - group.first_chunk) * group.chunk_rows;
        float* out[kMaxPanelRows];
        for (int i = 0; i < job.width; ++i) out[i] = job.out[i] + row;
        PanelProduct product;
        product.weights = job.matrix->row(job.matrix_idx, row);
        product.row_bytes = job.matrix->row_bytes();
        product.num_rows = std::min(group.chunk_rows, spec.num_rows - row);
        product.num_cols = spec.num_cols;
        product.panel = job.panel;
        product.width = job.width;
        product.out = out;
        product.accumulate = accumulate;
        kernels_.multiply(spec.dtype, product);
      }
    }
  });
}

void CpuBackend::linear(const Matrix& w, Tensor x, Tensor out, Accumulate accumulate) {
  const CpuMatrix& matrix = cpu_matrix(w);
  const MatrixSpec& spec = matrix.spec();
  CHECK(spec.num_matrices == 1, "linear takes one matrix, not a stack");
  CHECK(x.dtype == DType::kF32 && out.dtype == DType::kF32, "activations are F32");
  CHECK(x.row_size() == spec.num_cols && out.row_size() == spec.num_rows && x.num_rows() == out.num_rows(),
        "shapes of " + spec.name + ", input and output do not match");
  const std::int64_t n = x.num_rows();
  if (n == 0) return;
  rows_.clear();
  for (std::int64_t i = 0; i < n; ++i) rows_.push_back(x.as<float>() + i * spec.num_cols);
  jobs_.clear();
  for (std::int64_t row = 0; row < n; row += jobs_.back().width) {
    PanelJob job;
    job.matrix = &matrix;
    job.width = next_panel_width(n - row);
    for (int i = 0; i < job.width; ++i) job.out[i] = out.as<float>() + (row + i) * spec.num_rows;
    jobs_.push_back(job);
  }
  if (fill_panels()) multiply(accumulate == Accumulate::kYes);
}

}  // namespace tandem::kernels::cpu
