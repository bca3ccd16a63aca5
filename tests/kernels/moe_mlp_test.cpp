#include <cmath>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/kernels/reference/reference_ops.h"
#include "tests/kernels/test_backend.h"
#include "tests/support/quantize.h"

namespace tandem::kernels {
namespace {

using tandem::testing::for_each_backend;
using tandem::testing::load_values;
using tandem::testing::random_values;
using tandem::testing::tensor;

constexpr std::int64_t kExperts = 5, kHidden = 256, kIntermediate = 256, kUsed = 2;
constexpr std::size_t kExpertSize = static_cast<std::size_t>(kHidden * kIntermediate);

struct Case {
  std::vector<float> gate = random_values(kExperts * kExpertSize, 1, 0.06f),
                     up = random_values(kExperts * kExpertSize, 2, 0.06f),
                     down = random_values(kExperts * kExpertSize, 3, 0.06f);
  std::vector<float> x, weights;
  std::vector<std::int32_t> ids;
  std::int64_t n;

  explicit Case(std::int64_t rows) : n(rows) {
    x = random_values(static_cast<std::size_t>(n * kHidden), 4);
    weights = random_values(static_cast<std::size_t>(n * kUsed), 5);
    // Expert 3 is never used, expert 0 often.
    for (std::int64_t r = 0; r < n; ++r) ids.insert(ids.end(), {static_cast<std::int32_t>(r % 3), r % 2 == 0 ? 4 : 0});
  }
};

std::vector<float> run(Backend& backend, DType dtype, Case& c, std::int64_t first, std::int64_t n, float initial) {
  const auto gate = load_values(backend, dtype, c.gate, kIntermediate, kHidden, kExperts);
  const auto up = load_values(backend, dtype, c.up, kIntermediate, kHidden, kExperts);
  const auto down = load_values(backend, dtype, c.down, kHidden, kIntermediate, kExperts);
  std::vector<float> scratch(static_cast<std::size_t>(backend.moe_scratch_elements(*gate, n, kUsed)));
  std::vector<float> out(static_cast<std::size_t>(n * kHidden), initial);
  backend.moe_mlp(*gate, *up, *down, tensor(c.x, c.n, kHidden).rows(first, n), tensor(c.ids, c.n, kUsed).rows(first, n),
                  tensor(c.weights, c.n, kUsed).rows(first, n), tensor(scratch, static_cast<std::int64_t>(scratch.size()), 1),
                  tensor(out, n, kHidden));
  EXPECT_TRUE(backend.finish());
  return out;
}

std::vector<double> reference(DType dtype, const Case& c, double initial) {
  const auto back = [&](const std::vector<float>& values) { return tandem::testing::quantize_and_back(dtype, values); };
  const auto gate = back(c.gate), up = back(c.up), down = back(c.down);
  std::vector<double> out(static_cast<std::size_t>(c.n * kHidden), initial);
  for (std::int64_t r = 0; r < c.n; ++r) {
    for (std::int64_t j = 0; j < kUsed; ++j) {
      const std::size_t pair = static_cast<std::size_t>(r * kUsed + j);
      const auto part = [&](const std::vector<float>& stack) {
        return std::span(stack).subspan(static_cast<std::size_t>(c.ids[pair]) * kExpertSize, kExpertSize);
      };
      const auto x = std::span(c.x).subspan(static_cast<std::size_t>(r * kHidden), static_cast<std::size_t>(kHidden));
      const auto g = tandem::testing::reference_linear(part(gate), x, kHidden);
      const auto u = tandem::testing::reference_linear(part(up), x, kHidden);
      const auto d = part(down);
      for (std::int64_t o = 0; o < kHidden; ++o) {
        double sum = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(kIntermediate); ++i) {
          sum += g[i] / (1 + std::exp(-g[i])) * u[i] * d[static_cast<std::size_t>(o * kIntermediate) + i];
        }
        out[static_cast<std::size_t>(r * kHidden + o)] += c.weights[pair] * sum;
      }
    }
  }
  return out;
}

TEST(MoeMlp, AgreesWithDoublePrecisionAndAddsToTheOutput) {
  Case c(5);
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kQ8_0, DType::kQ4_K}) {
    const auto expected = reference(dtype, c, 0.25);
    for_each_backend([&](Backend& backend) {
      EXPECT_LE(tandem::testing::nmse(run(backend, dtype, c, 0, c.n, 0.25f), expected), dtype <= DType::kBF16 ? 1e-11 : 1e-3)
          << dtype_info(dtype).name;
    });
  }
}

TEST(MoeMlp, ARowDoesNotDependOnItsNeighbours) {
  Case c(12);
  for_each_backend([&](Backend& backend) {
    const auto together = run(backend, DType::kQ8_0, c, 0, c.n, 0);
    for (const std::int64_t r : {0, 7, 11}) {
      const auto alone = run(backend, DType::kQ8_0, c, r, 1, 0);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + r * kHidden)) << "row " << r;
    }
  });
}

}  // namespace
}  // namespace tandem::kernels
