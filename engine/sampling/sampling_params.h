// How the next token is chosen from the logits of one sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::engine {

struct SamplingParams {
  float temperature = 1.0F;                // 0: greedy, the other choices then do not matter
  std::int32_t top_k = 0;                  // 0: off
  float top_p = 1.0F;                      // (0, 1]
  float min_p = 0.0F;                      // [0, 1]: drop tokens below min_p times the likeliest (Nguyen et al. 2024)
  float repetition_penalty = 1.0F;         // > 0; divides positive logits of seen tokens (Keskar et al. 2019); prompt counts
  float presence_penalty = 0.0F;           // [-2, 2]; generated tokens only, as in the OpenAI API
  float frequency_penalty = 0.0F;          // [-2, 2]
  std::optional<std::uint64_t> seed;       // absent: drawn, and reported in the result
  std::optional<std::int32_t> max_tokens;  // absent: until the context is full
  std::vector<std::string> stop;           // at most 16, none empty; the match is not part of the text
  std::vector<std::int32_t> stop_token_ids;
  bool ignore_eos = false;
  std::optional<std::int32_t> logprobs;  // 0–20 alternatives per token; absent: none
  bool operator==(const SamplingParams&) const = default;
};

// Refuses values out of range, naming field, value and range.
Result<void> check_sampling_params(const SamplingParams& params);

}  // namespace tandem::engine
