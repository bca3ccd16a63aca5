#include "engine/sampling/sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "engine/sampling/random.h"

namespace tandem::engine {
namespace {

SamplingParams greedy() {
  SamplingParams params;
  params.temperature = 0.0F;
  return params;
}

std::int32_t sample_once(const SamplingParams& params, std::vector<float> logits, std::vector<std::int32_t> prompt = {},
                         std::uint64_t seed = 1) {
  Sampler sampler(params, seed, static_cast<std::int32_t>(logits.size()), prompt);
  return sampler.sample(logits)->token_id;
}

// Frequencies of 4000 draws from the same logits.
std::map<std::int32_t, int> draw_many(const SamplingParams& params, const std::vector<float>& logits) {
  Sampler sampler(params, 7, static_cast<std::int32_t>(logits.size()), {});
  std::map<std::int32_t, int> counts;
  for (int i = 0; i < 4000; ++i) {
    std::vector<float> copy = logits;
    ++counts[sampler.sample(copy)->token_id];
  }
  return counts;
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowerIdOfEquals) {
  EXPECT_EQ(sample_once(greedy(), {0.5F, 2.0F, 2.0F, -1.0F}), 1);
}

TEST(Sampler, RowsBeyondTheVocabularyAreNeverChosen) {
  std::vector<float> logits{0.0F, 1.0F, 9.0F, 9.0F};
  Sampler sampler(greedy(), 1, 2, {});
  EXPECT_EQ(sampler.sample(logits)->token_id, 1);
  SamplingParams params;
  params.logprobs = 5;
  Sampler with_logprobs(params, 1, 2, {});
  const auto sample = with_logprobs.sample(logits);
  ASSERT_TRUE(sample);
  EXPECT_LT(sample->token_id, 2);
  EXPECT_EQ(sample->top.size(), 2U);
}

TEST(Sampler, SoftmaxFrequenciesFollowTheProbabilities) {
  const auto counts = draw_many({}, {std::log(0.5F), std::log(0.3F), std::log(0.2F)});
  EXPECT_NEAR(counts.at(0) / 4000.0, 0.5, 0.03);
  EXPECT_NEAR(counts.at(1) / 4000.0, 0.3, 0.03);
  EXPECT_NEAR(counts.at(2) / 4000.0, 0.2, 0.03);
}

TEST(Sampler, TemperatureSharpensTheDistribution) {
  SamplingParams params;
  params.temperature = 0.5F;  // probabilities squared: 0.25 : 0.09 : 0.04
  const auto counts = draw_many(params, {std::log(0.5F), std::log(0.3F), std::log(0.2F)});
  EXPECT_NEAR(counts.at(0) / 4000.0, 0.25 / 0.38, 0.03);
  params.temperature = 1e-6F;
  EXPECT_EQ(draw_many(params, {1.0F, 1.001F, 0.9F}).at(1), 4000);
}

TEST(Sampler, TopKKeepsTheKLargestAndTheLowerIdOfEquals) {
  SamplingParams params;
  params.top_k = 2;
  const auto counts = draw_many(params, {1.0F, 2.0F, 1.0F, 1.0F});
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_TRUE(counts.contains(0) && counts.contains(1));
}

TEST(Sampler, TopPKeepsTheSmallestSetThatHoldsTheMass) {
  SamplingParams params;
  params.top_p = 0.7F;  // 0.5 alone is too little, 0.5 + 0.3 is enough
  const auto counts = draw_many(params, {std::log(0.2F), std::log(0.5F), std::log(0.3F)});
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_NEAR(counts.at(1) / 4000.0, 0.625, 0.03);
  params.top_p = 1e-6F;
  EXPECT_EQ(draw_many(params, {0.0F, 0.1F, 0.0F}).at(1), 4000);
}

TEST(Sampler, TopPOverManyEqualTokensKeepsTheirShare) {
  SamplingParams params;
  params.top_p = 0.5F;
  const auto counts = draw_many(params, std::vector<float>(1000, 0.0F));
  for (const auto& [id, count] : counts) EXPECT_LT(id, 500) << count;
}

TEST(Sampler, MinPDropsTokensFarBelowTheLikeliest) {
  SamplingParams params;
  params.min_p = 0.5F;
  const auto counts = draw_many(params, {std::log(0.5F), std::log(0.3F), std::log(0.2F)});
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_TRUE(counts.contains(0) && counts.contains(1));
}

TEST(Sampler, RepetitionPenaltyCountsThePrompt) {
  SamplingParams params = greedy();
  params.repetition_penalty = 2.0F;
  EXPECT_EQ(sample_once(params, {3.0F, 2.0F}, {0}), 1);
  EXPECT_EQ(sample_once(params, {-1.5F, -1.0F}, {1}), 0);  // negative logits are multiplied
}

TEST(Sampler, PresenceAndFrequencyCountGeneratedTokensOnly) {
  SamplingParams params = greedy();
  params.frequency_penalty = 0.4F;
  EXPECT_EQ(sample_once(params, {1.0F, 0.5F}, {0, 0, 0}), 0);
  Sampler sampler(params, 1, 2, {});
  std::vector<std::int32_t> chosen;
  for (int i = 0; i < 4; ++i) {
    std::vector<float> logits{1.0F, 0.5F};
    chosen.push_back(sampler.sample(logits)->token_id);
  }
  // 1.0, 0.6, 0.2 < 0.5, then 0.2 > 0.1
  EXPECT_EQ(chosen, (std::vector<std::int32_t>{0, 0, 1, 0}));
  params.frequency_penalty = 0.0F;
  params.presence_penalty = 0.6F;
  Sampler presence(params, 1, 2, {});
  std::vector<float> first{1.0F, 0.5F}, second = first;
  EXPECT_EQ(presence.sample(first)->token_id, 0);
  EXPECT_EQ(presence.sample(second)->token_id, 1);
}

TEST(Sampler, LogprobsAreThoseOfTheModelBeforePenaltiesAndTemperature) {
  SamplingParams params = greedy();
  params.logprobs = 2;
  params.repetition_penalty = 100.0F;
  std::vector<float> logits{std::log(0.5F) + 3.0F, std::log(0.3F) + 3.0F, std::log(0.2F) + 3.0F};
  Sampler sampler(params, 1, 3, std::vector<std::int32_t>{0});
  const auto sample = sampler.sample(logits);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->token_id, 1);
  EXPECT_NEAR(sample->logprob, std::log(0.3F), 1e-5);
  ASSERT_EQ(sample->top.size(), 2U);
  EXPECT_EQ(sample->top[0].token_id, 0);
  EXPECT_NEAR(sample->top[0].logprob, std::log(0.5F), 1e-5);
  EXPECT_EQ(sample->top[1].token_id, 1);
}

TEST(Sampler, SameSeedGivesTheSameTokensAndAnotherSeedOthers) {
  const auto run = [](std::uint64_t seed) {
    Sampler sampler({}, seed, 50, {});
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 20; ++i) {
      std::vector<float> logits(50, 0.0F);
      ids.push_back(sampler.sample(logits)->token_id);
    }
    return ids;
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(Sampler, NanLogitsAreSkippedAndAllNanIsAnError) {
  EXPECT_EQ(sample_once(greedy(), {NAN, 1.0F, NAN}), 1);
  std::vector<float> logits{NAN, NAN};
  Sampler sampler({}, 1, 2, {});
  const auto sample = sampler.sample(logits);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().code, ErrorCode::kInternal);
}

TEST(Random, IsUniformAndIndependentOfNeighbouringSeeds) {
  double sum = 0.0, product = 0.0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double a = uniform_at(1, i), b = uniform_at(2, i);
    ASSERT_TRUE(a >= 0.0 && a < 1.0);
    sum += a;
    product += (a - 0.5) * (b - 0.5);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
  EXPECT_NEAR(product / 10000, 0.0, 0.003);
}

}  // namespace
}  // namespace tandem::engine
