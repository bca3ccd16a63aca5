#include "engine/sampling/sampling_params.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

TEST(SamplingParams, DefaultsAreValid) {
  EXPECT_TRUE(check_sampling_params({}));
}

TEST(SamplingParams, ValuesOutOfRangeAreRefusedByName) {
  struct Case {
    std::function<void(SamplingParams&)> set;
    const char* expected;
  };
  const Case cases[] = {
      {[](auto& p) { p.temperature = -0.1F; }, "temperature is -0.1"},
      {[](auto& p) { p.temperature = NAN; }, "temperature is NaN"},
      {[](auto& p) { p.temperature = INFINITY; }, "temperature is infinite"},
      {[](auto& p) { p.top_k = -1; }, "top_k is -1"},
      {[](auto& p) { p.top_p = 0.0F; }, "top_p is 0"},
      {[](auto& p) { p.top_p = 1.5F; }, "top_p is 1.5"},
      {[](auto& p) { p.min_p = 2.0F; }, "min_p is 2"},
      {[](auto& p) { p.repetition_penalty = 0.0F; }, "repetition_penalty is 0"},
      {[](auto& p) { p.presence_penalty = 3.0F; }, "presence_penalty is 3"},
      {[](auto& p) { p.frequency_penalty = -2.5F; }, "frequency_penalty is -2.5"},
      {[](auto& p) { p.max_tokens = 0; }, "max_tokens is 0"},
      {[](auto& p) {
         p.stop = {"a", ""};
       },
       "stop string 2 is empty"},
      {[](auto& p) { p.stop.assign(17, "x"); }, "the number of stop strings is 17"},
      {[](auto& p) { p.logprobs = 21; }, "logprobs is 21"},
  };
  for (const Case& test : cases) {
    SamplingParams params;
    test.set(params);
    const auto result = check_sampling_params(params);
    ASSERT_FALSE(result) << test.expected;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(result.error().detail.find(test.expected), std::string::npos) << result.error().detail;
  }
}

}  // namespace
}  // namespace tandem::engine
