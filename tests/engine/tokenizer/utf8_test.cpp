#include "engine/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace tandem::engine::utf8 {
namespace {

// Unicode 14, section 3.9, tables 3-8 to 3-11: one U+FFFD per maximal subpart.
TEST(Utf8, IllFormedBytesBecomeOneReplacementPerMaximalSubpart) {
  EXPECT_EQ(replace_invalid("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(replace_invalid("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(replace_invalid("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41\uFFFD\uFFFD\x42");
  EXPECT_EQ(replace_invalid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(replace_invalid("plain"), "plain");
  EXPECT_EQ(replace_invalid("ends with \xF0\x9F\x98"), "ends with \uFFFD");
}

TEST(Utf8, ValidityMatchesReplacement) {
  EXPECT_TRUE(is_valid(""));
  EXPECT_TRUE(is_valid("a long enough ASCII text, then é, 漢字 and 👍🏽"));
  EXPECT_FALSE(is_valid("a long enough ASCII text, then \xC3"));
  EXPECT_FALSE(is_valid("\xF4\x90\x80\x80"));
}

TEST(Utf8, DecodeAndAppendAreInverse) {
  for (const char32_t c : {U'\0', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\uFFFF', U'\U00010000', U'\U0010FFFF'}) {
    std::string text;
    append(text, c);
    std::size_t length = 0;
    EXPECT_EQ(decode(text, 0, length), c);
    EXPECT_EQ(length, text.size());
    EXPECT_EQ(length_of_lead(static_cast<unsigned char>(text[0])), text.size());
  }
}

TEST(Utf8, TakeCompleteHoldsBackAtMostThreeBytes) {
  std::string pending = "a\xF0\x9F\x98";
  EXPECT_EQ(take_complete(pending), "a");
  EXPECT_EQ(pending, "\xF0\x9F\x98");
  pending += "\x80";
  EXPECT_EQ(take_complete(pending), "😀");
  pending = "\xF0\x9F";
  pending += "b";
  EXPECT_EQ(take_complete(pending), "\uFFFDb");
  EXPECT_TRUE(pending.empty());
}

}  // namespace
}  // namespace tandem::engine::utf8
