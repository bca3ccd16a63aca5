// The engine as its callers see it: requests side by side, preemption, cancel, shutdown, logits.
#include "engine/engine.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/engine_fixture.h"

namespace tandem::engine {
namespace {

using testing::greedy;
using testing::HeldRequest;
using testing::load_micro;
using testing::Outcome;
using testing::prompt_ids;
using testing::run_to_end;
using testing::seeded;
using testing::start;
using testing::token_request;

constexpr std::int32_t kOutput = 80;

std::vector<Request> four_requests() {
  return {token_request(prompt_ids(1, 20), greedy(kOutput)), token_request(prompt_ids(2, 33), seeded(kOutput, 7)),
          token_request(prompt_ids(3, 5), seeded(kOutput, 8)), token_request(prompt_ids(4, 40), greedy(kOutput))};
}

std::vector<std::vector<std::int32_t>> run_alone(const std::vector<Request>& requests) {
  const auto engine = load_micro(128, 1);
  std::vector<std::vector<std::int32_t>> answers;
  for (const Request& request : requests) answers.push_back(run_to_end(*engine, request).ids);
  return answers;
}

std::vector<std::vector<std::int32_t>> run_together(Engine& engine, const std::vector<Request>& requests) {
  // All of them are admitted at once, behind one that holds the engine.
  HeldRequest first(engine, token_request({9, 8, 7}, greedy(2)));
  std::vector<std::future<Outcome>> futures;
  for (const Request& request : requests) futures.push_back(start(engine, request));
  first.release();
  first.wait();
  std::vector<std::vector<std::int32_t>> answers;
  for (auto& future : futures) {
    const Outcome outcome = future.get();
    EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kLength);
    EXPECT_EQ(outcome.finished.stats.num_output_tokens, static_cast<std::int64_t>(outcome.ids.size()));
    answers.push_back(outcome.ids);
  }
  return answers;
}

TEST(Engine, RequestsTogetherGiveWhatEachGivesAlone) {
  const std::vector<Request> requests = four_requests();
  const auto alone = run_alone(requests);
  for (const auto& answer : alone) ASSERT_EQ(answer.size(), std::size_t{kOutput});
  const auto two = load_micro(128, 2);
  EXPECT_EQ(run_together(*two, {requests[0], requests[1]}), (std::vector{alone[0], alone[1]}));
  const auto four = load_micro(128, 4);
  EXPECT_EQ(run_together(*four, requests), alone);
  EXPECT_EQ(four->stats().num_preemptions, 0);
  EXPECT_EQ(four->stats().kv_blocks_used, 0);
}

TEST(Engine, PreemptionChangesNoToken) {
  const std::vector<Request> requests = four_requests();
  const auto alone = run_alone(requests);
  LoadOptions options = testing::small_options(128, 4);
  const auto roomy = load_micro(128, 4);
  const ModelInfo& info = roomy->info();
  // Six blocks of 32 tokens; the four answers end with 4 blocks each.
  options.memory_limit_bytes = info.weight_bytes +
                               activation_bytes(info.config, options.max_num_batched_tokens, options.max_num_seqs) +
                               6 * kKvBlockTokens * info.kv_bytes_per_token;
  const auto tight = testing::load_engine(testing::golden_folder("micro/llama3"), options);
  ASSERT_NE(tight, nullptr);
  ASSERT_LT(tight->stats().kv_blocks_total, 12);
  EXPECT_EQ(run_together(*tight, requests), alone);
  EXPECT_GT(tight->stats().num_preemptions, 0);
  EXPECT_EQ(tight->stats().kv_blocks_used, 0);
}

TEST(Engine, CancelEndsRunningAndQueuedRequestsOnly) {
  const auto engine = load_micro(512, 2);
  const auto expected = run_to_end(*engine, token_request(prompt_ids(1, 20), greedy(100))).ids;
  HeldRequest running(*engine, token_request(prompt_ids(2, 20), greedy(400)));
  auto kept = start(*engine, token_request(prompt_ids(1, 20), greedy(100)));
  RequestId queued_id = 0;
  auto queued = start(*engine, token_request(prompt_ids(3, 20), greedy(400)), &queued_id);
  engine->cancel(running.id());
  engine->cancel(queued_id);
  engine->cancel(12345);  // unknown: ignored
  running.release();
  const Outcome cancelled = running.wait();
  EXPECT_EQ(cancelled.finished.finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(cancelled.ids.size(), 1U);
  const Outcome never_ran = queued.get();
  EXPECT_EQ(never_ran.finished.finish_reason, FinishReason::kCancelled);
  EXPECT_TRUE(never_ran.ids.empty());
  EXPECT_EQ(kept.get().ids, expected);
  EXPECT_EQ(engine->stats().kv_blocks_used, 0);
  EXPECT_EQ(engine->stats().num_running + engine->stats().num_queued, 0);
}

TEST(Engine, CancelDuringPrefillEndsBeforeThePromptIsComplete) {
  const auto engine = load_micro(4096, 1);
  std::promise<void> finished;
  std::int64_t done = 0;
  FinishReason reason = FinishReason::kStop;
  const auto id = engine->submit(token_request(prompt_ids(1, 4000), greedy(10)), [&](const TokenEvent& event) {
    if (event.kind == TokenEvent::Kind::kPrefill) {
      done = event.prefill_done;
      engine->cancel(event.request_id);
    }
    if (event.kind == TokenEvent::Kind::kFinished) {
      reason = event.finish_reason;
      finished.set_value();
    }
  });
  ASSERT_TRUE(id);
  finished.get_future().wait();
  EXPECT_EQ(reason, FinishReason::kCancelled);
  EXPECT_GT(done, 0);
  EXPECT_LE(done, 64) << "one step";
  EXPECT_EQ(engine->stats().kv_blocks_used, 0);
}

TEST(Engine, QueuePlacesFallAndPrefillRises) {
  const auto engine = load_micro(512, 1);
  HeldRequest first(*engine, token_request({4, 5, 6}, greedy(3)));
  std::vector<std::future<Outcome>> futures;
  for (std::int32_t i = 0; i < 3; ++i) futures.push_back(start(*engine, token_request(prompt_ids(i, 300), greedy(2))));
  EXPECT_EQ(engine->stats().num_queued, 3);
  first.release();
  first.wait();
  for (std::int32_t i = 0; i < 3; ++i) {
    const Outcome outcome = futures[static_cast<std::size_t>(i)].get();
    std::vector<std::int32_t> places;
    std::vector<std::int64_t> prefill;
    for (const TokenEvent& event : outcome.events) {
      if (event.kind == TokenEvent::Kind::kQueued) places.push_back(event.queue_place);
      if (event.kind != TokenEvent::Kind::kPrefill) continue;
      EXPECT_EQ(event.prefill_total, 300);
      prefill.push_back(event.prefill_done);
    }
    std::vector<std::int32_t> expected;
    for (std::int32_t place = i; place >= 0; --place) expected.push_back(place);
    EXPECT_EQ(places, expected);
    ASSERT_GE(prefill.size(), 2U);
    EXPECT_TRUE(std::is_sorted(prefill.begin(), prefill.end()));
    EXPECT_EQ(prefill.back(), 300);
  }
}

TEST(Engine, DestructionCancelsEveryRequest) {
  auto engine = load_micro(4096, 2);
  HeldRequest running(*engine, token_request(prompt_ids(1, 20), greedy(4000)));
  std::vector<std::future<Outcome>> others;
  for (std::int32_t i = 2; i < 5; ++i) others.push_back(start(*engine, token_request(prompt_ids(i, 20), greedy(4000))));
  running.release();
  engine.reset();
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kCancelled);
  for (auto& other : others) EXPECT_EQ(other.get().finished.finish_reason, FinishReason::kCancelled);
}

TEST(Engine, LogitsDoNotDependOnEarlierRequestsOrPieces) {
  const auto fresh = load_micro(512, 4);
  const auto used = load_micro(512, 4);
  const auto ids = prompt_ids(5, 150);
  const auto expected = fresh->logits(ids, 0);
  ASSERT_TRUE(expected) << expected.error().detail;
  run_to_end(*used, token_request(ids, greedy(50)));
  run_together(*used, four_requests());
  for (const std::int32_t chunk : {0, 1, 7, 32, 33}) {
    const auto logits = used->logits(ids, chunk);
    ASSERT_TRUE(logits) << logits.error().detail;
    EXPECT_TRUE(*logits == *expected) << "pieces of " << chunk;
  }
  // And requests do not depend on logits() having written to the cache.
  EXPECT_EQ(run_to_end(*used, token_request(ids, greedy(50))).ids, run_to_end(*fresh, token_request(ids, greedy(50))).ids);
}

}  // namespace
}  // namespace tandem::engine
