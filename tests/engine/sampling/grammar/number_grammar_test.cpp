#include "engine/sampling/grammar/number_grammar.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/engine/sampling/grammar/matching.h"

namespace tandem::engine {
namespace {

using tandem::testing::holds;
using tandem::testing::random_word;

struct Bounds {
  std::optional<double> min, max;
  bool min_exclusive = false, max_exclusive = false;
  bool contains(double x) const {
    return (!min || (min_exclusive ? x > *min : x >= *min)) && (!max || (max_exclusive ? x < *max : x <= *max));
  }
};

std::shared_ptr<const Grammar> grammar_of(bool integer, const Bounds& bounds) {
  GrammarBuilder builder;
  NumberBounds number_bounds;
  if (bounds.min) number_bounds.min = *to_decimal(*bounds.min);
  if (bounds.max) number_bounds.max = *to_decimal(*bounds.max);
  number_bounds.min_exclusive = bounds.min_exclusive;
  number_bounds.max_exclusive = bounds.max_exclusive;
  const RuleId root = builder.new_rule();
  builder.add_alternative(root, number_grammar(builder, integer, number_bounds));
  auto grammar = std::make_shared<Grammar>();
  return builder.finish(root, *grammar) ? grammar : nullptr;
}

TEST(NumberGrammar, EveryWholeNumberIsInExactlyWhenInBounds) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Bounds bounds;
    const auto pick = [&] {
      return double(static_cast<std::int64_t>(random() % 2401) - 1200) / (random() % 3 == 0 ? 2.0 : 1.0);
    };
    if (random() % 4 != 0) bounds.min = pick();
    if (random() % 4 != 0) bounds.max = pick();
    bounds.min_exclusive = bounds.min && random() % 2 == 0;
    bounds.max_exclusive = bounds.max && random() % 2 == 0;
    const auto grammar = grammar_of(true, bounds);
    for (int i = -1300; i <= 1300; ++i) {
      const bool inside = bounds.contains(i);
      EXPECT_EQ(grammar != nullptr && holds(grammar, std::to_string(i)), inside)
          << i << " in " << bounds.min.value_or(-1e9) << (bounds.min_exclusive ? " < " : " <= ") << "x"
          << (bounds.max_exclusive ? " < " : " <= ") << bounds.max.value_or(1e9);
    }
  }
}

TEST(NumberGrammar, RandomWordsLieWithinTheirBounds) {
  std::mt19937_64 random(2);
  int num_words = 0;
  for (int round = 0; round < 400; ++round) {
    Bounds bounds;
    const double scale = std::pow(10.0, double(random() % 5));
    const auto pick = [&] { return double(static_cast<std::int64_t>(random() % 20001) - 10000) / scale; };
    if (random() % 5 != 0) bounds.min = pick();
    if (random() % 5 != 0) bounds.max = pick();
    bounds.min_exclusive = bounds.min && random() % 2 == 0;
    bounds.max_exclusive = bounds.max && random() % 2 == 0;
    for (const bool integer : {false, true}) {
      const auto grammar = grammar_of(integer, bounds);
      if (grammar == nullptr) continue;
      for (int i = 0; i < 20; ++i, ++num_words) {
        const std::string word = random_word(grammar, random, 12);
        const double value = std::strtod(word.c_str(), nullptr);
        EXPECT_TRUE(bounds.contains(value))
            << word << " for " << bounds.min.value_or(-1e9) << " to " << bounds.max.value_or(1e9);
        if (integer) {
          EXPECT_EQ(value, std::trunc(value)) << word;
        }
      }
    }
  }
  EXPECT_GT(num_words, 5000);
}

TEST(NumberGrammar, BoundsThemselvesAreInOnlyWhenInclusive) {
  for (const double bound : {0.0, 1.0, -1.0, 0.5, -2.75, 10.0, 99.9, 1000.25}) {
    const std::string text = nlohmann::ordered_json(bound).dump();
    EXPECT_TRUE(holds(grammar_of(false, {bound, std::nullopt}), text)) << text;
    EXPECT_TRUE(holds(grammar_of(false, {std::nullopt, bound}), text)) << text;
    EXPECT_FALSE(holds(grammar_of(false, {bound, std::nullopt, true}), text)) << text;
    EXPECT_FALSE(holds(grammar_of(false, {std::nullopt, bound, false, true}), text)) << text;
    EXPECT_TRUE(holds(grammar_of(false, {bound, bound}), text)) << text;
  }
}

TEST(NumberGrammar, LeadingZerosAndBareSignsAreNoNumbers) {
  const auto grammar = grammar_of(false, {});
  for (const char* text : {"0", "-0", "7", "-12.5", "1e5", "3.25E-7"}) EXPECT_TRUE(holds(grammar, text)) << text;
  for (const char* text : {"", "-", "01", "1.", ".5", "1e", "+1", "0x1", "NaN"}) EXPECT_FALSE(holds(grammar, text)) << text;
}

TEST(NumberGrammar, EmptyRangeDerivesNothing) {
  EXPECT_EQ(grammar_of(false, {2.0, 1.0}), nullptr);
  EXPECT_EQ(grammar_of(true, {0.25, 0.75}), nullptr);
  EXPECT_EQ(grammar_of(false, {1.0, 1.0, true, false}), nullptr);
}

}  // namespace
}  // namespace tandem::engine
