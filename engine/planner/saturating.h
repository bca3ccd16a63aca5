// Arithmetic on byte counts that sticks at the largest value instead of wrapping. Sizes come from files and command lines;
// whoever turns a sum of them into a plan checks for kTooLarge once, at the end.
#pragma once

#include <cstdint>
#include <limits>

namespace tandem::engine {

inline constexpr std::uint64_t kTooLarge = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kTooLarge : sum;
}

constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooLarge : product;
}

// The product of all, kTooLarge as soon as a part of it does not fit; 0 when one of them is 0.
template <class... Factors>
constexpr std::uint64_t saturating_product(std::uint64_t first, Factors... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    return saturating_mul(first, saturating_product(static_cast<std::uint64_t>(rest)...));
  }
}

// A size from a config: negative values count as 0, since there is nothing to hold.
constexpr std::uint64_t as_count(std::int64_t value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace tandem::engine
