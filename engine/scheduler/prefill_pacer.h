// PrefillPacer: how many prompt tokens a step may compute, so that a cancelled request ends within 100 ms.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tandem::engine {

// Measures steps and aims at 100 ms for each that holds prompt tokens, or at the time of a decode step where that is longer:
// such a machine cannot stop faster anyway. Grows and shrinks with the measured speed, which falls as the context fills.
class PrefillPacer {
 public:
  static constexpr double kTargetMs = 100.0;
  static constexpr std::int32_t kFirstTokens = 16;  // until something has been measured

  explicit PrefillPacer(std::int32_t max_tokens) : max_tokens_(max_tokens), tokens_(std::min(kFirstTokens, max_tokens)) {}

  std::int32_t max_prefill_tokens() const { return tokens_; }

  void record(std::int32_t num_prefill_rows, std::int32_t num_decode_rows, double step_ms) {
    if (num_prefill_rows <= 1) {
      if (num_prefill_rows + num_decode_rows > 0) single_row_ms_ = step_ms;
      return;
    }
    const double target_ms = std::max(kTargetMs, single_row_ms_);
    // A short last piece says little: its time is mostly that of reading the weights.
    if (num_prefill_rows < tokens_ / 2 && step_ms < target_ms) return;
    const double tokens = num_prefill_rows * target_ms / std::max(step_ms, 1e-3);
    // At most double, since the time per token at the larger size is not known.
    const double bounded = std::clamp(tokens, 1.0, 2.0 * num_prefill_rows);
    tokens_ = std::clamp(static_cast<std::int32_t>(bounded), 1, max_tokens_);
  }

 private:
  std::int32_t max_tokens_;
  std::int32_t tokens_;
  double single_row_ms_ = 0.0;  // of the last step that computed no prompt
};

}  // namespace tandem::engine
