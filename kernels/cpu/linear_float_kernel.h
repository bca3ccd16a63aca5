// Matrix product with F32, F16 and BF16 weights.
//
//   out[i][r] = Σ_k panel[k][i] · w[r][k], eight partial sums per result, added in the order of sum_lanes().
//
// Accumulates in float. Every (weight row, panel row) pair goes through the same operations whatever the tile, so a row's
// result does not depend on its neighbours. Bound by memory for one row (bytes of w), by the fused multiply-add units for
// eight: one weight load and eight panel loads feed eight of them.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

// Weight rows per pass: as many as give eight or more independent sums, enough to hide the latency of one addition.
template <int width>
constexpr int kFloatTileRows = width == 1   ? 4
                               : width == 2 ? 4
                               : width == 4 ? 2
                                            : 1;

template <class T, int width, int num_rows>
TANDEM_INLINE void multiply_float_tile(const PanelProduct& p, std::int64_t row) {
  const T* w[num_rows];
  for (int r = 0; r < num_rows; ++r) w[r] = reinterpret_cast<const T*>(p.weights + (row + r) * p.row_bytes);
  const float* x = reinterpret_cast<const float*>(p.panel);
  F32x8 sums[num_rows][width] = {};
  const std::int64_t whole = p.num_cols / 8 * 8;
  for (std::int64_t k = 0; k < whole; k += 8, x += 8 * width) {
    for (int r = 0; r < num_rows; ++r) {
      // The next tile's rows, which the hardware does not foresee. Narrow panels only: there memory is the bound.
      if (width <= 2) __builtin_prefetch(reinterpret_cast<const char*>(w[r] + k) + num_rows * p.row_bytes);
      const F32x8 values = load8(w[r] + k);
      for (int i = 0; i < width; ++i) sums[r][i] = fma8(values, load8(x + 8 * i), sums[r][i]);
    }
  }
  if (whole < p.num_cols) {
    for (int r = 0; r < num_rows; ++r) {
      const F32x8 values = load_part(w[r] + whole, static_cast<int>(p.num_cols - whole));
      for (int i = 0; i < width; ++i) sums[r][i] = fma8(values, load8(x + 8 * i), sums[r][i]);
    }
  }
  for (int r = 0; r < num_rows; ++r) {
    for (int i = 0; i < width; ++i) {
      float* out = p.out[i] + row + r;
      const float sum = sum_lanes(sums[r][i]);
      *out = p.accumulate ? *out + sum : sum;
    }
  }
}

template <class T, int width>
void multiply_float_width(const PanelProduct& p) {
  constexpr int kRows = kFloatTileRows<width>;
  std::int64_t row = 0;
  for (; row + kRows <= p.num_rows; row += kRows) multiply_float_tile<T, width, kRows>(p, row);
  for (; row < p.num_rows; ++row) multiply_float_tile<T, width, 1>(p, row);
}

template <class T>
void multiply_float(const PanelProduct& p) {
  switch (p.width) {
    case 1: multiply_float_width<T, 1>(p); break;
    case 2: multiply_float_width<T, 2>(p); break;
    case 4: multiply_float_width<T, 4>(p); break;
    case 8: multiply_float_width<T, 8>(p); break;
    default: __builtin_unreachable();
  }
}

}  // namespace
}  // namespace tandem::kernels::cpu
