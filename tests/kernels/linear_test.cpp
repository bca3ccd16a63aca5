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
using tandem::testing::load_values;
using tandem::testing::matrix_dtypes;
using tandem::testing::random_values;
using tandem::testing::tensor;

// Against double precision over the dequantised weights. Float weights: rounding of float sums. Quantised: activations are
// rounded to 8 bits, per 32 (0.4 % of the block's largest) or per 256 values.
double tolerance(DType dtype) {
  return dtype <= DType::kBF16 ? 1e-12 : 5e-4;
}

std::vector<float> run_linear(Backend& backend, const Matrix& w, std::vector<float> x, Accumulate accumulate = Accumulate::kNo,
                              float initial = 0) {
  const std::int64_t n = static_cast<std::int64_t>(x.size()) / w.spec().num_cols;
  std::vector<float> out(static_cast<std::size_t>(n * w.spec().num_rows), initial);
  backend.linear(w, tensor(x, n, w.spec().num_cols), tensor(out, n, w.spec().num_rows), accumulate);
  EXPECT_TRUE(backend.finish());
  return out;
}

TEST(Linear, EveryTypeAndSizeAgreesWithDoublePrecision) {
  for (const DType dtype : matrix_dtypes()) {
    const std::int64_t block = dtype_info(dtype).block_elements;
    for (const std::int64_t num_cols : {block, block == 1 ? std::int64_t{43} : 3 * block}) {
      for (const std::int64_t num_rows : {1, 4, 5, 33}) {
        for (const std::int64_t n : {1, 7, 8, 15}) {
          const auto values = random_values(static_cast<std::size_t>(num_rows * num_cols), 1, 0.1f);
          const auto x = random_values(static_cast<std::size_t>(n * num_cols), 2);
          const auto expected =
              tandem::testing::reference_linear(tandem::testing::quantize_and_back(dtype, values), x, num_cols);
          // A sum can be small by cancellation, which makes its relative error large: compare with the size of what was
          // added up.
          double power = 0;
          for (const float v : values) power += static_cast<double>(v) * v;
          const double scale = std::sqrt(power / static_cast<double>(num_rows));
          for_each_backend([&](Backend& backend) {
            const auto out = run_linear(backend, *load_values(backend, dtype, values, num_rows, num_cols), x);
            double error = 0;
            for (std::size_t i = 0; i < out.size(); ++i) error += std::pow((out[i] - expected[i]) / scale, 2);
            EXPECT_LE(error / static_cast<double>(out.size()), tolerance(dtype))
                << dtype_info(dtype).name << " [" << num_rows << ", " << num_cols << "], " << n << " rows";
          });
        }
      }
    }
  }
}

TEST(Linear, ExtremeCodesDoNotOverflow) {
  // All codes at their ends and activations at ±127 steps: the largest integer sums there are.
  for_each_backend([](Backend& backend) {
    for (const DType dtype : matrix_dtypes()) {
      const std::int64_t num_cols = 512;
      for (const float sign : {1.0f, -1.0f}) {
        std::vector<float> values(static_cast<std::size_t>(num_cols), sign), x(static_cast<std::size_t>(num_cols));
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = k % 2 == 0 || sign > 0 ? 1.0f : -1.0f;
        values[1] = -sign;  // so that formats with a minimum use the whole range
        const auto w = load_values(backend, dtype, values, 1, num_cols);
        const auto expected = tandem::testing::reference_linear(tandem::testing::quantize_and_back(dtype, values), x, num_cols);
        const auto out = run_linear(backend, *w, x);
        EXPECT_NEAR(out[0], expected[0], 0.01) << dtype_info(dtype).name;
      }
    }
  });
}

TEST(Linear, RandomBytesInEveryFieldAgreeWithDoublePrecision) {
  // A quantiser never writes some combinations of scales, minima and codes; files may hold any.
  for_each_backend([](Backend& backend) {
    for (const DType dtype : matrix_dtypes()) {
      if (dtype <= DType::kBF16) continue;
      const DTypeInfo& info = dtype_info(dtype);
      const std::int64_t num_rows = 8, num_cols = 1024;
      std::mt19937 engine(99);
      std::vector<std::byte> bytes(static_cast<std::size_t>(num_rows * row_bytes(dtype, num_cols)));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
      // The halves must be ordinary numbers: 0x2c.. is about 0.07.
      std::vector<std::size_t> halves{0};
      if (dtype == DType::kQ4_1 || dtype == DType::kQ5_1 || dtype == DType::kQ4_K || dtype == DType::kQ5_K) halves = {0, 2};
      if (dtype == DType::kQ2_K) halves = {80, 82};
      if (dtype == DType::kQ3_K) halves = {108};
      if (dtype == DType::kQ6_K) halves = {208};
      for (std::size_t block = 0; block < bytes.size(); block += static_cast<std::size_t>(info.block_bytes)) {
        for (const std::size_t half : halves) bytes[block + half + 1] = std::byte{0x2c};
      }
      std::vector<float> values(static_cast<std::size_t>(num_rows * num_cols));
      dequantize_row(dtype, bytes, values);
      const auto x = random_values(static_cast<std::size_t>(9 * num_cols), 5);
      tandem::testing::MemorySource source(bytes);
      const auto w = std::move(backend.load_matrix({dtype, num_rows, num_cols, 1, "random"}, source, {})).value();
      const auto out = run_linear(backend, *w, x);
      EXPECT_LE(tandem::testing::nmse(out, tandem::testing::reference_linear(values, x, num_cols)), 5e-4) << info.name;
    }
  });
}

TEST(Linear, ARowDoesNotDependOnItsNeighboursOrThreads) {
  for (const std::string& target : tandem::testing::usable_targets()) {
    for (const DType dtype : matrix_dtypes()) {
      SCOPED_TRACE(target + " " + std::string(dtype_info(dtype).name));
      const std::int64_t num_rows = 37, num_cols = 768, n = 23;
      const auto values = random_values(static_cast<std::size_t>(num_rows * num_cols), 3, 0.1f);
      const auto x = random_values(static_cast<std::size_t>(n * num_cols), 4);
      const auto alone_backend = tandem::testing::make_backend(target, 1);
      const auto alone_w = load_values(*alone_backend, dtype, values, num_rows, num_cols);
      std::vector<float> alone;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto row = run_linear(*alone_backend, *alone_w, {x.begin() + i * num_cols, x.begin() + (i + 1) * num_cols});
        alone.insert(alone.end(), row.begin(), row.end());
      }
      for (const int num_threads : {1, 2, 5}) {
        const auto backend = tandem::testing::make_backend(target, num_threads);
        const auto w = load_values(*backend, dtype, values, num_rows, num_cols);
        EXPECT_EQ(run_linear(*backend, *w, x), alone) << num_threads << " threads";
      }
    }
  }
}

TEST(Linear, AccumulateAddsToWhatIsThere) {
  for_each_backend([](Backend& backend) {
    for (const DType dtype : {DType::kF32, DType::kQ8_0, DType::kQ4_K}) {
      const auto w = load_values(backend, dtype, random_values(5 * 256, 3), 5, 256);
      const auto x = random_values(3 * 256, 4);
      const auto plain = run_linear(backend, *w, x);
      const auto added = run_linear(backend, *w, x, Accumulate::kYes, 10);
      for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(added[i], 10 + plain[i]);
    }
  });
}

TEST(Linear, NanAndInfinityInARowAreSeenInItsResultOnly) {
  for_each_backend([](Backend& backend) {
    for (const DType dtype : matrix_dtypes()) {
      for (const float bad : {std::nanf(""), HUGE_VALF}) {
        const auto w = load_values(backend, dtype, random_values(4 * 256, 3), 4, 256);
        auto x = random_values(3 * 256, 4);
        x[256 + 77] = bad;
        const auto out = run_linear(backend, *w, x);
        for (std::size_t r = 0; r < 4; ++r) {
          EXPECT_TRUE(std::isfinite(out[r]) && std::isfinite(out[8 + r])) << dtype_info(dtype).name;
          EXPECT_FALSE(std::isfinite(out[4 + r])) << dtype_info(dtype).name;
        }
      }
    }
  });
}

TEST(Linear, TinyActivationsGiveNoNan) {
  for_each_backend([](Backend& backend) {
    for (const DType dtype : matrix_dtypes()) {
      const auto w = load_values(backend, dtype, random_values(2 * 256, 3), 2, 256);
      for (const float value : run_linear(backend, *w, std::vector<float>(256, 1e-42f))) {
        EXPECT_LE(std::abs(value), 1e-35f) << dtype_info(dtype).name;
      }
    }
  });
}

}  // namespace
}  // namespace tandem::kernels
