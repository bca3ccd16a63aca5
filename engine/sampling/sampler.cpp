#include "engine/sampling/sampler.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>

#include "base/check.h"
#include "engine/sampling/random.h"

namespace tandem::engine {
namespace {

bool uses_penalties(const SamplingParams& params) {
  return params.repetition_penalty != 1.0F || params.presence_penalty != 0.0F || params.frequency_penalty != 0.0F;
}

}  // namespace

std::uint64_t draw_seed() {
  std::random_device device;
  // 53 bits, so that the seed survives a trip through JSON readers that keep numbers as doubles.
  return ((static_cast<std::uint64_t>(device()) << 32) | device()) >> 11;
}

Sampler::Sampler(const SamplingParams& params, std::uint64_t seed, std::int32_t vocab_size,
                 std::span<const std::int32_t> prompt)
    : params_(params), seed_(seed), vocab_size_(vocab_size) {
  if (!uses_penalties(params_)) return;
  for (const std::int32_t id : prompt) seen_[id].in_prompt = true;
}

bool Sampler::apply_mask(std::span<float> logits, const TokenMask& allowed) {
  bool any = false;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!allowed.test(static_cast<std::int32_t>(i))) {
      logits[i] = -INFINITY;
    } else if (logits[i] != -INFINITY) {
      any = true;
    } else {
      logits[i] = -FLT_MAX;  // the model's impossible token may be the only one that is left
      any = true;
    }
  }
  return any;
}

Result<Sample> Sampler::sample(std::span<float> logits, const TokenMask* allowed) {
  CHECK(vocab_size_ > 0 && logits.size() >= static_cast<std::size_t>(vocab_size_), "one logit per token");
  logits = logits.first(static_cast<std::size_t>(vocab_size_));
  bool has_finite = false;
  for (float& logit : logits) {
    if (std::isnan(logit)) logit = -INFINITY;
    has_finite |= std::isfinite(logit);
  }
  if (!has_finite) {
    return Error{ErrorCode::kInternal,
                 "the model gave no finite logit after " + std::to_string(num_sampled_) +
                     " generated tokens; the file may be damaged: check it with tandem-node inspect --verify"};
  }

  Sample sample;
  double log_total = 0.0;
  std::vector<float> raw;  // of the penalised tokens only the raw logit of the chosen one is needed
  if (params_.logprobs) {
    fill_logprobs(logits, sample.top, log_total);
    if (uses_penalties(params_)) raw.assign(logits.begin(), logits.end());
  }
  if (allowed != nullptr && !apply_mask(logits, *allowed)) {
    return Error{ErrorCode::kInternal, "no token is allowed after " + std::to_string(num_sampled_) + " generated tokens"};
  }
  if (uses_penalties(params_)) apply_penalties(logits);

  if (params_.temperature == 0.0F) {
    // max_element returns the first of equals: the lower id.
    sample.token_id = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  } else {
    sample.token_id = draw(logits);
  }
  if (params_.logprobs) {
    const auto index = static_cast<std::size_t>(sample.token_id);
    sample.logprob = static_cast<float>((raw.empty() ? logits[index] : raw[index]) - log_total);
  }
  if (uses_penalties(params_)) ++seen_[sample.token_id].num_generated;
  ++num_sampled_;
  return sample;
}

void Sampler::apply_penalties(std::span<float> logits) const {
  for (const auto& [id, seen] : seen_) {
    if (id < 0 || id >= vocab_size_) continue;
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit > 0.0F ? logit / params_.repetition_penalty : logit * params_.repetition_penalty;
    if (seen.num_generated > 0) {
      logit -= params_.presence_penalty + params_.frequency_penalty * static_cast<float>(seen.num_generated);
    }
  }
}

void Sampler::fill_logprobs(std::span<const float> logits, std::vector<SampledLogprob>& top, double& log_total) const {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - largest);
  log_total = largest + std::log(total);

  const auto count = std::min(static_cast<std::size_t>(*params_.logprobs), logits.size());
  if (count == 0) return;
  std::vector<std::int32_t> ids(logits.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
  const auto better = [&](std::int32_t a, std::int32_t b) {
    const float la = logits[static_cast<std::size_t>(a)], lb = logits[static_cast<std::size_t>(b)];
    return la != lb ? la > lb : a < b;
  };
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(), better);
  for (std::size_t i = 0; i < count; ++i) {
    top.push_back({ids[i], static_cast<float>(logits[static_cast<std::size_t>(ids[i])] - log_total)});
  }
}

void Sampler::keep_top_p(double top_p) {
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token_id < b.token_id;
  };
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += std::exp(static_cast<double>(candidate.logit));
  // The nucleus is a handful of a vocabulary of 150,000 tokens: sort ever larger heads instead of all of it.
  const double wanted = top_p * total;
  double sum = 0.0;
  std::size_t sorted = 0;
  while (sorted < candidates_.size()) {
    const std::size_t end = std::min(candidates_.size(), std::max<std::size_t>(64, sorted * 8));
    const auto first = candidates_.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(end);
    std::partial_sort(first, last, candidates_.end(), better);
    for (; sorted < end; ++sorted) {
      sum += std::exp(static_cast<double>(candidates_[sorted].logit));
      if (sum >= wanted) {
        candidates_.resize(sorted + 1);
        return;
      }
    }
  }
}

std::int32_t Sampler::draw(std::span<float> logits) {
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token_id < b.token_id;
  };
  // Scaled relative to the largest, so that a temperature near 0 does not overflow.
  const float largest = *std::max_element(logits.begin(), logits.end());
  if (std::isinf(largest)) return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  // Below this the probability is less than e^-100 of the likeliest one's: it cannot change a draw with 53 bits.
  constexpr float kNegligible = -100.0F;
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const float scaled = (logits[i] - largest) / params_.temperature;
    if (scaled > kNegligible) candidates_.push_back({scaled, static_cast<std::int32_t>(i)});
  }
  if (params_.top_k > 0 && static_cast<std::size_t>(params_.top_k) < candidates_.size()) {
    const auto end = candidates_.begin() + params_.top_k;
    std::nth_element(candidates_.begin(), end - 1, candidates_.end(), better);
    candidates_.erase(end, candidates_.end());
  }
  if (params_.top_p < 1.0F) keep_top_p(params_.top_p);
  if (params_.min_p > 0.0F) {
    const float threshold = std::log(params_.min_p);
    std::erase_if(candidates_, [threshold](const Candidate& candidate) { return candidate.logit < threshold; });
  }
  // In order of id, so that the draw does not depend on how the candidates were found.
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.token_id < b.token_id; });
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += std::exp(static_cast<double>(candidate.logit));
  const double target = uniform_at(seed_, num_sampled_) * total;
  double sum = 0.0;
  for (const Candidate& candidate : candidates_) {
    sum += std::exp(static_cast<double>(candidate.logit));
    if (target < sum) return candidate.token_id;
  }
  return candidates_.back().token_id;
}

}  // namespace tandem::engine
