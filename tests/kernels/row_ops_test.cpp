// rms_norm, rope, silu_mul, gather_rows, embed.
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/quantization.h"
#include "tests/kernels/reference/reference_ops.h"
#include "tests/kernels/test_backend.h"
#include "tests/support/quantize.h"

namespace tandem::kernels {
namespace {

using tandem::testing::for_each_backend;
using tandem::testing::max_difference;
using tandem::testing::random_values;
using tandem::testing::tensor;

TEST(RmsNorm, EverySizeAgreesWithDoublePrecision) {
  for_each_backend([](Backend& backend) {
    for (const std::int64_t size : {1, 7, 8, 9, 128, 255, 256, 257, 1000, 4096}) {
      for (const std::int64_t n : {1, 33}) {
        auto x = random_values(static_cast<std::size_t>(n * size), 1, 3),
             weight = random_values(static_cast<std::size_t>(size), 2);
        std::vector<float> out(x.size());
        backend.rms_norm(tensor(x, n, size), tensor(weight, size, 1), 1e-6f, tensor(out, n, size));
        EXPECT_LE(max_difference(out, tandem::testing::reference_rms_norm(x, weight, 1e-6f)), 2e-6) << n << " x " << size;
      }
    }
  });
}

TEST(RmsNorm, NormsEachHeadInPlace) {
  for_each_backend([](Backend& backend) {
    auto x = random_values(5 * 3 * 16, 1), weight = random_values(16, 2);
    const auto expected = tandem::testing::reference_rms_norm(x, weight, 1e-5f);
    backend.rms_norm(tensor(x, 5, 3, 16), tensor(weight, 1, 16), 1e-5f, tensor(x, 5, 3, 16));
    EXPECT_LE(max_difference(x, expected), 2e-6);
  });
}

TEST(RmsNorm, LargeAndTinyValuesKeepTheirDigits) {
  for_each_backend([](Backend& backend) {
    for (const float scale : {1e15f, 1e-12f}) {
      auto x = random_values(512, 1, scale), weight = std::vector<float>(512, 1.0f);
      std::vector<float> out(x.size());
      backend.rms_norm(tensor(x, 1, 512), tensor(weight, 512, 1), 1e-30f, tensor(out, 1, 512));
      EXPECT_LE(max_difference(out, tandem::testing::reference_rms_norm(x, weight, 1e-30f)), 2e-6) << scale;
    }
  });
}

TEST(Rope, BothPairingsAndPartialDimensionsAgreeWithDoublePrecision) {
  const std::vector<std::int32_t> positions{0, 1, 5, 4095, 131071, 1000000};
  const std::int64_t n = static_cast<std::int64_t>(positions.size());
  for_each_backend([&](Backend& backend) {
    for (const auto& [head_dim, rotary_dim] : {std::pair{2, 2}, {16, 16}, {18, 18}, {64, 32}, {128, 128}, {40, 12}}) {
      std::vector<float> inv_freq;
      for (int i = 0; i < rotary_dim / 2; ++i) {
        inv_freq.push_back(static_cast<float>(std::pow(1e6, -2.0 * i / rotary_dim)));
      }
      for (const RopePairing pairing : {RopePairing::kHalfSplit, RopePairing::kAdjacent}) {
        for (const std::int64_t num_heads : {1, 3}) {
          auto x = random_values(static_cast<std::size_t>(n * num_heads * head_dim), 3);
          const auto expected = tandem::testing::reference_rope(x, positions, num_heads, head_dim, inv_freq, pairing);
          backend.rope(tensor(x, n, num_heads, head_dim), positions, inv_freq, pairing);
          EXPECT_LE(max_difference(x, expected), 1e-6) << head_dim << ", " << rotary_dim << " turned";
        }
      }
    }
  });
}

TEST(Rope, AngleTablesFollowPositionsAndFrequencies) {
  // The backend keeps the angles of the last call; every change of the arguments must be noticed.
  const auto backend = tandem::testing::make_backend("generic", 1);
  const std::vector<std::vector<std::int32_t>> positions{{1, 2}, {1, 3}, {3}, {1, 2}};
  const std::vector<std::vector<float>> frequencies{{1.0f, 0.1f}, {1.0f, 0.2f}, {0.5f}};
  for (const auto& inv_freq : frequencies) {
    for (const auto& position : positions) {
      const std::int64_t n = static_cast<std::int64_t>(position.size());
      auto x = random_values(static_cast<std::size_t>(n * 4), 3);
      const auto expected = tandem::testing::reference_rope(x, position, 1, 4, inv_freq, RopePairing::kHalfSplit);
      backend->rope(tensor(x, n, 1, 4), position, inv_freq, RopePairing::kHalfSplit);
      EXPECT_LE(max_difference(x, expected), 1e-6);
    }
  }
}

TEST(SiluMul, EverySizeAgreesWithDoublePrecisionAlsoInPlace) {
  for_each_backend([](Backend& backend) {
    for (const std::int64_t size : {1, 7, 8, 9, 1000, 20000}) {
      auto gate = random_values(static_cast<std::size_t>(3 * size), 1, 5),
           up = random_values(static_cast<std::size_t>(3 * size), 2);
      const auto expected = tandem::testing::reference_silu_mul(gate, up);
      backend.silu_mul(tensor(gate, 3, size), tensor(up, 3, size), tensor(gate, 3, size));
      for (std::size_t i = 0; i < gate.size(); ++i)
        ASSERT_NEAR(gate[i], expected[i], 5e-7 * std::abs(expected[i]) + 1e-12) << size;
    }
  });
}

TEST(SiluMul, FarValuesAreFiniteAndNanStays) {
  for_each_backend([](Backend& backend) {
    std::vector<float> gate{-1000, -100, -88, 88, 100, 1000, 0, std::nanf("")}, up(8, 1.0f), out(8);
    backend.silu_mul(tensor(gate, 1, 8), tensor(up, 1, 8), tensor(out, 1, 8));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i], 0, 1e-34);
    EXPECT_EQ(out[3], 88);
    EXPECT_EQ(out[4], 100);
    EXPECT_EQ(out[5], 1000);
    EXPECT_EQ(out[6], 0);
    EXPECT_TRUE(std::isnan(out[7]));
  });
}

TEST(GatherRows, TakesTheRowsInOrder) {
  for_each_backend([](Backend& backend) {
    auto x = random_values(5 * 33, 1);
    std::vector<float> out(3 * 33);
    const std::vector<std::int32_t> rows{4, 0, 4};
    backend.gather_rows(tensor(x, 5, 33), rows, tensor(out, 3, 33));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < 33; ++k) EXPECT_EQ(out[i * 33 + k], x[static_cast<std::size_t>(rows[i]) * 33 + k]);
    }
  });
}

TEST(Embed, RowsAreTheExactDequantisedValues) {
  for_each_backend([](Backend& backend) {
    for (const DType dtype : tandem::testing::matrix_dtypes()) {
      const auto values = random_values(7 * 512, 1);
      const auto table = tandem::testing::load_values(backend, dtype, values, 7, 512);
      const auto expected = tandem::testing::quantize_and_back(dtype, values);
      const std::vector<std::int32_t> ids{6, 0, 3, 3};
      std::vector<float> out(4 * 512);
      backend.embed(*table, ids, tensor(out, 4, 512));
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t from = static_cast<std::size_t>(ids[i]) * 512;
        EXPECT_TRUE(std::equal(out.begin() + static_cast<std::ptrdiff_t>(i * 512),
                               out.begin() + static_cast<std::ptrdiff_t>((i + 1) * 512),
                               expected.begin() + static_cast<std::ptrdiff_t>(from)))
            << dtype_info(dtype).name << ", id " << ids[i];
      }
    }
  });
}

TEST(EmbedDeathTest, IdOutsideTheTableEndsTheProgram) {
  const auto backend = tandem::testing::make_backend("generic", 1);
  const auto table = tandem::testing::load_values(*backend, DType::kF32, random_values(8, 1), 2, 4);
  std::vector<float> out(4);
  const std::int32_t id = 2;
  EXPECT_DEATH(backend->embed(*table, {&id, 1}, tensor(out, 1, 4)), "token id outside");
}

}  // namespace
}  // namespace tandem::kernels
