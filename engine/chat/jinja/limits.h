// Bounds on what one template may cost. Templates come with model files from the network, so each one is treated as hostile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::engine::jinja {

struct Limits {
  std::size_t output_bytes = std::size_t{64} << 20;
  // Evaluated syntax nodes, plus one for every kBytesPerStep bytes of text made and every item of a sequence made. A hundred
  // turns through the largest template in use take about 10^5; the limit lets conversations of ten thousand turns through
  // and ends a runaway loop after about a second.
  std::int64_t steps = 10'000'000;
};

inline constexpr std::int64_t kBytesPerStep = 256;
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;
inline constexpr int kMaxBlockNesting = 64;       // {% if %} inside {% for %} inside …
inline constexpr int kMaxExpressionDepth = 200;   // of the syntax tree, so also terms of a + b + c …
inline constexpr int kMaxCallDepth = 100;         // macros, callers and recursive loops
inline constexpr int kMaxEvaluationDepth = 1500;  // all of the above together: bounds the use of the C++ stack
inline constexpr int kMaxValueDepth = 64;         // lists in dicts in lists …
inline constexpr int kMaxPrintDepth = 16;         // namespaces printed inside one another
inline constexpr std::size_t kMaxRangeItems = 100'000;
inline constexpr std::size_t kMaxStringBytes = std::size_t{64} << 20;
inline constexpr std::int64_t kMaxValueWeight = 4'000'000;  // see Value::weight()
inline constexpr std::size_t kMaxSequenceItems = 1'000'000;
inline constexpr std::size_t kMaxMessageBytes = 4096;  // of an error: the template may put anything into it
inline constexpr int kMaxFormatWidth = 10'000;         // "%9999d", "{:>9999}", center(9999), indent(9999)

}  // namespace tandem::engine::jinja
