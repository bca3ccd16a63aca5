// Panel filling: activations to int8. See panel.h for the layout.
//
// By 32: d = max|x| / 127, q = round(x / d). By 256: the same over 256 values, with the sums of each 16 for the minima of
// K formats. Error of one value: at most d / 2. Reads each value once from the first-level cache: bound by the matrix
// product that follows, about 1 % of it for a matrix of 1000 rows.
#pragma once

#include "kernels/cpu/panel.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

void fill_float_panel(const float* const* rows, int width, std::int64_t n, std::byte* panel) {
  float* q = reinterpret_cast<float*>(panel);
  const int rest = static_cast<int>(n % 8);
  for (std::int64_t k = 0; k + 8 <= n; k += 8) {
    for (int i = 0; i < width; ++i, q += 8) store8(q, load8(rows[i] + k));
  }
  if (rest == 0) return;
  for (int i = 0; i < width; ++i, q += 8) store8(q, load_part(rows[i] + n - rest, rest));
}

// Largest magnitude of `size` values, a multiple of 8; NaN when one of them is not finite.
TANDEM_INLINE float largest_magnitude(const float* x, int size) {
  F32x8 largest = splat(0), poison = splat(0);
  for (int k = 0; k < size; k += 8) {
    const F32x8 v = load8(x + k);
    largest = max8(largest, abs8(v));
    poison += v * 0.0f;  // 0, or NaN for infinities and NaN, which a maximum would lose
  }
  return max_lanes(largest) + sum_lanes(poison);
}

// q = round(x · inverse) of 32 values; returns nothing of the sums, which are taken from q.
TANDEM_INLINE void round_32(const float* x, float inverse, std::int8_t* q) {
#if defined(__AVX2__)
  const __m256 factor = _mm256_set1_ps(inverse);
  __m256i v[4];
  for (int i = 0; i < 4; ++i) v[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), factor));
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // undo the lane-wise packing
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), _mm256_permutevar8x32_epi32(packed, order));
#else
  for (int k = 0; k < 32; ++k) {
    const float shifted = x[k] * inverse + 12582912.0f;  // 1.5 · 2^23: rounds to nearest even
    q[k] = static_cast<std::int8_t>(static_cast<std::int32_t>(bits_of_float(shifted)) - 0x4b400000);
  }
#endif
}

TANDEM_INLINE int sum_of(const std::int8_t* q, int size) {
  int sum = 0;
  for (int k = 0; k < size; ++k) sum += q[k];
  return sum;
}

void fill_panel_by_32(const float* const* rows, int width, std::int64_t n, std::byte* panel) {
  const PanelLayout layout = panel_layout(PanelKind::kInt8By32, n, width);
  std::int8_t* q = reinterpret_cast<std::int8_t*>(panel);
  float* d = reinterpret_cast<float*>(panel + layout.d);
  float* s = reinterpret_cast<float*>(panel + layout.s);
  for (std::int64_t b = 0; b < n / 32; ++b) {
    for (int i = 0; i < width; ++i, q += 32, ++d, ++s) {
      const float* x = rows[i] + b * 32;
      const float largest = largest_magnitude(x, 32);
      // Below 2^-120 the inverse could overflow; such a block counts as zero.
      const bool usable = largest > 0x1p-120f;
      round_32(x, usable ? 127.0f / largest : 0.0f, q);
      *d = usable || largest != largest ? largest / 127.0f : 0.0f;
      *s = *d * static_cast<float>(sum_of(q, 32));
    }
  }
}

void fill_panel_by_256(const float* const* rows, int width, std::int64_t n, std::byte* panel) {
  const PanelLayout layout = panel_layout(PanelKind::kInt8By256, n, width);
  std::int8_t* q = reinterpret_cast<std::int8_t*>(panel);
  float* d = reinterpret_cast<float*>(panel + layout.d);
  std::int16_t* s = reinterpret_cast<std::int16_t*>(panel + layout.s);
  for (std::int64_t b = 0; b < n / 256; ++b) {
    for (int i = 0; i < width; ++i) {
      const float* x = rows[i] + b * 256;
      const float largest = largest_magnitude(x, 256);
      const bool usable = largest > 0x1p-120f;
      const float inverse = usable ? 127.0f / largest : 0.0f;
      for (int g = 0; g < 8; ++g) {
        std::int8_t* group = q + ((b * 8 + g) * width + i) * 32;
        round_32(x + 32 * g, inverse, group);
        s[(b * width + i) * 16 + 2 * g] = static_cast<std::int16_t>(sum_of(group, 16));
        s[(b * width + i) * 16 + 2 * g + 1] = static_cast<std::int16_t>(sum_of(group + 16, 16));
      }
      d[b * width + i] = usable || largest != largest ? largest / 127.0f : 0.0f;
    }
  }
}

void fill_panel(PanelKind kind, const float* const* rows, int width, std::int64_t num_cols, std::byte* panel) {
  switch (kind) {
    case PanelKind::kFloat: fill_float_panel(rows, width, num_cols, panel); break;
    case PanelKind::kInt8By32: fill_panel_by_32(rows, width, num_cols, panel); break;
    case PanelKind::kInt8By256: fill_panel_by_256(rows, width, num_cols, panel); break;
  }
}

}  // namespace
}  // namespace tandem::kernels::cpu
