// The GGUF block formats: how one block lies in a file, and how its integers and scales are taken out.
//
// Two shapes cover all of them. Formats of 32 elements: value = d · q + m. Formats of 256 elements ("K", and IQ4_XS):
// value = (d · scale) · q − dmin · min, with one integer scale and min per 16 or 32 elements. The unpack functions give the
// integers; what is done in which order with them decides the bits of the result (see dequantize_row).
//
// Fields are bytes, never wider, since blocks lie at any address. Functions have internal linkage, as in float16.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/float16.h"

namespace tandem::kernels {

struct BlockQ8_0 {
  std::uint8_t d[2];  // F16
  std::int8_t q[32];
};
struct BlockQ4_0 {
  std::uint8_t d[2];
  std::uint8_t q[16];  // low nibble: element j, high nibble: element j + 16
};
struct BlockQ4_1 {
  std::uint8_t d[2], m[2];
  std::uint8_t q[16];
};
struct BlockQ5_0 {
  std::uint8_t d[2];
  std::uint8_t high[4];  // bit j: the fifth bit of element j
  std::uint8_t q[16];
};
struct BlockQ5_1 {
  std::uint8_t d[2], m[2];
  std::uint8_t high[4];
  std::uint8_t q[16];
};
struct BlockIQ4_NL {
  std::uint8_t d[2];
  std::uint8_t q[16];  // indices into kIq4Values
};
struct BlockQ2_K {
  std::uint8_t scales[16];  // low nibble: scale, high nibble: min, of 16 elements each
  std::uint8_t q[64];
  std::uint8_t d[2], dmin[2];
};
struct BlockQ3_K {
  std::uint8_t high[32];  // third bits
  std::uint8_t q[64];
  std::uint8_t scales[12];  // 16 scales of 6 bits
  std::uint8_t d[2];
};
struct BlockQ4_K {
  std::uint8_t d[2], dmin[2];
  std::uint8_t scales[12];  // 8 scales and 8 mins of 6 bits
  std::uint8_t q[128];
};
struct BlockQ5_K {
  std::uint8_t d[2], dmin[2];
  std::uint8_t scales[12];
  std::uint8_t high[32];
  std::uint8_t q[128];
};
struct BlockQ6_K {
  std::uint8_t low[128];
  std::uint8_t high[64];
  std::int8_t scales[16];
  std::uint8_t d[2];
};
struct BlockIQ4_XS {
  std::uint8_t d[2];
  std::uint8_t scales_high[2];
  std::uint8_t scales_low[4];
  std::uint8_t q[128];
};
static_assert(sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20, "blocks lie as in the file");
static_assert(sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24 && sizeof(BlockIQ4_NL) == 18, "blocks lie as in the file");
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144, "blocks lie as in the file");
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210 && sizeof(BlockIQ4_XS) == 136, "blocks lie as in the file");

// The 16 levels of IQ4_NL and IQ4_XS.
inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// A block of 32 elements: value = d · q + m.
struct Unpacked32 {
  float d, m;
  std::int8_t q[32];
};

// A block of 256 elements: value = (d · scale[e / 16]) · q − dmin · min[e / 16].
struct Unpacked256 {
  float d, dmin;
  std::int16_t scale[16], min[16];
  std::int8_t q[256];
};

static inline float load_half(const std::uint8_t (&bytes)[2]) {
  return f16_to_f32(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8));
}

static inline void unpack(const BlockQ8_0& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = 0;
  std::memcpy(out.q, block.q, 32);
}

static inline void unpack(const BlockQ4_0& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = 0;
  for (int j = 0; j < 16; ++j) {
    out.q[j] = static_cast<std::int8_t>((block.q[j] & 15) - 8);
    out.q[j + 16] = static_cast<std::int8_t>((block.q[j] >> 4) - 8);
  }
}

static inline void unpack(const BlockQ4_1& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = load_half(block.m);
  for (int j = 0; j < 16; ++j) {
    out.q[j] = static_cast<std::int8_t>(block.q[j] & 15);
    out.q[j + 16] = static_cast<std::int8_t>(block.q[j] >> 4);
  }
}

static inline void unpack_five_bits(const std::uint8_t (&high)[4], const std::uint8_t (&q)[16], int offset, std::int8_t* out) {
  const std::uint32_t bits = high[0] | high[1] << 8 | high[2] << 16 | static_cast<std::uint32_t>(high[3]) << 24;
  for (int j = 0; j < 16; ++j) {
    out[j] = static_cast<std::int8_t>(((q[j] & 15) | (bits >> j & 1) << 4) - offset);
    out[j + 16] = static_cast<std::int8_t>((q[j] >> 4 | (bits >> (j + 16) & 1) << 4) - offset);
  }
}

static inline void unpack(const BlockQ5_0& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = 0;
  unpack_five_bits(block.high, block.q, 16, out.q);
}

static inline void unpack(const BlockQ5_1& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = load_half(block.m);
  unpack_five_bits(block.high, block.q, 0, out.q);
}

static inline void unpack(const BlockIQ4_NL& block, Unpacked32& out) {
  out.d = load_half(block.d);
  out.m = 0;
  for (int j = 0; j < 16; ++j) {
    out.q[j] = kIq4Values[block.q[j] & 15];
    out.q[j + 16] = kIq4Values[block.q[j] >> 4];
  }
}

static inline void unpack(const BlockQ2_K& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = load_half(block.dmin);
  for (int g = 0; g < 16; ++g) {
    out.scale[g] = block.scales[g] & 15;
    out.min[g] = block.scales[g] >> 4;
  }
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 32; ++l) {
        out.q[128 * half + 32 * k + l] = static_cast<std::int8_t>(block.q[32 * half + l] >> 2 * k & 3);
      }
    }
  }
}

// The 16 scales of a Q3_K block, −32 … 31.
static inline void unpack_scales(const BlockQ3_K& block, std::int16_t* scale) {
  for (int k = 0; k < 16; ++k) {
    const int low = k < 8 ? block.scales[k] & 15 : block.scales[k - 8] >> 4;
    const int high = block.scales[8 + k % 4] >> 2 * (k / 4) & 3;
    scale[k] = static_cast<std::int16_t>((low | high << 4) - 32);
  }
}

static inline void unpack(const BlockQ3_K& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = 0;
  unpack_scales(block, out.scale);
  std::memset(out.min, 0, sizeof out.min);
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 32; ++l) {
        const int low = block.q[32 * half + l] >> 2 * k & 3;
        const int high = block.high[l] >> (4 * half + k) & 1;
        out.q[128 * half + 32 * k + l] = static_cast<std::int8_t>(low + 4 * high - 4);
      }
    }
  }
}

// The 8 scales and 8 mins of a Q4_K or Q5_K block, 0 … 63 each.
static inline void unpack_scales(const std::uint8_t (&s)[12], std::uint8_t* scale, std::uint8_t* min) {
  for (int j = 0; j < 4; ++j) {
    scale[j] = s[j] & 63;
    min[j] = s[j + 4] & 63;
    scale[j + 4] = static_cast<std::uint8_t>((s[j + 8] & 15) | s[j] >> 6 << 4);
    min[j + 4] = static_cast<std::uint8_t>(s[j + 8] >> 4 | s[j + 4] >> 6 << 4);
  }
}

static inline void unpack_scales(const std::uint8_t (&s)[12], Unpacked256& out) {
  std::uint8_t scale[8], min[8];
  unpack_scales(s, scale, min);
  for (int g = 0; g < 16; ++g) {
    out.scale[g] = scale[g / 2];
    out.min[g] = min[g / 2];
  }
}

static inline void unpack(const BlockQ4_K& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = load_half(block.dmin);
  unpack_scales(block.scales, out);
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < 32; ++l) {
      out.q[64 * k + l] = static_cast<std::int8_t>(block.q[32 * k + l] & 15);
      out.q[64 * k + 32 + l] = static_cast<std::int8_t>(block.q[32 * k + l] >> 4);
    }
  }
}

static inline void unpack(const BlockQ5_K& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = load_half(block.dmin);
  unpack_scales(block.scales, out);
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < 32; ++l) {
      const int high = block.high[l] >> 2 * k;
      out.q[64 * k + l] = static_cast<std::int8_t>((block.q[32 * k + l] & 15) | (high & 1) << 4);
      out.q[64 * k + 32 + l] = static_cast<std::int8_t>(block.q[32 * k + l] >> 4 | (high >> 1 & 1) << 4);
    }
  }
}

static inline void unpack(const BlockQ6_K& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = 0;
  for (int g = 0; g < 16; ++g) out.scale[g] = block.scales[g];
  std::memset(out.min, 0, sizeof out.min);
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 32; ++l) {
        const int byte = block.low[64 * half + l + 32 * (k & 1)];
        const int low = k >= 2 ? byte >> 4 : byte & 15;
        const int high = block.high[32 * half + l] >> 2 * k & 3;
        out.q[128 * half + 32 * k + l] = static_cast<std::int8_t>((low | high << 4) - 32);
      }
    }
  }
}

// The 8 scales of an IQ4_XS block, −32 … 31.
static inline void unpack_scales(const BlockIQ4_XS& block, std::int16_t* scale) {
  const int high = block.scales_high[0] | block.scales_high[1] << 8;
  for (int b = 0; b < 8; ++b) {
    const int low = block.scales_low[b / 2] >> 4 * (b % 2) & 15;
    scale[b] = static_cast<std::int16_t>((low | (high >> 2 * b & 3) << 4) - 32);
  }
}

static inline void unpack(const BlockIQ4_XS& block, Unpacked256& out) {
  out.d = load_half(block.d);
  out.dmin = 0;
  std::int16_t scale[8];
  unpack_scales(block, scale);
  for (int g = 0; g < 16; ++g) out.scale[g] = scale[g / 2];
  std::memset(out.min, 0, sizeof out.min);
  for (int b = 0; b < 8; ++b) {
    for (int j = 0; j < 16; ++j) {
      out.q[32 * b + j] = kIq4Values[block.q[16 * b + j] & 15];
      out.q[32 * b + 16 + j] = kIq4Values[block.q[16 * b + j] >> 4];
    }
  }
}

}  // namespace tandem::kernels
