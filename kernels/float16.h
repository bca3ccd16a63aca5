// IEEE binary16 and bfloat16 as bit patterns. Conversions are exact, or round to nearest even; NaN stays NaN (made quiet).
//
// The functions have internal linkage on purpose: this header is included by files compiled for different instruction sets,
// and the linker must not merge their copies.
#pragma once

#include <cstdint>
#include <cstring>

namespace tandem::kernels {

static inline float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static inline std::uint32_t bits_of_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  // Moves the exponent from bias 15 to 127; the product also normalises subnormals, exactly.
  const std::uint32_t finite = bits_of_float(float_from_bits(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude | 0x7f800000u;
  return float_from_bits(sign | (magnitude >= 0x0f800000u ? special : finite));
}

static inline std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = bits_of_float(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and more round to infinity
  if (magnitude < 0x38800000u) {                                                    // below 2^-14: subnormal
    // Adding 0.5 puts the bits of value / 2^-24, rounded by the hardware, at the bottom of the significand.
    const std::uint32_t shifted = bits_of_float(float_from_bits(magnitude) + 0.5f) - 0x3f000000u;
    return static_cast<std::uint16_t>(sign | shifted);
  }
  const std::uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

static inline float bf16_to_f32(std::uint16_t value) {
  return float_from_bits(static_cast<std::uint32_t>(value) << 16);
}

static inline std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace tandem::kernels
