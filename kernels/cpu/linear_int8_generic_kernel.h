// Matrix product with quantised weights, in plain C++: unpack a block once, then an integer dot product per panel row.
//
//   32 elements:  out[i][r] = Σ_blocks (d_w · d_x) · Σ q_w q_x + m_w · s_x
//   256 elements: out[i][r] = Σ_blocks (d_w · d_x) · Σ_g scale_g Σ q_w q_x − (dmin_w · d_x) · Σ_g min_g s_g
//
// Integers are exact; floats are added block after block, one sum per result. Bound by arithmetic: the compiler's vector
// code, for processors that have no kernel of their own and as a second opinion in tests.
#pragma once

#include "kernels/block_formats.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/linear_float_kernel.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

template <int size>
TANDEM_INLINE std::int32_t dot_int8(const std::int8_t* a, const std::int8_t* b) {
#if defined(__ARM_FEATURE_DOTPROD)
  int32x4_t sum = vdupq_n_s32(0);
  for (int k = 0; k < size; k += 16) sum = vdotq_s32(sum, vld1q_s8(a + k), vld1q_s8(b + k));
  return vaddvq_s32(sum);
#else
  std::int32_t sum = 0;
  for (int k = 0; k < size; ++k) sum += static_cast<std::int16_t>(a[k] * b[k]);
  return sum;
#endif
}

TANDEM_INLINE void write_sums(const PanelProduct& p, std::int64_t row, const float* sums) {
  for (int i = 0; i < p.width; ++i) {
    float* out = p.out[i] + row;
    *out = p.accumulate ? *out + sums[i] : sums[i];
  }
}

template <class Block>
void multiply_32_generic(const PanelProduct& p) {
  const PanelLayout layout = panel_layout(PanelKind::kInt8By32, p.num_cols, p.width);
  for (std::int64_t row = 0; row < p.num_rows; ++row) {
    const Block* w = reinterpret_cast<const Block*>(p.weights + row * p.row_bytes);
    const std::int8_t* q = reinterpret_cast<const std::int8_t*>(p.panel);
    const float* d = reinterpret_cast<const float*>(p.panel + layout.d);
    const float* s = reinterpret_cast<const float*>(p.panel + layout.s);
    float sums[kMaxPanelRows] = {};
    for (std::int64_t b = 0; b < p.num_cols / 32; ++b) {
      Unpacked32 u;
      unpack(w[b], u);
      for (int i = 0; i < p.width; ++i, q += 32, ++d, ++s) {
        sums[i] += u.d * *d * static_cast<float>(dot_int8<32>(u.q, q)) + u.m * *s;
      }
    }
    write_sums(p, row, sums);
  }
}

template <class Block>
void multiply_256_generic(const PanelProduct& p) {
  const PanelLayout layout = panel_layout(PanelKind::kInt8By256, p.num_cols, p.width);
  for (std::int64_t row = 0; row < p.num_rows; ++row) {
    const Block* w = reinterpret_cast<const Block*>(p.weights + row * p.row_bytes);
    const std::int8_t* q = reinterpret_cast<const std::int8_t*>(p.panel);
    const float* d = reinterpret_cast<const float*>(p.panel + layout.d);
    const std::int16_t* s = reinterpret_cast<const std::int16_t*>(p.panel + layout.s);
    float sums[kMaxPanelRows] = {};
    for (std::int64_t b = 0; b < p.num_cols / 256; ++b, q += 256 * p.width) {
      Unpacked256 u;
      unpack(w[b], u);
      for (int i = 0; i < p.width; ++i, ++d, s += 16) {
        std::int32_t dot = 0, min = 0;
        for (int g = 0; g < 16; ++g) {
          dot += u.scale[g] * dot_int8<16>(u.q + 16 * g, q + (g / 2 * p.width + i) * 32 + g % 2 * 16);
          min += u.min[g] * s[g];
        }
        sums[i] += u.d * *d * static_cast<float>(dot) - u.dmin * *d * static_cast<float>(min);
      }
    }
    write_sums(p, row, sums);
  }
}

void multiply_generic(DType weights, const PanelProduct& p) {
  switch (weights) {
    case DType::kF32: multiply_float<float>(p); break;
    case DType::kF16: multiply_float<Half>(p); break;
    case DType::kBF16: multiply_float<BFloat>(p); break;
    case DType::kQ8_0: multiply_32_generic<BlockQ8_0>(p); break;
    case DType::kQ4_0: multiply_32_generic<BlockQ4_0>(p); break;
    case DType::kQ4_1: multiply_32_generic<BlockQ4_1>(p); break;
    case DType::kQ5_0: multiply_32_generic<BlockQ5_0>(p); break;
    case DType::kQ5_1: multiply_32_generic<BlockQ5_1>(p); break;
    case DType::kIQ4_NL: multiply_32_generic<BlockIQ4_NL>(p); break;
    case DType::kQ2_K: multiply_256_generic<BlockQ2_K>(p); break;
    case DType::kQ3_K: multiply_256_generic<BlockQ3_K>(p); break;
    case DType::kQ4_K: multiply_256_generic<BlockQ4_K>(p); break;
    case DType::kQ5_K: multiply_256_generic<BlockQ5_K>(p); break;
    case DType::kQ6_K: multiply_256_generic<BlockQ6_K>(p); break;
    case DType::kIQ4_XS: multiply_256_generic<BlockIQ4_XS>(p); break;
    default: __builtin_unreachable();  // load_matrix refuses other types
  }
}

}  // namespace
}  // namespace tandem::kernels::cpu
