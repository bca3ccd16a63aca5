// Random numbers of a request: a function of its seed and the token's place alone.
//
// There is no state to carry, so the same seed gives the same tokens whatever else is in the batch, and after a sequence was
// preempted and computed again.
#pragma once

#include <cstdint>

namespace tandem::engine {

// Uniform in [0, 1), with 53 random bits. The mixing function is splitmix64's (Steele, Lea & Flood 2014), applied to seed and
// place in turn so that neighbouring seeds share nothing.
inline double uniform_at(std::uint64_t seed, std::uint64_t place) {
  const auto mix = [](std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  };
  return static_cast<double>(mix(mix(seed) ^ place) >> 11) * 0x1.0p-53;
}

// A seed for requests that bring none.
std::uint64_t draw_seed();

}  // namespace tandem::engine
