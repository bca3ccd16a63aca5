#include "kernels/quantization.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "kernels/block_formats.h"

namespace tandem::kernels {
namespace {

template <class Block>
Block read_block(const std::byte* bytes) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  return block;
}

template <class Block>
void dequantize_32(const std::byte* bytes, std::span<float> out) {
  Unpacked32 u;
  for (std::size_t first = 0; first < out.size(); first += 32, bytes += sizeof(Block)) {
    unpack(read_block<Block>(bytes), u);
    for (int j = 0; j < 32; ++j) out[first + j] = static_cast<float>(u.q[j]) * u.d;
  }
}

template <class Block>
void dequantize_32_with_min(const std::byte* bytes, std::span<float> out) {
  Unpacked32 u;
  for (std::size_t first = 0; first < out.size(); first += 32, bytes += sizeof(Block)) {
    unpack(read_block<Block>(bytes), u);
    for (int j = 0; j < 32; ++j) out[first + j] = static_cast<float>(u.q[j]) * u.d + u.m;
  }
}

template <class Block>
void dequantize_256(const std::byte* bytes, std::span<float> out) {
  Unpacked256 u;
  for (std::size_t first = 0; first < out.size(); first += 256, bytes += sizeof(Block)) {
    unpack(read_block<Block>(bytes), u);
    for (int g = 0; g < 16; ++g) {
      const float scale = u.d * static_cast<float>(u.scale[g]);
      for (int j = 16 * g; j < 16 * g + 16; ++j) out[first + j] = scale * static_cast<float>(u.q[j]);
    }
  }
}

template <class Block>
void dequantize_256_with_min(const std::byte* bytes, std::span<float> out) {
  Unpacked256 u;
  for (std::size_t first = 0; first < out.size(); first += 256, bytes += sizeof(Block)) {
    unpack(read_block<Block>(bytes), u);
    for (int g = 0; g < 16; ++g) {
      const float scale = u.d * static_cast<float>(u.scale[g]);
      const float min = u.dmin * static_cast<float>(u.min[g]);
      for (int j = 16 * g; j < 16 * g + 16; ++j) out[first + j] = scale * static_cast<float>(u.q[j]) - min;
    }
  }
}

template <float (*convert)(std::uint16_t)>
void dequantize_16_bits(const std::byte* bytes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t value;
    std::memcpy(&value, bytes + 2 * i, 2);
    out[i] = convert(value);
  }
}

}  // namespace

void dequantize_row(DType dtype, std::span<const std::byte> bytes, std::span<float> out) {
  CHECK(is_matrix_dtype(dtype), "no float values can be made from this type");
  CHECK(static_cast<std::int64_t>(bytes.size()) == row_bytes(dtype, static_cast<std::int64_t>(out.size())),
        "bytes and values of the row do not match");
  switch (dtype) {
    case DType::kF32: std::memcpy(out.data(), bytes.data(), bytes.size()); break;
    case DType::kF16: dequantize_16_bits<f16_to_f32>(bytes.data(), out); break;
    case DType::kBF16: dequantize_16_bits<bf16_to_f32>(bytes.data(), out); break;
    case DType::kQ8_0: dequantize_32<BlockQ8_0>(bytes.data(), out); break;
    case DType::kQ4_0: dequantize_32<BlockQ4_0>(bytes.data(), out); break;
    case DType::kQ4_1: dequantize_32_with_min<BlockQ4_1>(bytes.data(), out); break;
    case DType::kQ5_0: dequantize_32<BlockQ5_0>(bytes.data(), out); break;
    case DType::kQ5_1: dequantize_32_with_min<BlockQ5_1>(bytes.data(), out); break;
    case DType::kIQ4_NL: dequantize_32<BlockIQ4_NL>(bytes.data(), out); break;
    case DType::kQ2_K: dequantize_256_with_min<BlockQ2_K>(bytes.data(), out); break;
    case DType::kQ3_K: dequantize_256<BlockQ3_K>(bytes.data(), out); break;
    case DType::kQ4_K: dequantize_256_with_min<BlockQ4_K>(bytes.data(), out); break;
    case DType::kQ5_K: dequantize_256_with_min<BlockQ5_K>(bytes.data(), out); break;
    case DType::kQ6_K: dequantize_256<BlockQ6_K>(bytes.data(), out); break;
    case DType::kIQ4_XS: dequantize_256<BlockIQ4_XS>(bytes.data(), out); break;
    default: CHECK(false, "is_matrix_dtype() and this list differ");
  }
}

}  // namespace tandem::kernels
