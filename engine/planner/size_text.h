// Sizes and numbers as people read them, made with whole numbers only. For the sentences and formulas of a plan.
#pragma once

#include <cstdint>
#include <string>

namespace tandem::engine {

// "512 B", "1.5 KiB", "604.3 MiB", "121.6 GiB": one decimal, rounded to nearest.
std::string size_text(std::uint64_t bytes);

// "231 GB/s" from bytes per second.
std::string bandwidth_text(double bytes_per_s);

// "0.08", "8.1", "194": two or three significant digits.
std::string speed_text(double tokens_per_s);

}  // namespace tandem::engine
