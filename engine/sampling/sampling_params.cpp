#include "engine/sampling/sampling_params.h"

#include <cmath>
#include <string>

namespace tandem::engine {
namespace {

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : "infinite";
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Error out_of_range(const std::string& field, const std::string& value, const std::string& range) {
  return Error{ErrorCode::kInvalidArgument, field + " is " + value + "; it must be " + range};
}

}  // namespace

Result<void> check_sampling_params(const SamplingParams& params) {
  constexpr std::size_t kMaxStopStrings = 16;
  constexpr std::int32_t kMaxLogprobs = 20;
  // Written so that NaN fails every test.
  const auto check = [](const char* field, double value, bool valid, const char* range) -> Result<void> {
    if (valid) return {};
    return out_of_range(field, number_text(value), range);
  };
  const double temperature = params.temperature, top_p = params.top_p, min_p = params.min_p;
  const double repetition = params.repetition_penalty, presence = params.presence_penalty, frequency = params.frequency_penalty;
  TANDEM_TRY(check("temperature", temperature, temperature >= 0.0 && temperature <= 100.0, "from 0 to 100"));
  TANDEM_TRY(check("top_k", params.top_k, params.top_k >= 0, "0 (off) or more"));
  TANDEM_TRY(check("top_p", top_p, top_p > 0.0 && top_p <= 1.0, "above 0 and at most 1"));
  TANDEM_TRY(check("min_p", min_p, min_p >= 0.0 && min_p <= 1.0, "from 0 to 1"));
  TANDEM_TRY(check("repetition_penalty", repetition, repetition > 0.0 && std::isfinite(repetition), "above 0"));
  TANDEM_TRY(check("presence_penalty", presence, presence >= -2.0 && presence <= 2.0, "from -2 to 2"));
  TANDEM_TRY(check("frequency_penalty", frequency, frequency >= -2.0 && frequency <= 2.0, "from -2 to 2"));
  if (params.max_tokens && *params.max_tokens < 1) {
    return out_of_range("max_tokens", std::to_string(*params.max_tokens), "at least 1");
  }
  if (params.stop.size() > kMaxStopStrings) {
    return out_of_range("the number of stop strings", std::to_string(params.stop.size()), "at most 16");
  }
  for (std::size_t i = 0; i < params.stop.size(); ++i) {
    if (params.stop[i].empty()) {
      return Error{ErrorCode::kInvalidArgument, "stop string " + std::to_string(i + 1) + " is empty"};
    }
  }
  if (params.logprobs && (*params.logprobs < 0 || *params.logprobs > kMaxLogprobs)) {
    return out_of_range("logprobs", std::to_string(*params.logprobs), "from 0 to 20");
  }
  return {};
}

}  // namespace tandem::engine
