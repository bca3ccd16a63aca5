// rms_norm: out = x · rsqrt(mean(x²) + eps) · weight over the last dimension (Zhang & Sennrich 2019, arXiv 1910.07467).
//
//   x, out [n, size] or [n, num_heads, head_dim] F32, weight [size or head_dim] F32
//
// Squares are summed in float over 256 values at most and in double beyond. Bound by the cache. Tolerance: 1e-6 relative.
#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::rms_norm(Tensor x, Tensor weight, float eps, Tensor out) {
  CHECK(x.dtype == DType::kF32 && out.dtype == DType::kF32 && weight.dtype == DType::kF32, "activations and norms are F32");
  CHECK(x.shape == out.shape, "input and output shapes differ");
  const std::int64_t size = weight.num_elements();
  CHECK(size > 0 && (x.shape[2] == size || (x.shape[2] == 1 && x.shape[1] == size)),
        "the norm's weight does not match the last dimension");
  for_rows(x.num_elements() / size, size, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      kernels_.rms_norm_row(x.as<float>() + r * size, weight.as<float>(), size, eps, out.as<float>() + r * size);
    }
  });
}

}  // namespace tandem::kernels::cpu
