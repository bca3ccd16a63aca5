#include <cmath>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/kernels/reference/reference_ops.h"
#include "tests/kernels/test_backend.h"

namespace tandem::kernels {
namespace {

using tandem::testing::for_each_backend;
using tandem::testing::random_values;
using tandem::testing::tensor;

TEST(RouteSoftmax, AgreesWithDoublePrecision) {
  for_each_backend([](Backend& backend) {
    for (const bool renormalise : {false, true}) {
      for (const auto& [num_experts, num_used] : {std::pair{1, 1}, {8, 2}, {128, 8}, {7, 7}}) {
        const std::int64_t n = 19;
        auto logits = random_values(static_cast<std::size_t>(n * num_experts), 1, 3);
        std::vector<std::int32_t> ids(static_cast<std::size_t>(n * num_used));
        std::vector<float> weights(ids.size());
        backend.route_softmax(tensor(logits, n, num_experts), num_used, renormalise, tensor(ids, n, num_used),
                              tensor(weights, n, num_used));
        for (std::int64_t r = 0; r < n; ++r) {
          const auto expected = tandem::testing::reference_route_softmax(
              std::span(logits).subspan(static_cast<std::size_t>(r * num_experts), static_cast<std::size_t>(num_experts)),
              num_used, renormalise);
          for (std::size_t j = 0; j < static_cast<std::size_t>(num_used); ++j) {
            const std::size_t at = static_cast<std::size_t>(r * num_used) + j;
            EXPECT_EQ(ids[at], expected.ids[j]);
            EXPECT_NEAR(weights[at], expected.weights[j], 1e-6 * expected.weights[j]);
          }
        }
      }
    }
  });
}

TEST(RouteSoftmax, TiesGoToTheLowerIndexAndFarLogitsStayFinite) {
  for_each_backend([](Backend& backend) {
    std::vector<float> logits{-1e30f, 500, 500, 1, 500};
    std::vector<std::int32_t> ids(3);
    std::vector<float> weights(3);
    backend.route_softmax(tensor(logits, 1, 5), 3, false, tensor(ids, 1, 3), tensor(weights, 1, 3));
    EXPECT_EQ(ids, (std::vector<std::int32_t>{1, 2, 4}));
    for (const float weight : weights) EXPECT_NEAR(weight, 1.0 / 3, 1e-6);
  });
}

TEST(RouteSoftmax, NanStillGivesValidExperts) {
  for_each_backend([](Backend& backend) {
    std::vector<float> logits{std::nanf(""), 1, std::nanf(""), 2};
    std::vector<std::int32_t> ids(4);
    std::vector<float> weights(4);
    backend.route_softmax(tensor(logits, 1, 4), 4, true, tensor(ids, 1, 4), tensor(weights, 1, 4));
    EXPECT_EQ(ids, (std::vector<std::int32_t>{3, 1, 0, 2}));
    EXPECT_TRUE(std::isnan(weights[0]));
  });
}

}  // namespace
}  // namespace tandem::kernels
