// Constrained decoding end to end, with the shipped model, which knows nothing of JSON: whatever it would rather say, the
// answer keeps to the schema.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "tests/engine/request_helper.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

class ConstrainedGeneration : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto loaded = Engine::load(std::string(TANDEM_RESOURCES) + "/demo-model/tandem-demo-Q8_0.gguf", {}, {});
    ASSERT_TRUE(loaded) << loaded.error().detail;
    engine_ = std::move(*loaded);
  }
  static void TearDownTestSuite() { engine_.reset(); }

  static testing::Outcome run(const char* schema, std::uint64_t seed, std::int32_t max_tokens = 400) {
    Request request;
    ChatPrompt prompt;
    prompt.messages.push_back({{"role", "user"}, {"content", "Tell me about the KV cache"}});
    request.prompt = std::move(prompt);
    request.sampling.temperature = 1.0F;
    request.sampling.seed = seed;
    request.sampling.max_tokens = max_tokens;
    request.json_schema = Json::parse(schema);
    return testing::start(*engine_, std::move(request)).get();
  }
  static std::unique_ptr<Engine> engine_;
};
std::unique_ptr<Engine> ConstrainedGeneration::engine_;

TEST_F(ConstrainedGeneration, AnswersKeepToTheirSchema) {
  constexpr const char* kSchema = R"({"type":"object","additionalProperties":false,"required":["name","count","tags"],
    "properties":{"name":{"type":"string","maxLength":12},"count":{"type":"integer","minimum":3,"maximum":41},
                  "tags":{"type":"array","items":{"enum":["fast","slow"]},"minItems":1,"maxItems":3}}})";
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const testing::Outcome outcome = run(kSchema, seed);
    ASSERT_EQ(outcome.finished.finish_reason, FinishReason::kStop) << outcome.text;
    const Json answer = Json::parse(outcome.text, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << outcome.text;
    EXPECT_EQ(answer.size(), 3U) << outcome.text;
    EXPECT_TRUE(answer["name"].is_string());
    EXPECT_GE(answer["count"], 3);
    EXPECT_LE(answer["count"], 41);
    ASSERT_GE(answer["tags"].size(), 1U);
    ASSERT_LE(answer["tags"].size(), 3U);
    for (const Json& tag : answer["tags"]) EXPECT_TRUE(tag == "fast" || tag == "slow");
  }
}

TEST_F(ConstrainedGeneration, SameSeedGivesTheSameAnswer) {
  constexpr const char* kSchema = R"({"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":5})";
  EXPECT_EQ(run(kSchema, 9).text, run(kSchema, 9).text);
}

TEST_F(ConstrainedGeneration, OneAllowedAnswerIsGivenAtOnce) {
  const testing::Outcome outcome = run(R"({"const":"exactly this"})", 1);
  EXPECT_EQ(outcome.text, "\"exactly this\"");
  EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kStop);
}

TEST_F(ConstrainedGeneration, UnsupportedKeywordRefusesTheRequest) {
  const testing::Outcome outcome = run(R"({"type":"string","not":{}})", 1);
  ASSERT_TRUE(outcome.finished.error);
  EXPECT_EQ(outcome.finished.error->code, ErrorCode::kUnsupported);
  EXPECT_NE(outcome.finished.error->detail.find("\"not\""), std::string::npos);
}

TEST_F(ConstrainedGeneration, CutAnswerSaysSo) {
  const testing::Outcome outcome = run(R"({"type":"string","minLength":300})", 1, 20);
  EXPECT_EQ(outcome.finished.finish_reason, FinishReason::kLength);
}

}  // namespace
}  // namespace tandem::engine
