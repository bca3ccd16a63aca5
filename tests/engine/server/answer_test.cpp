#include "engine/server/answer.h"

#include <gtest/gtest.h>

namespace tandem::engine::server {
namespace {

TokenEvent text(std::string content, TokenEvent::Channel channel = TokenEvent::Channel::kContent) {
  TokenEvent event;
  event.kind = TokenEvent::Kind::kText;
  event.channel = channel;
  event.text = std::move(content);
  event.token_ids = {1};
  return event;
}

TokenEvent finished(FinishReason reason, std::string stop_match = "") {
  TokenEvent event;
  event.kind = TokenEvent::Kind::kFinished;
  event.finish_reason = reason;
  event.stop_match = std::move(stop_match);
  event.stats.num_prompt_tokens = 5;
  event.stats.num_cached_tokens = 2;
  event.stats.num_output_tokens = 3;
  return event;
}

TEST(Answer, ChatStreamOpensWithTheRoleAndEndsWithTheReason) {
  GenerationRequest request;
  request.stream = true;
  request.include_usage = true;
  Answer answer(request, 1, "chatcmpl-1", 7, "m");
  auto chunks = answer.take(0, text("Hi"));
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0]["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(chunks[1]["choices"][0]["delta"]["content"], "Hi");
  EXPECT_TRUE(chunks[1]["usage"].is_null());
  EXPECT_EQ(chunks[1]["object"], "chat.completion.chunk");
  chunks = answer.take(0, finished(FinishReason::kStop));
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0]["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(chunks[0]["choices"][0]["delta"], Json::object());
  const auto usage = answer.usage_chunk();
  ASSERT_TRUE(usage);
  EXPECT_EQ((*usage)["choices"], Json::array());
  EXPECT_EQ((*usage)["usage"]["total_tokens"], 8);
  EXPECT_EQ((*usage)["usage"]["prompt_tokens_details"]["cached_tokens"], 2);
}

TEST(Answer, ReasoningIsKeptApartAndCanBeLeftOut) {
  GenerationRequest request;
  Answer answer(request, 1, "chatcmpl-1", 7, "m");
  answer.take(0, text("think", TokenEvent::Channel::kReasoning));
  answer.take(0, text("say"));
  answer.take(0, finished(FinishReason::kStop));
  const Json message = answer.whole()["choices"][0]["message"];
  EXPECT_EQ(message["content"], "say");
  EXPECT_EQ(message["reasoning_content"], "think");

  request.include_reasoning = false;
  Answer hidden(request, 1, "chatcmpl-1", 7, "m");
  EXPECT_EQ(hidden.take(0, text("think", TokenEvent::Channel::kReasoning)).size(), 1U) << "the role chunk only";
  hidden.take(0, finished(FinishReason::kLength));
  EXPECT_FALSE(hidden.whole()["choices"][0]["message"].contains("reasoning"));
  EXPECT_TRUE(hidden.whole()["choices"][0]["message"]["content"].is_null());
}

TEST(Answer, StopTextIsReportedAndIncludedOnlyWhenAsked) {
  GenerationRequest request;
  request.is_chat = false;
  for (const bool include : {false, true}) {
    request.include_stop_text = include;
    Answer answer(request, 1, "cmpl-1", 7, "m");
    answer.take(0, text("a"));
    answer.take(0, finished(FinishReason::kStop, "END"));
    const Json choice = answer.whole()["choices"][0];
    EXPECT_EQ(choice["text"], include ? "aEND" : "a");
    EXPECT_EQ(choice["stop_reason"], "END");
  }
}

TEST(Answer, PromptOfSeveralChoicesCountsOnce) {
  GenerationRequest request;
  request.n = 2;
  Answer answer(request, 2, "chatcmpl-1", 7, "m");
  answer.take(0, finished(FinishReason::kStop));
  answer.take(1, finished(FinishReason::kLength));
  const Json whole = answer.whole();
  EXPECT_EQ(whole["usage"]["prompt_tokens"], 5);
  EXPECT_EQ(whole["usage"]["completion_tokens"], 6);
  EXPECT_EQ(whole["choices"][1]["finish_reason"], "length");
}

TEST(Answer, ErrorEventEndsItWithTheEnginesWords) {
  Answer answer(GenerationRequest{}, 1, "chatcmpl-1", 7, "m");
  TokenEvent event = finished(FinishReason::kError);
  event.error = Error{ErrorCode::kDevice, "the device is lost"};
  EXPECT_TRUE(answer.take(0, event).empty());
  ASSERT_TRUE(answer.error());
  EXPECT_EQ(answer.error()->detail, "the device is lost");
}

TEST(Answer, LogprobsCarryBytesOfPartialCharacters) {
  Answer answer(GenerationRequest{}, 1, "chatcmpl-1", 7, "m");
  TokenEvent event = text("");
  PositionLogprobs position;
  position.chosen = {1, "\xE4\xBD", -0.5F};
  position.top = {{1, "\xE4\xBD", -0.5F}, {2, "x", -std::numeric_limits<float>::infinity()}};
  event.logprobs = {position};
  answer.take(0, event);
  answer.take(0, finished(FinishReason::kStop));
  const Json entry = answer.whole()["choices"][0]["logprobs"]["content"][0];
  EXPECT_EQ(entry["bytes"], (Json{0xE4, 0xBD}));
  EXPECT_EQ(entry["token"], "\xEF\xBF\xBD");
  EXPECT_EQ(entry["top_logprobs"][1]["logprob"], -9999.0F);
}

}  // namespace
}  // namespace tandem::engine::server
