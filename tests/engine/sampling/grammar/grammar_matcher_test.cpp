#include "engine/sampling/grammar/grammar_matcher.h"

#include <gtest/gtest.h>

#include "tests/engine/sampling/grammar/matching.h"

namespace tandem::engine {
namespace {

using tandem::testing::holds;

std::shared_ptr<const Grammar> finished(GrammarBuilder& builder, GrammarSequence sequence) {
  const RuleId root = builder.new_rule();
  builder.add_alternative(root, std::move(sequence));
  auto grammar = std::make_shared<Grammar>();
  EXPECT_TRUE(builder.finish(root, *grammar));
  return grammar;
}

TEST(GrammarMatcher, NestedBracketsNeedTheirPartners) {
  GrammarBuilder b;
  const RuleId root = b.new_rule();
  b.add_alternative(root, {});
  b.add_alternative(root, concat({b.literal("("), {GrammarBuilder::rule(root)}, b.literal(")"), {GrammarBuilder::rule(root)}}));
  auto grammar = std::make_shared<Grammar>();
  ASSERT_TRUE(b.finish(root, *grammar));
  for (const char* text : {"", "()", "(())", "()()", "((()())())"}) EXPECT_TRUE(holds(grammar, text)) << text;
  for (const char* text : {"(", ")", "(()", "())", "x"}) EXPECT_FALSE(holds(grammar, text)) << text;
}

TEST(GrammarMatcher, RepeatsKeepToTheirCounts) {
  GrammarBuilder b;
  const auto grammar = finished(b, concat({b.repeat(b.literal("ab"), 2, 4), b.repeat(b.one_of("x"), 0, -1)}));
  for (const char* text : {"abab", "ababab", "abababab", "ababxxxx"}) EXPECT_TRUE(holds(grammar, text)) << text;
  for (const char* text : {"", "ab", "ababababab", "abax", "xabab"}) EXPECT_FALSE(holds(grammar, text)) << text;
}

TEST(GrammarMatcher, NullableLoopsEnd) {
  GrammarBuilder b;
  const GrammarSequence inner = b.repeat(b.literal("a"), 0, -1);
  const auto grammar = finished(b, concat({b.repeat(inner, 0, -1), b.literal("b")}));
  EXPECT_TRUE(holds(grammar, "b"));
  EXPECT_TRUE(holds(grammar, "aaab"));
  EXPECT_FALSE(holds(grammar, "aa"));
}

TEST(GrammarMatcher, CodePointRangesCoverEveryLengthAndNoSurrogate) {
  GrammarBuilder b;
  const auto grammar = finished(b, b.code_points(0x7E, 0x10001));
  for (const char* text : {"~", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x81"}) {
    EXPECT_TRUE(holds(grammar, text)) << text;
  }
  for (const char* text : {"}", "\xC0\x80", "\xC1\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x90\x80\x82", "\xE0\x80\x80",
                           "\xF0\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(holds(grammar, text)) << text;
  }
}

TEST(GrammarBuilder, RuleThatNeverEndsIsNotProductive) {
  GrammarBuilder b;
  const RuleId root = b.new_rule();
  b.add_alternative(root, concat({b.literal("a"), {GrammarBuilder::rule(root)}}));
  Grammar grammar;
  EXPECT_FALSE(b.finish(root, grammar));
}

}  // namespace
}  // namespace tandem::engine
