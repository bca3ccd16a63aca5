// The tokenizer of the demo model's GGUF file, from the header to text and back.
#include <gtest/gtest.h>
#include <vector>

#include "engine/model_file/model_file.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

using Ids = std::vector<std::int32_t>;

class DemoModelTokenizer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto file = ModelFile::open(std::string(TANDEM_RESOURCES) + "/demo-model/tandem-demo-Q8_0.gguf");
    ASSERT_TRUE(file) << file.error().detail;
    auto tokenizer = Tokenizer::create(**file);
    ASSERT_TRUE(tokenizer) << tokenizer.error().detail;
    tokenizer_ = *tokenizer;
  }
  static void TearDownTestSuite() { tokenizer_.reset(); }

  static Ids encode(std::string_view text, SpecialTokens special = SpecialTokens::kParse) {
    auto ids = tokenizer_->encode(text, special, true);
    EXPECT_TRUE(ids) << ids.error().detail;
    return ids ? *ids : Ids();
  }
  static inline std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(DemoModelTokenizer, KnowsItsSpecialTokens) {
  EXPECT_EQ(tokenizer_->vocab_size(), 8192);
  EXPECT_EQ(tokenizer_->token_id("<|im_start|>"), 8189);
  EXPECT_EQ(tokenizer_->token_id("<|im_end|>"), 8190);
  EXPECT_EQ(tokenizer_->token_id("no such token"), -1);
  EXPECT_EQ(tokenizer_->eos_id(), 8190);
  EXPECT_EQ(tokenizer_->end_of_generation_ids(), (Ids{8190, 8191}));
  EXPECT_FALSE(tokenizer_->adds_bos());
  EXPECT_TRUE(tokenizer_->is_control(8189));
  EXPECT_FALSE(tokenizer_->is_control(100));
  EXPECT_TRUE(tokenizer_->warnings().empty());
}

TEST_F(DemoModelTokenizer, SpecialTokensAreTextUnlessParsed) {
  const Ids parsed = encode("<|im_start|>user\nhi<|im_end|>");
  EXPECT_EQ(parsed.front(), 8189);
  EXPECT_EQ(parsed.back(), 8190);
  const Ids plain = encode("<|im_end|>", SpecialTokens::kAsText);
  EXPECT_GT(plain.size(), 1U);
  EXPECT_EQ(tokenizer_->decode(plain, true), "<|im_end|>");
  EXPECT_EQ(tokenizer_->decode(parsed, true), "user\nhi");
  EXPECT_EQ(tokenizer_->decode(parsed, false), "<|im_start|>user\nhi<|im_end|>");
}

TEST_F(DemoModelTokenizer, TextComesBackFromItsIds) {
  for (const std::string_view text :
       {"Hello, world!", "  two spaces\n\n\ttab", "漢字かな交じり文", "👨‍👩‍👧 ok", "x=1234567;", "", " "}) {
    EXPECT_EQ(tokenizer_->decode(encode(text), false), text);
  }
}

TEST_F(DemoModelTokenizer, DecomposedTextIsComposedFirst) {
  EXPECT_EQ(encode("cafe\u0301"), encode("caf\u00e9"));
}

TEST_F(DemoModelTokenizer, InvalidUtf8IsReadAsReplacementCharacters) {
  EXPECT_EQ(encode("a\xFF\xE4\xB8 b"), encode("a\uFFFD\uFFFD b"));
}

TEST_F(DemoModelTokenizer, IncrementalTextIsWhatDecodeGives) {
  const std::string text = "Grüße, 世界! 👨‍👩‍👧 <|im_end|> done";
  const Ids ids = encode(text);
  IncrementalDetokenizer detokenizer(*tokenizer_, false);
  std::string joined;
  for (const std::int32_t id : ids) {
    const std::string part = detokenizer.push(id);
    EXPECT_EQ(part.find("\uFFFD"), std::string::npos);
    joined += part;
  }
  EXPECT_EQ(detokenizer.flush(), "");
  EXPECT_EQ(joined, text);
}

TEST_F(DemoModelTokenizer, UnfinishedCodePointIsFlushedAsReplacement) {
  Ids ids = encode("👍", SpecialTokens::kAsText);
  ASSERT_GT(ids.size(), 1U);
  ids.pop_back();
  IncrementalDetokenizer detokenizer(*tokenizer_, true);
  for (const std::int32_t id : ids) EXPECT_EQ(detokenizer.push(id), "");
  EXPECT_EQ(detokenizer.flush(), "\uFFFD");
  EXPECT_EQ(tokenizer_->decode(ids, true), "\uFFFD");
}

}  // namespace
}  // namespace tandem::engine
