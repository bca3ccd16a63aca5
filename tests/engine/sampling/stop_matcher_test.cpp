#include "engine/sampling/stop_matcher.h"

#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

TEST(StopMatcher, TextWithoutStopsPassesAtOnce) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_EQ(matcher.flush(), "");
}

TEST(StopMatcher, MatchAcrossPiecesIsCutOut) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(matcher.push("abE"), "ab");
  EXPECT_EQ(matcher.push("N"), "");
  EXPECT_FALSE(matcher.has_matched());
  EXPECT_EQ(matcher.push("D and more"), "");
  EXPECT_TRUE(matcher.has_matched());
  EXPECT_EQ(matcher.match(), "END");
  EXPECT_EQ(matcher.push("x"), "");
}

TEST(StopMatcher, FalseStartIsReleased) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(matcher.push("EN"), "");
  EXPECT_EQ(matcher.push("Ergy"), "ENErgy");
  EXPECT_EQ(matcher.push(" E"), " ");
  EXPECT_EQ(matcher.flush(), "E");
}

TEST(StopMatcher, SelfOverlappingStopIsFound) {
  StopMatcher matcher({"aab"});
  EXPECT_EQ(matcher.push("aa"), "");
  EXPECT_EQ(matcher.push("a"), "a");
  EXPECT_EQ(matcher.push("b"), "");
  EXPECT_EQ(matcher.match(), "aab");
}

TEST(StopMatcher, EarliestMatchWinsThenTheLongest) {
  StopMatcher matcher({"cd", "bc", "bcd"});
  EXPECT_EQ(matcher.push("abcd"), "a");
  EXPECT_EQ(matcher.match(), "bcd");
}

TEST(StopMatcher, EverySplitOfTheTextGivesTheSameResult) {
  const std::string text = "one\n\ntwo###three";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      StopMatcher matcher({"###", "\n\n\n"});
      std::string out = matcher.push(text.substr(0, first));
      out += matcher.push(text.substr(first, second - first));
      out += matcher.push(text.substr(second));
      EXPECT_EQ(out + matcher.flush(), "one\n\ntwo") << first << ' ' << second;
      EXPECT_EQ(matcher.match(), "###");
    }
  }
}

}  // namespace
}  // namespace tandem::engine
