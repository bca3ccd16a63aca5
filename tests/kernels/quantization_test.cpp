#include "kernels/quantization.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "tests/kernels/reference/reference_ops.h"
#include "tests/kernels/test_backend.h"
#include "tests/support/quantize.h"

namespace tandem::kernels {
namespace {

// A block whose byte k is 37k + 11, with halves 0.5 and 0.25 put where the format has them, and what it decodes to. The
// sums have few bits, so they are exact and see every element and its place.
struct Vector {
  DType dtype;
  std::vector<std::size_t> halves;  // byte offsets of 0.5 and then 0.25
  float first, second, sixteenth, thirty_first;
  double sum, sum_of_magnitudes, sum_by_place;
};

const std::vector<Vector>& vectors() {
  static const std::vector<Vector> kVectors{
      {DType::kQ4_0, {0}, -1.5f, 1, -1.5f, 0, -10.5, 61.5, -259},
      {DType::kQ4_1, {0, 2}, 7.75f, 2.25f, 4.75f, 6.25f, 130.5, 130.5, 2123.5},
      {DType::kQ5_0, {0}, 4.5f, -1, 7, 0.5f, 7.5, 123.5, 56},
      {DType::kQ5_1, {0, 2}, 9.75f, 12.25f, 9.75f, 2.75f, 260.5, 260.5, 4082.5},
      {DType::kQ8_0, {0}, 42.5f, 61, -45.5f, -24, -88, 1086, -4040},
      {DType::kIQ4_NL, {0}, -17.5f, 12.5f, -17.5f, 0.5f, -128.5, 852.5, -3459.5},
      {DType::kQ2_K, {80, 82}, 16.5f, 0, -0.75f, -0.75f, 1029.5, 1282, 121565},
      {DType::kQ3_K, {108}, 40.5f, -54, -48, 32, 479, 4605, 88572.5},
      {DType::kQ4_K, {0, 2}, 157.75f, -12.75f, 157.75f, 80.25f, 27220, 27514, 3786420},
      {DType::kQ5_K, {0, 2}, 405.75f, -12.75f, 405.75f, 80.25f, 58108, 58279.5, 8013724},
      {DType::kQ6_K, {208}, -715.5f, 848, -216, -48, 2306, 133251, 392210},
      {DType::kIQ4_XS, {0}, 32.5f, -0.5f, 32.5f, 17.5f, -5502.5, 83331.5, -1045567},
  };
  return kVectors;
}

TEST(DequantizeRow, BlockOfKnownBytesHasKnownValues) {
  for (const Vector& vector : vectors()) {
    const DTypeInfo& info = dtype_info(vector.dtype);
    SCOPED_TRACE(info.name);
    std::vector<std::byte> bytes(static_cast<std::size_t>(info.block_bytes));
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>(37 * k + 11);
    for (std::size_t h = 0; h < vector.halves.size(); ++h) {
      bytes[vector.halves[h]] = std::byte{0};
      bytes[vector.halves[h] + 1] = h == 0 ? std::byte{0x38} : std::byte{0x34};
    }
    std::vector<float> y(static_cast<std::size_t>(info.block_elements));
    dequantize_row(vector.dtype, bytes, y);
    EXPECT_EQ(y[0], vector.first);
    EXPECT_EQ(y[1], vector.second);
    EXPECT_EQ(y[16], vector.sixteenth);
    EXPECT_EQ(y[31], vector.thirty_first);
    double sum = 0, sum_of_magnitudes = 0, sum_by_place = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += y[i];
      sum_of_magnitudes += std::abs(y[i]);
      sum_by_place += static_cast<double>(i + 1) * y[i];
    }
    EXPECT_EQ(sum, vector.sum);
    EXPECT_EQ(sum_of_magnitudes, vector.sum_of_magnitudes);
    EXPECT_EQ(sum_by_place, vector.sum_by_place);
  }
}

TEST(DequantizeRow, SeveralBlocksAtAnOddAddressAreTheBlocksOneByOne) {
  for (const DType dtype : tandem::testing::matrix_dtypes()) {
    SCOPED_TRACE(dtype_info(dtype).name);
    const auto values = tandem::testing::random_values(512, 7);
    const auto bytes = tandem::testing::quantize(dtype, values);
    std::vector<std::byte> shifted(bytes.size() + 1);
    std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
    std::vector<float> whole(512), halves(512);
    dequantize_row(dtype, std::span(shifted).subspan(1), whole);
    dequantize_row(dtype, std::span(bytes).first(bytes.size() / 2), std::span(halves).first(256));
    dequantize_row(dtype, std::span(bytes).subspan(bytes.size() / 2), std::span(halves).subspan(256));
    EXPECT_EQ(whole, halves);
  }
}

// Round-trip errors of the reference quantisers on normally distributed values; a wrong place of a scale or a bit shows as
// an error near 1.
TEST(Quantize, RoundTripErrorIsThatOfTheFormat) {
  const auto values = tandem::testing::random_values(256 * 16, 11);
  const std::vector<double> exact(values.begin(), values.end());
  const auto limit = [](DType dtype) {
    switch (dtype) {
      case DType::kF32: return 0.0;
      case DType::kF16: return 1e-7;
      case DType::kBF16: return 1e-5;
      case DType::kQ8_0: return 1e-4;
      case DType::kQ6_K: return 1e-3;
      case DType::kQ5_0:
      case DType::kQ5_1:
      case DType::kQ5_K: return 4e-3;
      case DType::kQ3_K: return 0.06;
      case DType::kQ2_K: return 0.16;
      default: return 0.015;  // four bits
    }
  };
  for (const DType dtype : tandem::testing::matrix_dtypes()) {
    EXPECT_LE(tandem::testing::nmse(tandem::testing::quantize_and_back(dtype, values), exact), limit(dtype))
        << dtype_info(dtype).name;
  }
}

TEST(Quantize, ZerosStayZero) {
  const std::vector<float> zeros(256);
  for (const DType dtype : tandem::testing::matrix_dtypes()) {
    EXPECT_EQ(tandem::testing::quantize_and_back(dtype, zeros), zeros) << dtype_info(dtype).name;
  }
}

}  // namespace
}  // namespace tandem::kernels
