#include "engine/planner/rank_split.h"

#include <gtest/gtest.h>

#include "tests/engine/planner/known_models.h"

namespace tandem::engine {
namespace {

using kernels::DType;

ModelDescription describe(const ModelConfig& config, DType dtype) {
  auto model = describe_model(testing::hf_config(config), config.name, dtype);
  EXPECT_TRUE(model) << (model ? "" : model.error().detail);
  return model ? *model : ModelDescription{};
}

std::uint64_t vector_bytes(const ModelDescription& model) {
  std::uint64_t bytes = 0;
  for (const auto& weight : model.weights) bytes += weight.shape.size() == 1 ? weight.bytes : 0;
  return bytes;
}

TEST(RankSplit, OneRankHoldsEverything) {
  const ModelDescription model = describe(testing::qwen3_4b(), DType::kQ4_K);
  const RankSplit split = split_over_ranks(model, 1);
  ASSERT_EQ(split.ranks.size(), 1u);
  EXPECT_EQ(split.ranks[0].weight_bytes, model.weight_bytes());
  EXPECT_EQ(split.ranks[0].num_kv_heads, 8);
  EXPECT_EQ(split.ranks[0].intermediate_size, 9728);
  EXPECT_TRUE(split.notes.empty());
}

TEST(RankSplit, KQuantRowsCutBetweenBlocks) {
  // 9728 input channels are 38 blocks of 256: 19 each on two ranks, but 10, 10, 9, 9 on four.
  const ModelDescription model = describe(testing::qwen3_4b(), DType::kQ4_K);
  const RankSplit two = split_over_ranks(model, 2);
  EXPECT_EQ(two.ranks[0].weight_bytes, two.ranks[1].weight_bytes);
  EXPECT_EQ(two.ranks[0].intermediate_size, 19 * 256);
  const RankSplit four = split_over_ranks(model, 4);
  EXPECT_EQ(four.ranks[0].intermediate_size, 10 * 256);
  EXPECT_EQ(four.ranks[3].intermediate_size, 9 * 256);
  std::uint64_t sum = 0;
  for (const RankShare& rank : four.ranks) sum += rank.weight_bytes;
  EXPECT_EQ(sum, model.weight_bytes() + 3 * vector_bytes(model));
  ASSERT_EQ(four.notes.size(), 1u);
  // Gate and up are cut where down is: 256 rows of each and 256 columns of down differ, per layer.
  const std::uint64_t row = 2560 / 256 * 144;
  EXPECT_EQ(four.ranks[0].weight_bytes - four.ranks[3].weight_bytes, 36 * 3 * 256 * row);
}

TEST(RankSplit, KvHeadsFewerThanRanksAreHeldByBoth) {
  ModelConfig config = testing::qwen3_0_6b();
  config.num_kv_heads = 1;
  const ModelDescription model = describe(config, DType::kBF16);
  const RankSplit split = split_over_ranks(model, 2);
  EXPECT_EQ(split.ranks[0].num_kv_heads, 1);
  EXPECT_EQ(split.ranks[1].num_kv_heads, 1);
  EXPECT_EQ(split.ranks[0].num_heads, 8);
  const std::uint64_t keys_and_values = 28ull * 2 * 128 * 1024 * 2;
  EXPECT_EQ(split.ranks[0].weight_bytes + split.ranks[1].weight_bytes,
            model.weight_bytes() + vector_bytes(model) + keys_and_values);
  ASSERT_FALSE(split.notes.empty());
}

TEST(RankSplit, OddKvHeadsGiveUnevenShares) {
  ModelConfig config = testing::qwen3_0_6b();
  config.num_heads = 6;
  config.num_kv_heads = 3;
  const RankSplit split = split_over_ranks(describe(config, DType::kBF16), 2);
  EXPECT_EQ(split.ranks[0].num_kv_heads, 2);
  EXPECT_EQ(split.ranks[1].num_kv_heads, 1);
  EXPECT_EQ(split.ranks[0].num_heads, 4);
}

TEST(RankSplit, AttentionOutputBlocksKeepHeadsTogether) {
  // A head of 64 is a quarter of a K-quant block: four heads stay together.
  ModelConfig config = testing::qwen3_0_6b();
  config.num_heads = config.num_kv_heads = 12;
  config.head_dim = config.rope_dim = 64;
  const RankSplit split = split_over_ranks(describe(config, DType::kQ4_K), 2);
  EXPECT_EQ(split.ranks[0].num_kv_heads, 8);
  EXPECT_EQ(split.ranks[1].num_kv_heads, 4);
}

TEST(RankSplit, ExpertsAreDividedWhole) {
  const ModelDescription model = describe(testing::qwen3_30b_a3b(), DType::kQ4_K);
  const RankSplit split = split_over_ranks(model, 2);
  std::uint64_t replicated = vector_bytes(model);
  for (const auto& weight : model.weights) {
    if (weight.name.find("ffn_gate_inp") != std::string::npos) replicated += weight.bytes;
  }
  EXPECT_EQ(split.ranks[0].weight_bytes, split.ranks[1].weight_bytes);
  EXPECT_EQ(split.ranks[0].weight_bytes + split.ranks[1].weight_bytes, model.weight_bytes() + replicated);
}

}  // namespace
}  // namespace tandem::engine
