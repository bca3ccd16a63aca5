// Eight floats at a time, written once for every target: the compiler's vector extension, with an intrinsic only where the
// extension has no word (fused multiply-add, F16).
//
// Included by files that are compiled for different instruction sets, so nothing here may have external linkage: the linker
// would keep one copy, and it might be the one this CPU cannot run. For the same reason kernels avoid templates of the
// standard library.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/float16.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define TANDEM_INLINE static inline __attribute__((always_inline))

namespace tandem::kernels::cpu {

typedef float F32x8 __attribute__((vector_size(32)));
typedef std::int32_t I32x8 __attribute__((vector_size(32)));
typedef float F32x4 __attribute__((vector_size(16)));

TANDEM_INLINE F32x8 splat(float value) {
  return F32x8{value, value, value, value, value, value, value, value};
}

TANDEM_INLINE F32x8 load8(const float* p) {
  F32x8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

TANDEM_INLINE void store8(float* p, F32x8 v) {
  std::memcpy(p, &v, sizeof v);
}

// a · b + c. Rounded once where the target has the instruction: results of two targets may differ in the last bit, results
// of one target never.
TANDEM_INLINE F32x8 fma8(F32x8 a, F32x8 b, F32x8 c) {
#if defined(__FMA__)
  return static_cast<F32x8>(_mm256_fmadd_ps(a, b, c));
#elif defined(__aarch64__)
  F32x4 low, high, a4[2], b4[2], c4[2];
  std::memcpy(a4, &a, sizeof a);
  std::memcpy(b4, &b, sizeof b);
  std::memcpy(c4, &c, sizeof c);
  low = vfmaq_f32(c4[0], a4[0], b4[0]);
  high = vfmaq_f32(c4[1], a4[1], b4[1]);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return a * b + c;
#endif
}

// Weights and cache entries are read through the type of their bits.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

TANDEM_INLINE F32x8 load8(const Half* p) {
#if defined(__F16C__)
  return static_cast<F32x8>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
  float v[8];
  for (int i = 0; i < 8; ++i) v[i] = f16_to_f32(p[i].bits);
  return load8(v);
#endif
}

TANDEM_INLINE F32x8 load8(const BFloat* p) {
#if defined(__AVX2__)
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return static_cast<F32x8>(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
#else
  float v[8];
  for (int i = 0; i < 8; ++i) v[i] = bf16_to_f32(p[i].bits);
  return load8(v);
#endif
}

TANDEM_INLINE void store8(Half* p, F32x8 v) {
#if defined(__F16C__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 8; ++i) p[i].bits = f32_to_f16(v[i]);
#endif
}

// The first `count` < 8 values; the rest are zero.
template <class T>
TANDEM_INLINE F32x8 load_part(const T* p, int count) {
  T padded[8] = {};
  std::memcpy(padded, p, static_cast<std::size_t>(count) * sizeof(T));
  return load8(padded);
}

template <class T>
TANDEM_INLINE void store_part(T* p, F32x8 v, int count) {
  T padded[8];
  store8(padded, v);
  std::memcpy(p, padded, static_cast<std::size_t>(count) * sizeof(T));
}

TANDEM_INLINE F32x8 max8(F32x8 a, F32x8 b) {
  return a > b ? a : b;
}

TANDEM_INLINE F32x8 abs8(F32x8 a) {
  I32x8 bits;
  std::memcpy(&bits, &a, sizeof bits);
  bits &= 0x7fffffff;
  std::memcpy(&a, &bits, sizeof bits);
  return a;
}

// Sum of the lanes, always in the order ((0+4)+(2+6)) + ((1+5)+(3+7)).
TANDEM_INLINE float sum_lanes(F32x8 v) {
  const F32x4 four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// Lane i of the result is sum_lanes(v[i]), to the bit.
TANDEM_INLINE F32x8 sum_lanes_of_8(const F32x8 (&v)[8]) {
  F32x8 four[4];
  for (int i = 0; i < 4; ++i) {
    four[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
              __builtin_shufflevector(v[2 * i], v[2 * i + 1], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  F32x8 two[2];
  for (int i = 0; i < 2; ++i) {
    two[i] = __builtin_shufflevector(four[2 * i], four[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
             __builtin_shufflevector(four[2 * i], four[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  const F32x8 one = __builtin_shufflevector(two[0], two[1], 0, 2, 8, 10, 4, 6, 12, 14) +
                    __builtin_shufflevector(two[0], two[1], 1, 3, 9, 11, 5, 7, 13, 15);
  return __builtin_shufflevector(one, one, 0, 4, 1, 5, 2, 6, 3, 7);
}

TANDEM_INLINE float max_lanes(F32x8 v) {
  float m = v[0];
  for (int i = 1; i < 8; ++i) m = v[i] > m ? v[i] : m;
  return m;
}

// e^x within 2 ulp; 0 below -87.3, the largest float's neighbourhood above 88.3; NaN stays NaN. x = n·ln 2 + r with
// |r| ≤ ln 2 / 2, and the Taylor polynomial of degree 7 (truncation below 6e-9) for e^r.
TANDEM_INLINE F32x8 exp8(F32x8 x) {
  const F32x8 too_small = splat(-87.3f), too_large = splat(88.3f);
  const F32x8 clamped = x < too_small ? too_small : (x > too_large ? too_large : x);
  const F32x8 magic = splat(12582912.0f);  // 1.5 · 2^23: adding it rounds to an integer that stands in the low bits
  const F32x8 shifted = fma8(clamped, splat(1.44269504f), magic);
  const F32x8 n = shifted - magic;
  F32x8 r = fma8(n, splat(-0.693359375f), clamped);  // ln 2 in two parts; the first has few bits, so n times it is exact
  r = fma8(n, splat(2.12194440e-4f), r);
  F32x8 p = splat(1.0f / 5040);
  p = fma8(p, r, splat(1.0f / 720));
  p = fma8(p, r, splat(1.0f / 120));
  p = fma8(p, r, splat(1.0f / 24));
  p = fma8(p, r, splat(1.0f / 6));
  p = fma8(p, r, splat(0.5f));
  p = fma8(p, r, splat(1.0f));
  p = fma8(p, r, splat(1.0f));
  I32x8 exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  std::memcpy(&bits, &p, sizeof bits);
  bits += exponent << 23;  // the low bits of `shifted` are n; the rest is shifted out
  F32x8 result;
  std::memcpy(&result, &bits, sizeof bits);
  return x < too_small ? splat(0) : result;
}

}  // namespace tandem::kernels::cpu
