#include "engine/planner/size_text.h"

#include <array>
#include <cstdio>
#include <string_view>

namespace tandem::engine {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (10 * (unit + 2)) != 0) ++unit;
  const unsigned shift = 10 * (static_cast<unsigned>(unit) + 1);
  const std::uint64_t rest = bytes & ((std::uint64_t{1} << shift) - 1);
  // Tenths of the rest, rounded; the rest has at most 50 bits.
  const std::uint64_t tenths = (bytes >> shift) * 10 + ((rest * 10 + (std::uint64_t{1} << (shift - 1))) >> shift);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + std::string(kUnits[unit]);
}

std::string bandwidth_text(double bytes_per_s) {
  return formatted("%.0f GB/s", bytes_per_s / 1e9);
}

std::string speed_text(double tokens_per_s) {
  return formatted(tokens_per_s >= 100 ? "%.0f" : tokens_per_s >= 1 ? "%.1f" : "%.2g", tokens_per_s);
}

}  // namespace tandem::engine
