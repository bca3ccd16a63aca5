// Sampler: chooses the next token of one sequence from its logits. Deterministic for a given seed.
//
// Order of the steps: repetition, presence and frequency penalties; temperature; top-k; top-p over what is left; min-p relative
// to the likeliest; then a draw. Temperature 0 takes the largest logit after the penalties. Ties go to the lower id everywhere.
// Log probabilities are those of the model itself, before penalties and temperature.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/sampling/sampling_params.h"
#include "engine/sampling/token_mask.h"

namespace tandem::engine {

struct SampledLogprob {
  std::int32_t token_id = 0;
  float logprob = 0.0F;
};

struct Sample {
  std::int32_t token_id = 0;
  float logprob = 0.0F;             // valid when logprobs were asked for
  std::vector<SampledLogprob> top;  // best first, as many as were asked for
};

// One per sequence; lives as long as it. Not thread-safe.
class Sampler {
 public:
  // `params` have passed check_sampling_params(). `seed` is the one to use: params.seed or one drawn by the caller.
  // `vocab_size`: logits from this index on belong to no token and are never chosen.
  Sampler(const SamplingParams& params, std::uint64_t seed, std::int32_t vocab_size, std::span<const std::int32_t> prompt);

  // The token after the ones seen so far. `logits` has at least vocab_size values and is overwritten. Logits that are NaN are
  // never chosen, unless nothing else is left: then kInternal.
  // `allowed`, where given, is the set to choose from; log probabilities are still those of the model. An empty set is
  // kInternal.
  Result<Sample> sample(std::span<float> logits, const TokenMask* allowed = nullptr);

 private:
  struct Candidate {
    float logit;  // divided by the temperature, relative to the largest
    std::int32_t token_id;
  };
  // Takes every other token out; false when the set holds none of the vocabulary.
  static bool apply_mask(std::span<float> logits, const TokenMask& allowed);
  void apply_penalties(std::span<float> logits) const;
  void fill_logprobs(std::span<const float> logits, std::vector<SampledLogprob>& top, double& log_total) const;
  std::int32_t draw(std::span<float> logits);
  // Leaves the nucleus: the likeliest candidates that together hold `top_p` of the mass, sorted.
  void keep_top_p(double top_p);

  SamplingParams params_;
  std::uint64_t seed_;
  std::int32_t vocab_size_;
  std::uint64_t num_sampled_ = 0;
  struct Seen {
    bool in_prompt = false;
    std::int32_t num_generated = 0;
  };
  std::unordered_map<std::int32_t, Seen> seen_;  // filled only when a penalty needs it
  std::vector<Candidate> candidates_;            // kept between calls for its memory
};

}  // namespace tandem::engine
