#include <array>
#include <charconv>
#include <cstdio>
#include <string>

#include "engine/model_file/model_parts.h"

namespace tandem::engine {
namespace {

constexpr std::size_t kDigits = 5;
constexpr std::string_view kOf = "-of-";

// Five digits at `position`, or nullopt.
std::optional<std::uint64_t> five_digits(std::string_view text, std::size_t position) {
  std::uint64_t value = 0;
  const char* begin = text.data() + position;
  const auto [end, error] = std::from_chars(begin, begin + kDigits, value);
  if (error != std::errc() || end != begin + kDigits) return std::nullopt;
  return value;
}

}  // namespace

std::string split_file_name(std::string_view prefix, std::uint64_t part_idx, std::uint64_t num_parts,
                            std::string_view extension) {
  std::array<char, 64> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "-%05llu-of-%05llu", static_cast<unsigned long long>(part_idx + 1),
                static_cast<unsigned long long>(num_parts));
  return std::string(prefix).append(numbers.data()).append(extension);
}

std::optional<SplitName> parse_split_name(std::string_view file_name, std::string_view extension) {
  if (!file_name.ends_with(extension)) return std::nullopt;
  const std::string_view stem = file_name.substr(0, file_name.size() - extension.size());
  constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits;
  if (stem.size() < kTail) return std::nullopt;
  const std::size_t dash = stem.size() - kTail;
  const auto part = five_digits(stem, dash + 1);
  const auto count = five_digits(stem, stem.size() - kDigits);
  if (stem[dash] != '-' || stem.substr(dash + 1 + kDigits, kOf.size()) != kOf || !part || !count) return std::nullopt;
  if (*part == 0 || *part > *count) return std::nullopt;
  return SplitName{std::string(stem.substr(0, dash)), *part - 1, *count};
}

}  // namespace tandem::engine
