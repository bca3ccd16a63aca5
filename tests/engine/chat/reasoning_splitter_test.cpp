#include "engine/chat/reasoning_splitter.h"

#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

struct Split {
  std::string reasoning, content;
  bool operator==(const Split&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Split& split) {
  return out << "reasoning '" << split.reasoning << "', content '" << split.content << "'";
}

Split split(std::string_view text, bool starts_inside, std::size_t piece_bytes) {
  ReasoningSplitter splitter(starts_inside);
  Split out;
  const auto take = [&out](const std::vector<ReasoningSplitter::Piece>& pieces) {
    for (const auto& piece : pieces) {
      EXPECT_FALSE(piece.text.empty());
      (piece.is_reasoning ? out.reasoning : out.content) += piece.text;
    }
  };
  for (std::size_t i = 0; i < text.size(); i += piece_bytes) take(splitter.push(text.substr(i, piece_bytes)));
  take(splitter.flush());
  return out;
}

// The same, however the text is cut.
void expect_split(std::string_view text, bool starts_inside, const Split& expected) {
  for (const std::size_t piece_bytes : {1U, 2U, 3U, 5U, 7U, 11U, 1000U}) {
    EXPECT_EQ(split(text, starts_inside, piece_bytes), expected) << "pieces of " << piece_bytes << ": " << text;
  }
}

TEST(ReasoningSplitter, Qwen3OpensAndClosesInTheAnswer) {
  expect_split("<think>\nlet me see\n</think>\n\nHello", false, {"let me see", "Hello"});
}
TEST(ReasoningSplitter, Qwen35StartsInside) {
  expect_split("so\nit is\n\n</think>\n\nHello\n", true, {"so\nit is", "Hello\n"});
}
TEST(ReasoningSplitter, AnswerWithoutReasoningIsContent) {
  expect_split("Hello <think>x</think>", false, {"", "Hello <think>x</think>"});
  expect_split("<thin ice", false, {"", "<thin ice"});
  expect_split("  \n", false, {"", "  \n"});
  expect_split("", false, {"", ""});
}
TEST(ReasoningSplitter, EmptyReasoningLeavesTheContent) {
  expect_split("<think>\n\n</think>\n\nHi", false, {"", "Hi"});
  expect_split("</think>Hi", true, {"", "Hi"});
}
TEST(ReasoningSplitter, AnswerCutInsideIsAllReasoning) {
  expect_split("thinking and </thi", true, {"thinking and </thi", ""});
  expect_split("<think>half\n\n", false, {"half", ""});
}
TEST(ReasoningSplitter, WhiteSpaceBeforeTheMarkerIsDropped) {
  expect_split("\n <think>a</think>b", false, {"a", "b"});
}
TEST(ReasoningSplitter, OnlyTheFirstCloseCounts) {
  expect_split("a</think>b</think>c", true, {"a", "b</think>c"});
}
TEST(ReasoningSplitter, ToolCallAtLineStartEndsTheReasoning) {
  expect_split("I will call.\n<tool_call>\n{}", true, {"I will call.", "<tool_call>\n{}"});
  expect_split("<tool_call>\n{}", true, {"", "<tool_call>\n{}"});
  expect_split("the tag <tool_call> is used\n</think>x", true, {"the tag <tool_call> is used", "x"});
}
TEST(ReasoningSplitter, TextInsideKeepsItsNewLines) {
  expect_split("a\n\nb\n<c>\n</think>d", true, {"a\n\nb\n<c>", "d"});
}
TEST(ReasoningSplitter, CertainTextIsGivenAtOnce) {
  ReasoningSplitter splitter(true);
  const auto pieces = splitter.push("abc");
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].text, "abc");
  EXPECT_TRUE(pieces[0].is_reasoning);
}

TEST(PromptOpensReasoning, OnlyAnOpenMarkerAtTheEnd) {
  EXPECT_TRUE(prompt_opens_reasoning("<|im_start|>assistant\n<think>\n"));
  EXPECT_TRUE(prompt_opens_reasoning("<｜Assistant｜><think>\n"));
  EXPECT_FALSE(prompt_opens_reasoning("<|im_start|>assistant\n<think>\n\n</think>\n\n"));
  EXPECT_FALSE(prompt_opens_reasoning("<|im_start|>assistant\n"));
  EXPECT_FALSE(prompt_opens_reasoning("<think> in the question"));
  EXPECT_FALSE(prompt_opens_reasoning(""));
}

}  // namespace
}  // namespace tandem::engine
