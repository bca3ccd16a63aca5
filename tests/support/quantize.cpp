#include "tests/support/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "kernels/block_formats.h"
#include "kernels/quantization.h"

namespace tandem::testing {
namespace {

using kernels::DType;
using Values32 = std::span<const float, 32>;
using Values256 = std::span<const float, 256>;

// Stores `value` as a half and returns what the half means.
float put_half(float value, std::uint8_t (&bytes)[2]) {
  const std::uint16_t half = kernels::f32_to_f16(value);
  bytes[0] = static_cast<std::uint8_t>(half);
  bytes[1] = static_cast<std::uint8_t>(half >> 8);
  return kernels::f16_to_f32(half);
}

float inverse_of(float value) {
  return value == 0 ? 0 : 1 / value;
}

int nearest(float value, int low, int high) {
  return std::clamp(static_cast<int>(std::lround(value)), low, high);
}

// The signed value of largest magnitude; the first one of several.
float largest(std::span<const float> x) {
  float best = 0;
  for (const float v : x) {
    if (std::abs(v) > std::abs(best)) best = v;
  }
  return best;
}

int nearest_iq4(float value) {
  int best = 0;
  for (int i = 1; i < 16; ++i) {
    if (std::abs(value - kernels::kIq4Values[i]) < std::abs(value - kernels::kIq4Values[best])) best = i;
  }
  return best;
}

void put_nibbles(const std::array<int, 32>& q, std::uint8_t* bytes) {
  for (int j = 0; j < 16; ++j) bytes[j] = static_cast<std::uint8_t>((q[j] & 15) | (q[j + 16] & 15) << 4);
}

void put_fifth_bits(const std::array<int, 32>& q, std::uint8_t (&high)[4]) {
  std::memset(high, 0, sizeof high);
  for (int j = 0; j < 32; ++j) high[j / 8] = static_cast<std::uint8_t>(high[j / 8] | (q[j] >> 4 & 1) << j % 8);
}

void quantize_block(Values32 x, kernels::BlockQ8_0& block) {
  const float d = std::abs(largest(x)) / 127.0f;
  put_half(d, block.d);
  const float inverse = inverse_of(d);
  for (int j = 0; j < 32; ++j) block.q[j] = static_cast<std::int8_t>(std::round(x[j] * inverse));
}

// q = min(2·offset − 1, trunc(x / d + offset + 0.5)) with d = largest / −offset, as the reference of Q4_0.
std::array<int, 32> quantize_symmetric(Values32 x, int offset, std::uint8_t (&d_bytes)[2]) {
  const float d = largest(x) / static_cast<float>(-offset);
  put_half(d, d_bytes);
  const float inverse = inverse_of(d);
  std::array<int, 32> q;
  for (int j = 0; j < 32; ++j) {
    q[j] = std::min(2 * offset - 1, static_cast<int>(x[j] * inverse + static_cast<float>(offset) + 0.5f));
  }
  return q;
}

std::array<int, 32> quantize_between(Values32 x, int levels, std::uint8_t (&d_bytes)[2], std::uint8_t (&m_bytes)[2]) {
  const auto [min, max] = std::ranges::minmax(x);
  const float d = put_half((max - min) / static_cast<float>(levels), d_bytes);
  const float m = put_half(min, m_bytes);
  std::array<int, 32> q;
  for (int j = 0; j < 32; ++j) q[j] = nearest((x[j] - m) * inverse_of(d), 0, levels);
  return q;
}

void quantize_block(Values32 x, kernels::BlockQ4_0& block) {
  put_nibbles(quantize_symmetric(x, 8, block.d), block.q);
}

void quantize_block(Values32 x, kernels::BlockQ4_1& block) {
  put_nibbles(quantize_between(x, 15, block.d, block.m), block.q);
}

void quantize_block(Values32 x, kernels::BlockQ5_0& block) {
  const auto q = quantize_symmetric(x, 16, block.d);
  put_nibbles(q, block.q);
  put_fifth_bits(q, block.high);
}

void quantize_block(Values32 x, kernels::BlockQ5_1& block) {
  const auto q = quantize_between(x, 31, block.d, block.m);
  put_nibbles(q, block.q);
  put_fifth_bits(q, block.high);
}

void quantize_block(Values32 x, kernels::BlockIQ4_NL& block) {
  const float d = put_half(largest(x) / -127.0f, block.d);
  std::array<int, 32> q;
  for (int j = 0; j < 32; ++j) q[j] = nearest_iq4(x[j] * inverse_of(d));
  put_nibbles(q, block.q);
}

// Scales and minima of groups, as small integers times a half each, and the codes they give.
struct Groups {
  std::array<int, 16> scale{}, min{};
  std::array<int, 256> q{};
};

// value ≈ d·scale·q − dmin·min with q in [0, levels], scale and min in [0, limit].
Groups quantize_groups_with_min(Values256 x, int group_size, int levels, int limit, std::uint8_t (&d_bytes)[2],
                                std::uint8_t (&dmin_bytes)[2]) {
  Groups result;
  const int num_groups = 256 / group_size;
  std::array<float, 16> scale{}, min{};
  for (int g = 0; g < num_groups; ++g) {
    const auto [lowest, highest] = std::ranges::minmax(x.subspan(static_cast<std::size_t>(g * group_size), group_size));
    min[g] = std::max(0.0f, -lowest);
    scale[g] = std::max(0.0f, (highest + min[g]) / static_cast<float>(levels));
  }
  const float d = put_half(std::ranges::max(scale) / static_cast<float>(limit), d_bytes);
  const float dmin = put_half(std::ranges::max(min) / static_cast<float>(limit), dmin_bytes);
  for (int g = 0; g < num_groups; ++g) {
    result.scale[g] = nearest(scale[g] * inverse_of(d), 0, limit);
    result.min[g] = nearest(min[g] * inverse_of(dmin), 0, limit);
    const float step = d * static_cast<float>(result.scale[g]), low = dmin * static_cast<float>(result.min[g]);
    for (int e = g * group_size; e < (g + 1) * group_size; ++e) {
      result.q[e] = nearest((x[e] + low) * inverse_of(step), 0, levels);
    }
  }
  return result;
}

// value ≈ d·scale·q with q in [−half, half), scale in [−limit, limit].
Groups quantize_groups(Values256 x, int half, int limit, std::uint8_t (&d_bytes)[2]) {
  Groups result;
  std::array<float, 16> scale;
  for (int g = 0; g < 16; ++g) {
    scale[g] = largest(x.subspan(static_cast<std::size_t>(16 * g), 16)) / static_cast<float>(-half);
  }
  const float d = put_half(std::abs(largest(scale)) / static_cast<float>(limit), d_bytes);
  for (int g = 0; g < 16; ++g) {
    result.scale[g] = nearest(scale[g] * inverse_of(d), -limit, limit);
    const float step = d * static_cast<float>(result.scale[g]);
    for (int e = 16 * g; e < 16 * g + 16; ++e) result.q[e] = nearest(x[e] * inverse_of(step), -half, half - 1);
  }
  return result;
}

// Two bits of each of 256 codes, as Q2_K and Q3_K store them.
void put_two_bits(const std::array<int, 256>& q, std::uint8_t (&bytes)[64]) {
  std::memset(bytes, 0, sizeof bytes);
  for (int e = 0; e < 256; ++e) {
    std::uint8_t& byte = bytes[32 * (e / 128) + e % 32];
    byte = static_cast<std::uint8_t>(byte | (q[e] & 3) << 2 * (e % 128 / 32));
  }
}

void quantize_block(Values256 x, kernels::BlockQ2_K& block) {
  const Groups groups = quantize_groups_with_min(x, 16, 3, 15, block.d, block.dmin);
  for (int g = 0; g < 16; ++g) block.scales[g] = static_cast<std::uint8_t>(groups.scale[g] | groups.min[g] << 4);
  put_two_bits(groups.q, block.q);
}

void quantize_block(Values256 x, kernels::BlockQ3_K& block) {
  Groups groups = quantize_groups(x, 4, 31, block.d);
  std::memset(block.scales, 0, sizeof block.scales);
  std::memset(block.high, 0, sizeof block.high);
  for (int k = 0; k < 16; ++k) {
    const int stored = groups.scale[k] + 32;
    std::uint8_t& low = block.scales[k % 8];
    low = static_cast<std::uint8_t>(low | (stored & 15) << (k < 8 ? 0 : 4));
    std::uint8_t& high = block.scales[8 + k % 4];
    high = static_cast<std::uint8_t>(high | stored >> 4 << 2 * (k / 4));
  }
  for (int e = 0; e < 256; ++e) {
    groups.q[e] += 4;
    std::uint8_t& high = block.high[e % 32];
    high = static_cast<std::uint8_t>(high | groups.q[e] >> 2 << e / 32);
  }
  put_two_bits(groups.q, block.q);
}

void put_scales(const Groups& groups, std::uint8_t (&s)[12]) {
  for (int j = 0; j < 4; ++j) {
    s[j] = static_cast<std::uint8_t>(groups.scale[j] | groups.scale[j + 4] >> 4 << 6);
    s[j + 4] = static_cast<std::uint8_t>(groups.min[j] | groups.min[j + 4] >> 4 << 6);
    s[j + 8] = static_cast<std::uint8_t>((groups.scale[j + 4] & 15) | (groups.min[j + 4] & 15) << 4);
  }
}

void put_k_nibbles(const std::array<int, 256>& q, std::uint8_t (&bytes)[128]) {
  for (int b = 0; b < 128; ++b) {
    const int e = 64 * (b / 32) + b % 32;
    bytes[b] = static_cast<std::uint8_t>((q[e] & 15) | (q[e + 32] & 15) << 4);
  }
}

void quantize_block(Values256 x, kernels::BlockQ4_K& block) {
  const Groups groups = quantize_groups_with_min(x, 32, 15, 63, block.d, block.dmin);
  put_scales(groups, block.scales);
  put_k_nibbles(groups.q, block.q);
}

void quantize_block(Values256 x, kernels::BlockQ5_K& block) {
  const Groups groups = quantize_groups_with_min(x, 32, 31, 63, block.d, block.dmin);
  put_scales(groups, block.scales);
  put_k_nibbles(groups.q, block.q);
  std::memset(block.high, 0, sizeof block.high);
  for (int e = 0; e < 256; ++e) {
    std::uint8_t& high = block.high[e % 32];
    high = static_cast<std::uint8_t>(high | groups.q[e] >> 4 << e / 32);
  }
}

void quantize_block(Values256 x, kernels::BlockQ6_K& block) {
  const Groups groups = quantize_groups(x, 32, 127, block.d);
  for (int g = 0; g < 16; ++g) block.scales[g] = static_cast<std::int8_t>(groups.scale[g]);
  std::memset(block.low, 0, sizeof block.low);
  std::memset(block.high, 0, sizeof block.high);
  for (int e = 0; e < 256; ++e) {
    const int half = e / 128, k = e % 128 / 32, l = e % 32, q = groups.q[e] + 32;
    std::uint8_t& low = block.low[64 * half + l + 32 * (k & 1)];
    low = static_cast<std::uint8_t>(low | (q & 15) << (k >= 2 ? 4 : 0));
    std::uint8_t& high = block.high[32 * half + l];
    high = static_cast<std::uint8_t>(high | q >> 4 << 2 * k);
  }
}

void quantize_block(Values256 x, kernels::BlockIQ4_XS& block) {
  std::array<float, 8> scale;
  for (int b = 0; b < 8; ++b) scale[b] = largest(x.subspan(static_cast<std::size_t>(32 * b), 32)) / -127.0f;
  const float d = put_half(std::abs(largest(scale)) / 31.0f, block.d);
  std::memset(block.scales_low, 0, sizeof block.scales_low);
  std::memset(block.scales_high, 0, sizeof block.scales_high);
  for (int b = 0; b < 8; ++b) {
    const int s = nearest(scale[b] * inverse_of(d), -32, 31);
    const int stored = s + 32;
    block.scales_low[b / 2] = static_cast<std::uint8_t>(block.scales_low[b / 2] | (stored & 15) << 4 * (b % 2));
    block.scales_high[b / 4] = static_cast<std::uint8_t>(block.scales_high[b / 4] | stored >> 4 << 2 * (b % 4));
    std::array<int, 32> q;
    for (int j = 0; j < 32; ++j) q[j] = nearest_iq4(x[32 * b + j] * inverse_of(d * static_cast<float>(s)));
    put_nibbles(q, block.q + 16 * b);
  }
}

template <class Block, std::size_t size>
void quantize_blocks(std::span<const float> values, std::byte* out) {
  for (std::size_t first = 0; first < values.size(); first += size, out += sizeof(Block)) {
    Block block;
    quantize_block(std::span<const float, size>(values.data() + first, size), block);
    std::memcpy(out, &block, sizeof block);
  }
}

template <std::uint16_t (*convert)(float)>
void round_to_16_bits(std::span<const float> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = convert(values[i]);
    std::memcpy(out + 2 * i, &bits, 2);
  }
}

}  // namespace

std::vector<std::byte> quantize(DType dtype, std::span<const float> values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(kernels::row_bytes(dtype, static_cast<std::int64_t>(values.size()))));
  std::byte* out = bytes.data();
  switch (dtype) {
    case DType::kF32: std::memcpy(out, values.data(), bytes.size()); break;
    case DType::kF16: round_to_16_bits<kernels::f32_to_f16>(values, out); break;
    case DType::kBF16: round_to_16_bits<kernels::f32_to_bf16>(values, out); break;
    case DType::kQ8_0: quantize_blocks<kernels::BlockQ8_0, 32>(values, out); break;
    case DType::kQ4_0: quantize_blocks<kernels::BlockQ4_0, 32>(values, out); break;
    case DType::kQ4_1: quantize_blocks<kernels::BlockQ4_1, 32>(values, out); break;
    case DType::kQ5_0: quantize_blocks<kernels::BlockQ5_0, 32>(values, out); break;
    case DType::kQ5_1: quantize_blocks<kernels::BlockQ5_1, 32>(values, out); break;
    case DType::kIQ4_NL: quantize_blocks<kernels::BlockIQ4_NL, 32>(values, out); break;
    case DType::kQ2_K: quantize_blocks<kernels::BlockQ2_K, 256>(values, out); break;
    case DType::kQ3_K: quantize_blocks<kernels::BlockQ3_K, 256>(values, out); break;
    case DType::kQ4_K: quantize_blocks<kernels::BlockQ4_K, 256>(values, out); break;
    case DType::kQ5_K: quantize_blocks<kernels::BlockQ5_K, 256>(values, out); break;
    case DType::kQ6_K: quantize_blocks<kernels::BlockQ6_K, 256>(values, out); break;
    case DType::kIQ4_XS: quantize_blocks<kernels::BlockIQ4_XS, 256>(values, out); break;
    default: CHECK(false, "no quantiser for this type");
  }
  return bytes;
}

std::vector<float> quantize_and_back(DType dtype, std::span<const float> values) {
  std::vector<float> result(values.size());
  kernels::dequantize_row(dtype, quantize(dtype, values), result);
  return result;
}

}  // namespace tandem::testing
