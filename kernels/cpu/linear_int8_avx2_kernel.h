// Matrix product with quantised weights, AVX2. Formulas as in linear_int8_generic_kernel.h, in eight lanes.
//
// The multiplier of bytes, maddubs, takes an unsigned and a signed operand and adds pairs into 16 bits. Two forms avoid its
// overflow:
//   codes of up to 6 bits stay unsigned (at most 2 · 63 · 127 = 16002 per pair); their offset, as in q − 8, is a constant
//   times the sum of the activations and taken off once per block;
//   codes of 8 bits (Q8_0, IQ4) are split into sign and magnitude, and the activation takes the sign.
// Blocks of 256: the pair sums are multiplied with the integer scales and added in 32 bits, exact, at most 2^29; one
// conversion to float per block. Blocks of 32: one conversion per block.
//
// A weight is decoded once per panel row group (up to 8 rows). Bound by memory for one row, by the vector units for 8: 3 to 6
// instructions per 32 products. With VNNI the two multiplications of a 32-block become one; the integers, and so the results,
// are the same.
#pragma once

#include "kernels/block_formats.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/linear_float_kernel.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

TANDEM_INLINE __m256i load_256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
TANDEM_INLINE __m128i load_128(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

TANDEM_INLINE float half_at(const std::uint8_t (&bytes)[2]) {
  unsigned short bits;
  std::memcpy(&bits, bytes, 2);
  return _cvtsh_ss(bits);
}

// The 32 codes of 16 bytes: low nibbles, then high ones.
TANDEM_INLINE __m256i nibbles(const std::uint8_t* q) {
  const __m128i bytes = load_128(q);
  const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes), _mm_srli_epi16(bytes, 4), 1);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// 16 where bit j of the four bytes is set, in byte j.
TANDEM_INLINE __m256i fifth_bits(const std::uint8_t (&high)[4]) {
  std::int32_t bits;
  std::memcpy(&bits, high, 4);
  const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits),
                                             _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, mask), mask);
  return _mm256_and_si256(is_set, _mm256_set1_epi8(16));
}

// Σ of four products per lane; a unsigned, b signed.
TANDEM_INLINE __m256i dot_unsigned(__m256i a, __m256i b) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
  return _mm256_dpbusd_epi32(_mm256_setzero_si256(), a, b);
#else
  return _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1));
#endif
}

// --- Blocks of 32. A decoder gives 32 codes, their scale, and what is added per Σ of activations.

struct DecodeQ8_0 {
  using Block = BlockQ8_0;
  static constexpr bool kSigned = true;
  TANDEM_INLINE __m256i codes(const Block& b) { return load_256(b.q); }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block&, float) { return 0; }
};
struct DecodeIQ4_NL {
  using Block = BlockIQ4_NL;
  static constexpr bool kSigned = true;
  TANDEM_INLINE __m256i codes(const Block& b) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load_128(kIq4Values)), nibbles(b.q));
  }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block&, float) { return 0; }
};
struct DecodeQ4_0 {
  using Block = BlockQ4_0;
  static constexpr bool kSigned = false;
  TANDEM_INLINE __m256i codes(const Block& b) { return nibbles(b.q); }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block&, float d) { return -8 * d; }
};
struct DecodeQ4_1 {
  using Block = BlockQ4_1;
  static constexpr bool kSigned = false;
  TANDEM_INLINE __m256i codes(const Block& b) { return nibbles(b.q); }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block& b, float) { return half_at(b.m); }
};
struct DecodeQ5_0 {
  using Block = BlockQ5_0;
  static constexpr bool kSigned = false;
  TANDEM_INLINE __m256i codes(const Block& b) { return _mm256_or_si256(nibbles(b.q), fifth_bits(b.high)); }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block&, float d) { return -16 * d; }
};
struct DecodeQ5_1 {
  using Block = BlockQ5_1;
  static constexpr bool kSigned = false;
  TANDEM_INLINE __m256i codes(const Block& b) { return _mm256_or_si256(nibbles(b.q), fifth_bits(b.high)); }
  TANDEM_INLINE float scale(const Block& b) { return half_at(b.d); }
  TANDEM_INLINE float offset(const Block& b, float) { return half_at(b.m); }
};

template <class Decode, int width, int num_rows>
TANDEM_INLINE void multiply_32_tile(const PanelProduct& p, const PanelLayout& layout, std::int64_t row) {
  using Block = typename Decode::Block;
  const Block* w[num_rows];
  for (int r = 0; r < num_rows; ++r) w[r] = reinterpret_cast<const Block*>(p.weights + (row + r) * p.row_bytes);
  const std::int8_t* q = reinterpret_cast<const std::int8_t*>(p.panel);
  const float* d = reinterpret_cast<const float*>(p.panel + layout.d);
  const float* s = reinterpret_cast<const float*>(p.panel + layout.s);
  __m256 sums[num_rows][width] = {};
  float offsets[num_rows][width] = {};
  for (std::int64_t b = 0; b < p.num_cols / 32; ++b, q += 32 * width, d += width, s += width) {
    for (int r = 0; r < num_rows; ++r) {
      const Block& block = w[r][b];
      // Rows are too short for the hardware to find several streams: ask for the next tile's rows. Narrow panels only, where
      // memory is the bound.
      if (width <= 2) _mm_prefetch(reinterpret_cast<const char*>(&block) + num_rows * p.row_bytes, _MM_HINT_T0);
      const __m256i codes = Decode::codes(block);
      const float scale = Decode::scale(block);
      const __m256 scales = _mm256_set1_ps(scale);
      const __m256i magnitudes = Decode::kSigned ? _mm256_abs_epi8(codes) : codes;
      for (int i = 0; i < width; ++i) {
        const __m256i x = load_256(q + 32 * i);
        const __m256i dot = dot_unsigned(magnitudes, Decode::kSigned ? _mm256_sign_epi8(x, codes) : x);
        const __m256 factor = _mm256_mul_ps(scales, _mm256_broadcast_ss(d + i));
        sums[r][i] = _mm256_fmadd_ps(factor, _mm256_cvtepi32_ps(dot), sums[r][i]);
      }
      if (!Decode::kSigned) {
        const float offset = Decode::offset(block, scale);
        for (int i = 0; i < width; ++i) offsets[r][i] = __builtin_fmaf(offset, s[i], offsets[r][i]);
      }
    }
  }
  for (int r = 0; r < num_rows; ++r) {
    for (int i = 0; i < width; ++i) {
      float* out = p.out[i] + row + r;
      const float sum = sum_lanes(static_cast<F32x8>(sums[r][i])) + offsets[r][i];
      *out = p.accumulate ? *out + sum : sum;
    }
  }
}

template <class Decode, int width>
void multiply_32_width(const PanelProduct& p) {
  const PanelLayout layout = panel_layout(PanelKind::kInt8By32, p.num_cols, width);
  constexpr int kRows = width <= 2 ? 4 / width : 1;  // enough independent sums to hide the latency of an addition
  std::int64_t row = 0;
  for (; row + kRows <= p.num_rows; row += kRows) multiply_32_tile<Decode, width, kRows>(p, layout, row);
  for (; row < p.num_rows; ++row) multiply_32_tile<Decode, width, 1>(p, layout, row);
}

// --- Blocks of 256. A decoder gives 32 codes at a time, 16-bit scales for them, and minima for the sums of each 16.

struct Scales256 {
  __m256i scales[8];  // 16-bit factors of the pair sums of the codes 32·g …
  __m256i mins;       // 16-bit factors of the 16 sums
  float d, dmin;
};

// Lane layout of pair sums: codes 0–15 are the low half, 16–31 the high half.
TANDEM_INLINE void spread_scales_of_16(__m256i sixteen, __m256i (&out)[8]) {
  const __m256i low = _mm256_permute2x128_si256(sixteen, sixteen, 0x00);   // scales 0–7 in both halves
  const __m256i high = _mm256_permute2x128_si256(sixteen, sixteen, 0x11);  // scales 8–15
  for (int g = 0; g < 4; ++g) {
    const __m128i even = _mm_set1_epi16(static_cast<short>((4 * g + 1) << 8 | 4 * g));
    const __m128i odd = _mm_set1_epi16(static_cast<short>((4 * g + 3) << 8 | (4 * g + 2)));
    const __m256i pick = _mm256_inserti128_si256(_mm256_castsi128_si256(even), odd, 1);
    out[g] = _mm256_shuffle_epi8(low, pick);
    out[g + 4] = _mm256_shuffle_epi8(high, pick);
  }
}

TANDEM_INLINE void spread_scales_of_32(__m128i eight, __m256i (&out)[8]) {
  const __m256i both = _mm256_broadcastsi128_si256(eight);
  for (int g = 0; g < 8; ++g) {
    out[g] = _mm256_shuffle_epi8(both, _mm256_set1_epi16(static_cast<short>((2 * g + 1) << 8 | 2 * g)));
  }
}

struct DecodeQ4_K {
  using Block = BlockQ4_K;
  static constexpr bool kSigned = false, kOffsetIsInteger = false;
  TANDEM_INLINE void scales(const std::uint8_t (&s)[12], Scales256& out) {
    // Six bits each: 8 scales and 8 mins in three words (see unpack_scales).
    std::uint32_t a, b, c;
    std::memcpy(&a, s, 4);
    std::memcpy(&b, s + 4, 4);
    std::memcpy(&c, s + 8, 4);
    const std::uint32_t low = 0x3f3f3f3f, nibble = 0x0f0f0f0f, top = 0x03030303;
    const __m128i bytes = _mm_setr_epi32(static_cast<int>(a & low), static_cast<int>((c & nibble) | (a >> 6 & top) << 4),
                                         static_cast<int>(b & low), static_cast<int>((c >> 4 & nibble) | (b >> 6 & top) << 4));
    const __m256i wide = _mm256_cvtepu8_epi16(bytes);
    spread_scales_of_32(_mm256_castsi256_si128(wide), out.scales);
    const __m128i mins = _mm256_extracti128_si256(wide, 1);
    out.mins =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi16(mins, mins)), _mm_unpackhi_epi16(mins, mins), 1);
  }
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    out.dmin = half_at(b.dmin);
    scales(b.scales, out);
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const __m256i bytes = load_256(b.q + 32 * pair), mask = _mm256_set1_epi8(15);
    first = _mm256_and_si256(bytes, mask);
    second = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask);
  }
};

struct DecodeQ5_K {
  using Block = BlockQ5_K;
  static constexpr bool kSigned = false, kOffsetIsInteger = false;
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    out.dmin = half_at(b.dmin);
    DecodeQ4_K::scales(b.scales, out);
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const __m256i bytes = load_256(b.q + 32 * pair), mask = _mm256_set1_epi8(15), bit = _mm256_set1_epi8(16);
    const __m256i high = load_256(b.high);
    // Bits 2·pair and 2·pair + 1 to bit 4: left by 4 − 2·pair, or right.
    const __m256i even = pair < 2 ? _mm256_slli_epi16(high, 4 - 2 * pair) : _mm256_srli_epi16(high, 2 * pair - 4);
    const __m256i odd = pair < 2 ? _mm256_slli_epi16(high, 3 - 2 * pair) : _mm256_srli_epi16(high, 2 * pair - 3);
    first = _mm256_or_si256(_mm256_and_si256(bytes, mask), _mm256_and_si256(even, bit));
    second = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask), _mm256_and_si256(odd, bit));
  }
};

struct DecodeQ6_K {
  using Block = BlockQ6_K;
  static constexpr bool kSigned = false, kOffsetIsInteger = true;
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    const __m256i scales = _mm256_cvtepi8_epi16(load_128(b.scales));
    spread_scales_of_16(scales, out.scales);
    out.mins = _mm256_slli_epi16(scales, 5);
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const int half = pair / 2, upper = pair % 2;  // of each 128 codes, the second 64 are in the high nibbles
    const __m256i mask = _mm256_set1_epi8(15), top = _mm256_set1_epi8(48);
    __m256i low0 = load_256(b.low + 64 * half), low1 = load_256(b.low + 64 * half + 32);
    const __m256i high = load_256(b.high + 32 * half);
    if (upper == 1) {
      low0 = _mm256_srli_epi16(low0, 4);
      low1 = _mm256_srli_epi16(low1, 4);
    }
    const __m256i high0 = upper == 0 ? _mm256_slli_epi16(high, 4) : high;
    const __m256i high1 = upper == 0 ? _mm256_slli_epi16(high, 2) : _mm256_srli_epi16(high, 2);
    first = _mm256_or_si256(_mm256_and_si256(low0, mask), _mm256_and_si256(high0, top));
    second = _mm256_or_si256(_mm256_and_si256(low1, mask), _mm256_and_si256(high1, top));
  }
};

struct DecodeQ2_K {
  using Block = BlockQ2_K;
  static constexpr bool kSigned = false, kOffsetIsInteger = false;
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    out.dmin = half_at(b.dmin);
    const __m128i bytes = load_128(b.scales), mask = _mm_set1_epi8(15);
    spread_scales_of_16(_mm256_cvtepu8_epi16(_mm_and_si128(bytes, mask)), out.scales);
    out.mins = _mm256_cvtepu8_epi16(_mm_and_si128(_mm_srli_epi16(bytes, 4), mask));
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const __m256i bytes = load_256(b.q + 32 * (pair / 2)), mask = _mm256_set1_epi8(3);
    first = _mm256_and_si256(_mm256_srli_epi16(bytes, 4 * (pair % 2)), mask);
    second = _mm256_and_si256(_mm256_srli_epi16(bytes, 4 * (pair % 2) + 2), mask);
  }
};

struct DecodeQ3_K {
  using Block = BlockQ3_K;
  static constexpr bool kSigned = false, kOffsetIsInteger = true;
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    // Four words of four scales: low nibbles, then two bits each of the third word (see unpack_scales).
    std::uint32_t low[2], high;
    std::memcpy(low, b.scales, 8);
    std::memcpy(&high, b.scales + 8, 4);
    const std::uint32_t nibble = 0x0f0f0f0f, top = 0x03030303;
    const __m128i bytes = _mm_setr_epi32(static_cast<int>((low[0] & nibble) | (high & top) << 4),
                                         static_cast<int>((low[1] & nibble) | (high >> 2 & top) << 4),
                                         static_cast<int>((low[0] >> 4 & nibble) | (high >> 4 & top) << 4),
                                         static_cast<int>((low[1] >> 4 & nibble) | (high >> 6 & top) << 4));
    const __m256i sixteen = _mm256_cvtepi8_epi16(_mm_sub_epi8(bytes, _mm_set1_epi8(32)));
    spread_scales_of_16(sixteen, out.scales);
    out.mins = _mm256_slli_epi16(sixteen, 2);
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const __m256i bytes = load_256(b.q + 32 * (pair / 2)), mask = _mm256_set1_epi8(3), bit = _mm256_set1_epi8(4);
    const __m256i high = load_256(b.high);
    const int even_bit = 2 * pair, odd_bit = 2 * pair + 1;  // of `high`, to bit 2
    const __m256i even = even_bit < 2 ? _mm256_slli_epi16(high, 2 - even_bit) : _mm256_srli_epi16(high, even_bit - 2);
    const __m256i odd = odd_bit < 2 ? _mm256_slli_epi16(high, 2 - odd_bit) : _mm256_srli_epi16(high, odd_bit - 2);
    first = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(bytes, 4 * (pair % 2)), mask), _mm256_and_si256(even, bit));
    second = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(bytes, 4 * (pair % 2) + 2), mask), _mm256_and_si256(odd, bit));
  }
};

struct DecodeIQ4_XS {
  using Block = BlockIQ4_XS;
  static constexpr bool kSigned = true, kOffsetIsInteger = true;
  TANDEM_INLINE void begin(const Block& b, Scales256& out) {
    out.d = half_at(b.d);
    alignas(16) std::int16_t scales[8];
    unpack_scales(b, scales);
    spread_scales_of_32(load_128(scales), out.scales);
  }
  TANDEM_INLINE void codes(const Block& b, int pair, __m256i& first, __m256i& second) {
    const __m256i table = _mm256_broadcastsi128_si256(load_128(kIq4Values));
    first = _mm256_shuffle_epi8(table, nibbles(b.q + 32 * pair));
    second = _mm256_shuffle_epi8(table, nibbles(b.q + 32 * pair + 16));
  }
};

template <class Decode, int width>
TANDEM_INLINE void add_scaled_dots(__m256i codes, __m256i scales, const std::int8_t* q, __m256i (&dots)[width]) {
  const __m256i magnitudes = Decode::kSigned ? _mm256_abs_epi8(codes) : codes;
  for (int i = 0; i < width; ++i) {
    const __m256i x = load_256(q + 32 * i);
    const __m256i pairs = _mm256_maddubs_epi16(magnitudes, Decode::kSigned ? _mm256_sign_epi8(x, codes) : x);
    dots[i] = _mm256_add_epi32(dots[i], _mm256_madd_epi16(pairs, scales));
  }
}

template <class Decode, int width>
void multiply_256_width(const PanelProduct& p) {
  using Block = typename Decode::Block;
  const PanelLayout layout = panel_layout(PanelKind::kInt8By256, p.num_cols, width);
  for (std::int64_t row = 0; row < p.num_rows; ++row) {
    const Block* w = reinterpret_cast<const Block*>(p.weights + row * p.row_bytes);
    const std::int8_t* q = reinterpret_cast<const std::int8_t*>(p.panel);
    const float* d = reinterpret_cast<const float*>(p.panel + layout.d);
    const std::int16_t* s = reinterpret_cast<const std::int16_t*>(p.panel + layout.s);
    __m256 sums[width] = {};
    for (std::int64_t b = 0; b < p.num_cols / 256; ++b, q += 256 * width, d += width, s += 16 * width) {
      Scales256 scales;
      Decode::begin(w[b], scales);
      __m256i dots[width];
      for (int i = 0; i < width; ++i) dots[i] = _mm256_setzero_si256();
#pragma GCC unroll 4
      for (int pair = 0; pair < 4; ++pair) {
        __m256i first, second;
        Decode::codes(w[b], pair, first, second);
        add_scaled_dots<Decode, width>(first, scales.scales[2 * pair], q + 64 * pair * width, dots);
        add_scaled_dots<Decode, width>(second, scales.scales[2 * pair + 1], q + (64 * pair + 32) * width, dots);
      }
      const __m256 scale = _mm256_set1_ps(scales.d);
      for (int i = 0; i < width; ++i) {
        const __m256 dx = _mm256_broadcast_ss(d + i);
        __m256i dot = dots[i];
        if (!Decode::kSigned) {
          const __m256i mins = _mm256_madd_epi16(scales.mins, load_256(s + 16 * i));
          if (Decode::kOffsetIsInteger) {
            dot = _mm256_sub_epi32(dot, mins);
          } else {
            const __m256 factor = _mm256_mul_ps(_mm256_set1_ps(scales.dmin), dx);
            sums[i] = _mm256_fnmadd_ps(factor, _mm256_cvtepi32_ps(mins), sums[i]);
          }
        }
        sums[i] = _mm256_fmadd_ps(_mm256_mul_ps(scale, dx), _mm256_cvtepi32_ps(dot), sums[i]);
      }
    }
    for (int i = 0; i < width; ++i) {
      float* out = p.out[i] + row;
      const float sum = sum_lanes(static_cast<F32x8>(sums[i]));
      *out = p.accumulate ? *out + sum : sum;
    }
  }
}

template <class Decode>
void multiply_32_avx2(const PanelProduct& p) {
  switch (p.width) {
    case 1: multiply_32_width<Decode, 1>(p); break;
    case 2: multiply_32_width<Decode, 2>(p); break;
    case 4: multiply_32_width<Decode, 4>(p); break;
    case 8: multiply_32_width<Decode, 8>(p); break;
    default: __builtin_unreachable();
  }
}

template <class Decode>
void multiply_256_avx2(const PanelProduct& p) {
  switch (p.width) {
    case 1: multiply_256_width<Decode, 1>(p); break;
    case 2: multiply_256_width<Decode, 2>(p); break;
    case 4: multiply_256_width<Decode, 4>(p); break;
    case 8: multiply_256_width<Decode, 8>(p); break;
    default: __builtin_unreachable();
  }
}

void multiply_avx2(DType weights, const PanelProduct& p) {
  switch (weights) {
    case DType::kF32: multiply_float<float>(p); break;
    case DType::kF16: multiply_float<Half>(p); break;
    case DType::kBF16: multiply_float<BFloat>(p); break;
    case DType::kQ8_0: multiply_32_avx2<DecodeQ8_0>(p); break;
    case DType::kQ4_0: multiply_32_avx2<DecodeQ4_0>(p); break;
    case DType::kQ4_1: multiply_32_avx2<DecodeQ4_1>(p); break;
    case DType::kQ5_0: multiply_32_avx2<DecodeQ5_0>(p); break;
    case DType::kQ5_1: multiply_32_avx2<DecodeQ5_1>(p); break;
    case DType::kIQ4_NL: multiply_32_avx2<DecodeIQ4_NL>(p); break;
    case DType::kQ2_K: multiply_256_avx2<DecodeQ2_K>(p); break;
    case DType::kQ3_K: multiply_256_avx2<DecodeQ3_K>(p); break;
    case DType::kQ4_K: multiply_256_avx2<DecodeQ4_K>(p); break;
    case DType::kQ5_K: multiply_256_avx2<DecodeQ5_K>(p); break;
    case DType::kQ6_K: multiply_256_avx2<DecodeQ6_K>(p); break;
    case DType::kIQ4_XS: multiply_256_avx2<DecodeIQ4_XS>(p); break;
    default: __builtin_unreachable();  // load_matrix refuses other types
  }
}

}  // namespace
}  // namespace tandem::kernels::cpu
