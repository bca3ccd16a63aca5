// Arithmetic on sizes that come from files: nullopt instead of a wrapped result.
#pragma once

#include <cstdint>
#include <optional>

namespace tandem::engine {

inline std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// `value` rounded up to a multiple of `alignment`, which is a power of two.
inline std::optional<std::uint64_t> checked_round_up(std::uint64_t value, std::uint64_t alignment) {
  const std::optional<std::uint64_t> sum = checked_add(value, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}

}  // namespace tandem::engine
