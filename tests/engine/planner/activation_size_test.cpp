#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "engine/planner/planner.h"
#include "engine/planner/saturating.h"
#include "tests/engine/planner/known_models.h"

namespace tandem::engine {
namespace {

TEST(ActivationBytes, DenseModelCoversEveryTensorOfAStep) {
  const ModelConfig config = testing::qwen3_0_6b();
  // hidden, norm, q, k, v, attention output, gate, up of 512 rows, and 4 rows of logits, each counted by hand.
  const std::uint64_t tensors = 512ull * (1024 + 1024 + 2048 + 1024 + 1024 + 2048 + 3072 + 3072) * 4 + 4ull * 151936 * 4;
  const std::uint64_t bytes = activation_bytes(config, 512, 4);
  EXPECT_GE(bytes, tensors);
  EXPECT_LE(bytes, 2 * tensors);
}

TEST(ActivationBytes, ExpertsCountOncePerChosenExpert) {
  ModelConfig config = testing::qwen3_30b_a3b();
  const std::uint64_t eight = activation_bytes(config, 256, 1);
  config.moe.num_experts_used = 4;
  const std::uint64_t four = activation_bytes(config, 256, 1);
  const std::uint64_t scratch_of_four = 256ull * 4 * (2 * 768 + 2048) * 4;
  EXPECT_GE(eight - four, scratch_of_four);
}

TEST(ActivationBytes, MoreSequencesThanBatchedTokensStillGetARowEach) {
  const ModelConfig config = testing::qwen3_0_6b();
  EXPECT_GE(activation_bytes(config, 1, 64), activation_bytes(config, 64, 1));
}

TEST(ActivationBytes, GrowsWithEveryLimit) {
  const ModelConfig config = testing::llama_3_1_8b();
  EXPECT_LT(activation_bytes(config, 256, 4), activation_bytes(config, 512, 4));
  EXPECT_LT(activation_bytes(config, 512, 4), activation_bytes(config, 512, 5));
}

TEST(ActivationBytes, AbsurdConfigSaturatesInsteadOfWrapping) {
  ModelConfig config = testing::qwen3_0_6b();
  config.hidden_size = std::numeric_limits<std::int64_t>::max();
  config.vocab_size = std::numeric_limits<std::int64_t>::max();
  constexpr std::int32_t kMany = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(activation_bytes(config, kMany, kMany), kTooLarge);
}

}  // namespace
}  // namespace tandem::engine
