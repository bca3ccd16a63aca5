// gather_rows: out[i, :] = x[rows[i], :], F32. Bound by memory.
#include <cstring>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::gather_rows(Tensor x, std::span<const std::int32_t> rows, Tensor out) {
  CHECK(x.dtype == out.dtype && x.row_size() == out.row_size(), "rows of input and output differ");
  CHECK(out.num_rows() == static_cast<std::int64_t>(rows.size()), "one output row per index");
  const std::size_t bytes = static_cast<std::size_t>(row_bytes(x.dtype, x.row_size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i] >= 0 && rows[i] < x.num_rows(), "row outside the input");
    std::memcpy(out.as<std::byte>() + i * bytes, x.as<std::byte>() + static_cast<std::size_t>(rows[i]) * bytes, bytes);
  }
}

}  // namespace tandem::kernels::cpu
