// silu_mul: out = gate / (1 + e^−gate) · up, all [n, size] F32. Bound by the cache. Tolerance: 4e-7 relative (three float
// roundings and an exponential within 2 ulp).
#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::silu_mul(Tensor gate, Tensor up, Tensor out) {
  CHECK(gate.dtype == DType::kF32 && up.dtype == DType::kF32 && out.dtype == DType::kF32, "activations are F32");
  CHECK(gate.shape == up.shape && gate.shape == out.shape, "shapes of gate, up and output differ");
  const std::int64_t size = gate.row_size();
  // By rows: cutting inside a row would be right as well, but then the tail of a row would move with the cut.
  for_rows(gate.num_rows(), 4 * size, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      kernels_.silu_mul(gate.as<float>() + r * size, up.as<float>() + r * size, size, out.as<float>() + r * size);
    }
  });
}

}  // namespace tandem::kernels::cpu
