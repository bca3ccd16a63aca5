// Inner loops of the ops that work on one row at a time. Bound by memory or by the first-level cache.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

// out = x · rsqrt(mean(x²) + eps) · weight. Squares are summed in float over 256 values at most, those sums in double.
void rms_norm_row(const float* x, const float* weight, std::int64_t size, float eps, float* out) {
  const std::int64_t whole = size / 8 * 8;
  const int rest = static_cast<int>(size - whole);
  double total = 0;
  for (std::int64_t first = 0; first < whole; first += 256) {
    const std::int64_t last = first + 256 < whole ? first + 256 : whole;
    F32x8 sum = splat(0);
    for (std::int64_t k = first; k < last; k += 8) {
      const F32x8 v = load8(x + k);
      sum = fma8(v, v, sum);
    }
    total += static_cast<double>(sum_lanes(sum));
  }
  if (rest != 0) {
    const F32x8 v = load_part(x + whole, rest);
    total += static_cast<double>(sum_lanes(v * v));
  }
  const double mean = total / static_cast<double>(size) + static_cast<double>(eps);
  const float factor = static_cast<float>(1.0 / __builtin_sqrt(mean));
  for (std::int64_t k = 0; k < whole; k += 8) store8(out + k, load8(x + k) * factor * load8(weight + k));
  for (std::int64_t k = whole; k < size; ++k) out[k] = x[k] * factor * weight[k];
}

// Turns each pair (a, b) of one head by its angle: (a·cos − b·sin, b·cos + a·sin).
void rope_head(float* head, const float* cosines, const float* sines, std::int32_t num_pairs, RopePairing pairing) {
  if (pairing == RopePairing::kHalfSplit) {
    float* second = head + num_pairs;
    std::int32_t i = 0;
    for (; i + 8 <= num_pairs; i += 8) {
      const F32x8 a = load8(head + i), b = load8(second + i), c = load8(cosines + i), s = load8(sines + i);
      store8(head + i, a * c - b * s);
      store8(second + i, b * c + a * s);
    }
    for (; i < num_pairs; ++i) {
      const float a = head[i], b = second[i];
      head[i] = a * cosines[i] - b * sines[i];
      second[i] = b * cosines[i] + a * sines[i];
    }
  } else {
    for (std::int32_t i = 0; i < num_pairs; ++i) {
      const float a = head[2 * i], b = head[2 * i + 1];
      head[2 * i] = a * cosines[i] - b * sines[i];
      head[2 * i + 1] = b * cosines[i] + a * sines[i];
    }
  }
}

TANDEM_INLINE F32x8 silu8(F32x8 x) {
  return x / (splat(1) + exp8(-x));
}

// out = silu(gate) · up, silu(x) = x / (1 + e^−x).
void silu_mul(const float* gate, const float* up, std::int64_t size, float* out) {
  const std::int64_t whole = size / 8 * 8;
  const int rest = static_cast<int>(size - whole);
  for (std::int64_t k = 0; k < whole; k += 8) store8(out + k, silu8(load8(gate + k)) * load8(up + k));
  if (rest != 0) store_part(out + whole, silu8(load_part(gate + whole, rest)) * load_part(up + whole, rest), rest);
}

void store_f16(const float* x, std::int64_t size, std::uint16_t* out) {
  Half* halves = reinterpret_cast<Half*>(out);
  const std::int64_t whole = size / 8 * 8;
  const int rest = static_cast<int>(size - whole);
  for (std::int64_t k = 0; k < whole; k += 8) store8(halves + k, load8(x + k));
  if (rest != 0) store_part(halves + whole, load_part(x + whole, rest), rest);
}

void add_scaled(const float* x, float factor, std::int64_t size, float* out) {
  const std::int64_t whole = size / 8 * 8;
  const int rest = static_cast<int>(size - whole);
  for (std::int64_t k = 0; k < whole; k += 8) store8(out + k, fma8(load8(x + k), splat(factor), load8(out + k)));
  if (rest == 0) return;
  store_part(out + whole, fma8(load_part(x + whole, rest), splat(factor), load_part(out + whole, rest)), rest);
}

float read_all(const float* data, std::int64_t size) {
  F32x8 sums[4] = {};
  for (std::int64_t k = 0; k < size; k += 64) {
    for (int i = 0; i < 8; ++i) sums[i % 4] += load8(data + k + 8 * i);
  }
  return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace
}  // namespace tandem::kernels::cpu
