#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "engine/cache/block_pool.h"

namespace tandem::engine {
namespace {

constexpr std::int32_t kSize = 4;

std::vector<std::int32_t> counting(std::int32_t first, std::size_t count) {
  std::vector<std::int32_t> tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

// Takes blocks for all tokens and remembers every full one, as a sequence that is computed does.
BlockTable computed(BlockPool& pool, const std::vector<std::int32_t>& tokens) {
  BlockTable table(kSize);
  table.adopt(pool.take_prefix(tokens, kSize, static_cast<std::int32_t>(tokens.size() / kSize)));
  EXPECT_TRUE(table.grow(static_cast<std::int64_t>(tokens.size()), pool));
  for (std::size_t i = 0; (i + 1) * kSize <= tokens.size(); ++i) {
    pool.remember(table.blocks()[i], i > 0 ? table.blocks()[i - 1] : -1, std::span(tokens).subspan(i * kSize, kSize));
  }
  return table;
}

TEST(PrefixCache, SameStartIsFoundAsFarAsWholeBlocksGo) {
  BlockPool pool(16);
  const auto tokens = counting(0, 11);
  BlockTable first = computed(pool, tokens);
  auto other = tokens;
  other[9] = 99;  // in the third, incomplete block
  const auto found = pool.take_prefix(other, kSize, 8);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], first.blocks()[0]);
  EXPECT_EQ(found[1], first.blocks()[1]);
  for (const auto block : found) pool.give_back(block);
  first.release(pool);
  EXPECT_EQ(pool.num_used(), 0);
}

TEST(PrefixCache, SameBlockAfterAnotherStartIsNotFound) {
  BlockPool pool(16);
  computed(pool, {1, 2, 3, 4, 5, 6, 7, 8}).release(pool);
  EXPECT_EQ(pool.take_prefix(std::vector<std::int32_t>{9, 2, 3, 4, 5, 6, 7, 8}, kSize, 8).size(), 0U);
  EXPECT_EQ(pool.take_prefix(std::vector<std::int32_t>{5, 6, 7, 8}, kSize, 8).size(), 0U);
}

TEST(PrefixCache, UnusedBlocksRememberUntilTheirPlaceIsNeeded) {
  BlockPool pool(4);
  const auto old_tokens = counting(0, 8);
  const auto new_tokens = counting(100, 8);
  computed(pool, old_tokens).release(pool);
  computed(pool, new_tokens).release(pool);
  EXPECT_EQ(pool.num_free(), 4);
  EXPECT_EQ(pool.num_cached(), 4);
  // Two blocks are needed: the end of the conversation that was released first goes first.
  BlockTable table(kSize);
  ASSERT_TRUE(table.grow(8, pool));
  EXPECT_TRUE(pool.take_prefix(old_tokens, kSize, 8).empty());
  const auto found = pool.take_prefix(new_tokens, kSize, 8);
  EXPECT_EQ(found.size(), 2U);
}

TEST(PrefixCache, SharedBlockIsFreeOnlyWhenItsLastHolderIsGone) {
  BlockPool pool(2);
  const auto tokens = counting(0, 8);
  BlockTable first = computed(pool, tokens);
  BlockTable second(kSize);
  second.adopt(pool.take_prefix(tokens, kSize, 2));
  EXPECT_EQ(pool.num_free(), 0);
  first.release(pool);
  EXPECT_EQ(pool.num_free(), 0);
  second.release(pool);
  EXPECT_EQ(pool.num_free(), 2);
}

TEST(PrefixCache, TwinsComputedAtOnceChainToTheOneThatIsFound) {
  BlockPool pool(8);
  const auto tokens = counting(0, 8);
  // Both start before either is done, so neither finds the other's blocks.
  BlockTable a(kSize), b(kSize);
  ASSERT_TRUE(a.grow(8, pool));
  ASSERT_TRUE(b.grow(8, pool));
  pool.remember(a.blocks()[0], -1, std::span(tokens).first(kSize));
  pool.remember(b.blocks()[0], -1, std::span(tokens).first(kSize));
  pool.remember(b.blocks()[1], b.blocks()[0], std::span(tokens).subspan(kSize, kSize));
  const auto found = pool.take_prefix(tokens, kSize, 2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], a.blocks()[0]);
  EXPECT_EQ(found[1], b.blocks()[1]);
}

TEST(PrefixCache, ForgettingFreesEverythingNobodyHolds) {
  BlockPool pool(4);
  const auto tokens = counting(0, 16);
  computed(pool, tokens).release(pool);
  pool.forget_all();
  EXPECT_EQ(pool.num_cached(), 0);
  EXPECT_TRUE(pool.take_prefix(tokens, kSize, 4).empty());
  EXPECT_EQ(pool.num_free(), 4);
}

// Against a model that keeps every sequence's tokens: what is found must hold exactly the tokens asked for.
TEST(PrefixCache, RandomUseNeverFindsWrongTokensAndLosesNoBlock) {
  std::mt19937_64 random(7);
  constexpr std::int32_t kBlocks = 24;
  BlockPool pool(kBlocks);
  std::vector<std::vector<std::int32_t>> memory(kBlocks);  // whole prefix a block ends
  std::vector<std::pair<BlockTable, std::vector<std::int32_t>>> live;
  std::int64_t num_found = 0;
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || (random() % 2 == 0 && live.size() < 6)) {
      std::vector<std::int32_t> tokens(1 + random() % 20);
      for (auto& token : tokens) token = static_cast<std::int32_t>(random() % 2);
      BlockTable table(kSize);
      table.adopt(pool.take_prefix(tokens, kSize, static_cast<std::int32_t>((tokens.size() - 1) / kSize)));
      for (std::size_t i = 0; i < table.blocks().size(); ++i, ++num_found) {
        const std::vector<std::int32_t> prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>((i + 1) * kSize));
        ASSERT_EQ(memory[static_cast<std::size_t>(table.blocks()[i])], prefix);
      }
      if (!table.grow(static_cast<std::int64_t>(tokens.size()), pool)) {
        table.release(pool);
        continue;
      }
      for (std::size_t i = 0; (i + 1) * kSize <= tokens.size(); ++i) {
        const std::int32_t block = table.blocks()[i];
        memory[static_cast<std::size_t>(block)].assign(tokens.begin(),
                                                       tokens.begin() + static_cast<std::ptrdiff_t>((i + 1) * kSize));
        pool.remember(block, i > 0 ? table.blocks()[i - 1] : -1, std::span(tokens).subspan(i * kSize, kSize));
      }
      live.emplace_back(std::move(table), std::move(tokens));
    } else {
      const std::size_t victim = random() % live.size();
      live[victim].first.release(pool);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }
  EXPECT_GT(num_found, 1000);
  for (auto& [table, tokens] : live) table.release(pool);
  EXPECT_EQ(pool.num_free(), kBlocks);
}

}  // namespace
}  // namespace tandem::engine
