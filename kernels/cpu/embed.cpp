// embed: out[r, :] = table[ids[r], :], dequantised exactly. table [num_rows, num_cols] in its file format, out [n, num_cols]
// F32. Bound by memory, and small beside everything else.
#include "kernels/cpu/cpu_backend.h"
#include "kernels/quantization.h"

namespace tandem::kernels::cpu {

void CpuBackend::embed(const Matrix& table, std::span<const std::int32_t> ids, Tensor out) {
  const CpuMatrix& matrix = cpu_matrix(table);
  const MatrixSpec& spec = matrix.spec();
  CHECK(spec.num_matrices == 1, "embed takes one matrix, not a stack");
  CHECK(out.dtype == DType::kF32 && out.row_size() == spec.num_cols, "output rows do not match the table");
  CHECK(out.num_rows() == static_cast<std::int64_t>(ids.size()), "one output row per id");
  for (const std::int32_t id : ids) CHECK(id >= 0 && id < spec.num_rows, "token id outside the embedding table");
  for_rows(out.num_rows(), spec.num_cols, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::byte* row = matrix.row(0, ids[static_cast<std::size_t>(r)]);
      dequantize_row(spec.dtype, std::span(row, static_cast<std::size_t>(matrix.row_bytes())),
                     std::span(out.as<float>() + r * spec.num_cols, static_cast<std::size_t>(spec.num_cols)));
    }
  });
}

}  // namespace tandem::kernels::cpu
