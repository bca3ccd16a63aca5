#include "engine/models/rope.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace tandem::engine {
namespace {

// Llama-3.1's scaling: long wavelengths are stretched by `factor`, short ones kept, and those between blended.
double scale_llama3(double frequency, const Llama3RopeScaling& scaling) {
  const double wavelength = 2.0 * std::numbers::pi / frequency;
  const auto original = static_cast<double>(scaling.original_context);
  if (wavelength < original / scaling.high_freq_factor) return frequency;
  if (wavelength > original / scaling.low_freq_factor) return frequency / scaling.factor;
  const double blend = (original / wavelength - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor);
  return (1.0 - blend) * frequency / scaling.factor + blend * frequency;
}

}  // namespace

std::vector<float> rope_inverse_frequencies(const ModelConfig& config, std::span<const float> divisors) {
  const std::size_t num_pairs = static_cast<std::size_t>(config.rope_dim) / 2;
  CHECK(divisors.empty() || divisors.size() == num_pairs, "one divisor per pair");
  std::vector<float> result(num_pairs);
  for (std::size_t i = 0; i < num_pairs; ++i) {
    double frequency = std::pow(config.rope_theta, -2.0 * static_cast<double>(i) / config.rope_dim);
    if (!divisors.empty()) {
      frequency /= static_cast<double>(divisors[i]);
    } else if (config.rope_scaling) {
      frequency = scale_llama3(frequency, *config.rope_scaling);
    }
    result[i] = static_cast<float>(frequency);
  }
  return result;
}

}  // namespace tandem::engine
