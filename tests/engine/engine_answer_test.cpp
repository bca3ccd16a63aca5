// How answers end, what they carry, and which loads are refused.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/engine_fixture.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;
using testing::greedy;
using testing::load_micro;
using testing::Outcome;
using testing::prompt_ids;
using testing::run_to_end;
using testing::token_request;

Request chat_request(const std::string& question, std::int32_t max_tokens) {
  Request request;
  ChatPrompt prompt;
  prompt.messages.push_back({{"role", "user"}, {"content", question}});
  request.prompt = prompt;
  request.sampling = greedy(max_tokens);
  request.sampling.ignore_eos = false;
  return request;
}

class DemoModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = testing::load_engine(testing::demo_model(), testing::small_options(512, 2)); }
  static void TearDownTestSuite() { engine_.reset(); }
  void SetUp() override { ASSERT_NE(engine_, nullptr); }
  static std::unique_ptr<Engine> engine_;
};
std::unique_ptr<Engine> DemoModel::engine_;

TEST_F(DemoModel, StopStringAcrossTokensEndsTheTextBeforeIt) {
  const Request request = chat_request("What can you do?", 24);
  const Outcome whole = run_to_end(*engine_, request);
  ASSERT_GE(whole.ids.size(), 8U);
  // The end of one token and the start of the next.
  const std::string before = engine_->tokenizer().decode({whole.ids.begin(), whole.ids.begin() + 5}, true);
  ASSERT_GE(before.size(), 2U);
  ASSERT_GE(whole.text.size(), before.size() + 2);
  ASSERT_EQ(whole.text.compare(0, before.size(), before), 0);
  const std::string stop = whole.text.substr(before.size() - 2, 4);
  Request stopped = request;
  stopped.sampling.stop = {"never in the text", stop};
  const Outcome outcome = run_to_end(*engine_, stopped);
  EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kStop);
  EXPECT_EQ(outcome.finished.stop_match, stop);
  EXPECT_EQ(outcome.text, whole.text.substr(0, whole.text.find(stop)));
  EXPECT_LT(outcome.ids.size(), whole.ids.size());
}

TEST_F(DemoModel, ContinuedAnswerIsTheUncutAnswer) {
  const std::string question = "What can you do?";
  const Outcome whole = run_to_end(*engine_, chat_request(question, 40));
  const Outcome start = run_to_end(*engine_, chat_request(question, 6));
  ASSERT_EQ(start.finished.finish_reason, FinishReason::kLength);
  Request rest = chat_request(question, 34);
  auto& prompt = std::get<ChatPrompt>(rest.prompt);
  prompt.messages.push_back({{"role", "assistant"}, {"content", start.text}});
  prompt.continue_final_message = true;
  EXPECT_EQ(start.text + run_to_end(*engine_, rest).text, whole.text);
}

TEST(EngineAnswer, StopTokenIdEndsWithStop) {
  const auto engine = load_micro(128, 1);
  Request request = token_request(prompt_ids(1, 20), greedy(30));
  const Outcome whole = run_to_end(*engine, request);
  EXPECT_EQ(whole.finished.finish_reason, FinishReason::kLength);
  EXPECT_FALSE(whole.finished.context_full);
  EXPECT_EQ(whole.ids.size(), 30U);
  const std::int32_t stop = whole.ids[4];
  request.sampling.stop_token_ids = {stop};
  const Outcome outcome = run_to_end(*engine, request);
  EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kStop);
  ASSERT_FALSE(outcome.ids.empty());
  EXPECT_EQ(outcome.ids.back(), stop);
  EXPECT_LE(outcome.ids.size(), 5U);
}

TEST(EngineAnswer, ContextLimitEndsOrRefuses) {
  const auto engine = load_micro(64, 1);
  const Outcome full = run_to_end(*engine, token_request(prompt_ids(1, 60), greedy(30)));
  EXPECT_EQ(full.finished.finish_reason, FinishReason::kLength);
  EXPECT_TRUE(full.finished.context_full);
  EXPECT_EQ(full.ids.size(), 4U);
  const Outcome last = run_to_end(*engine, token_request(prompt_ids(1, 63), greedy(30)));
  EXPECT_TRUE(last.finished.context_full);
  EXPECT_EQ(last.ids.size(), 1U);
  const Outcome refused = run_to_end(*engine, token_request(prompt_ids(1, 65), greedy(30)));
  ASSERT_TRUE(refused.finished.error.has_value());
  EXPECT_EQ(refused.finished.error->code, ErrorCode::kContextExhausted);
  EXPECT_NE(refused.finished.error->detail.find("65"), std::string::npos) << refused.finished.error->detail;
  EXPECT_NE(refused.finished.error->detail.find("64"), std::string::npos) << refused.finished.error->detail;
  EXPECT_TRUE(run_to_end(*engine, token_request(prompt_ids(1, 64), greedy(1))).finished.error.has_value());
}

TEST(EngineAnswer, LogprobsAreOrderedAndBelowOne) {
  const auto engine = load_micro(128, 1);
  Request request = token_request(prompt_ids(2, 20), greedy(10));
  request.sampling.logprobs = 5;
  const Outcome outcome = run_to_end(*engine, request);
  std::size_t num_positions = 0;
  for (const TokenEvent& event : outcome.events) {
    ASSERT_EQ(event.logprobs.size(), event.token_ids.size());
    for (const PositionLogprobs& position : event.logprobs) {
      ASSERT_EQ(position.top.size(), 5U);
      EXPECT_EQ(position.chosen.token_id, event.token_ids[0]);
      EXPECT_EQ(position.chosen.token_id, position.top[0].token_id) << "greedy";
      double sum = 0.0;
      for (std::size_t i = 0; i < position.top.size(); ++i) {
        sum += std::exp(position.top[i].logprob);
        if (i > 0) {
          EXPECT_LE(position.top[i].logprob, position.top[i - 1].logprob);
        }
      }
      EXPECT_GT(sum, 0.0);
      EXPECT_LE(sum, 1.0 + 1e-5);
      ++num_positions;
    }
  }
  EXPECT_EQ(num_positions, 10U);
}

TEST(EngineLoad, CancelledInEveryPhase) {
  using Phase = LoadProgress::Phase;
  for (const Phase phase : {Phase::kReadingHeader, Phase::kPlanning, Phase::kLoadingWeights, Phase::kWarmingUp}) {
    const auto engine = Engine::load(testing::golden_folder("micro/llama3"), testing::small_options(64, 1),
                                     [phase](const LoadProgress& progress) { return progress.phase != phase; });
    ASSERT_FALSE(engine) << int(phase);
    EXPECT_EQ(engine.error().code, ErrorCode::kCancelled);
  }
}

TEST(EngineLoad, MissingAndCutFilesAreRefusedByName) {
  const testing::TempFolder folder;
  const auto options = testing::small_options(64, 1);
  const auto missing = Engine::load(folder.path() / "absent.gguf", options, {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().detail.find("absent.gguf"), std::string::npos) << missing.error().detail;
  const fs::path cut = folder.path() / "cut.gguf";
  fs::copy_file(testing::demo_model(), cut);
  fs::permissions(cut, fs::perms::owner_write, fs::perm_options::add);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  const auto half = Engine::load(cut, options, {});
  ASSERT_FALSE(half);
  EXPECT_NE(half.error().detail.find("cut.gguf"), std::string::npos) << half.error().detail;
  std::ofstream(folder.path() / "text.gguf") << "not a model";
  EXPECT_FALSE(Engine::load(folder.path() / "text.gguf", options, {}));
}

TEST(EngineLoad, TooSmallMemoryLimitIsRefusedWithNumbers) {
  auto options = testing::small_options(512, 1);
  options.memory_limit_bytes = std::uint64_t{10} << 20;
  const auto engine = Engine::load(testing::demo_model(), options, {});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::kOutOfMemory);
  EXPECT_NE(engine.error().detail.find("needs 0.0"), std::string::npos) << engine.error().detail;
  EXPECT_NE(engine.error().detail.find("0.01 GiB can be used"), std::string::npos) << engine.error().detail;
}

}  // namespace
}  // namespace tandem::engine
