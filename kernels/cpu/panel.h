// Activations as the matrix kernels want them: panels of 1, 2, 4 or 8 rows, interleaved, so that one pass over a weight row
// serves all rows of a panel, and so that eight rows are one stream of memory and not eight that collide in the cache.
//
//   kFloat     float q[⌈n/8⌉][width][8], zero-padded             for F32, F16, BF16 weights
//   kInt8By32  int8 q[n/32][width][32], float d[n/32][width], float s[n/32][width]        for blocks of 32 elements
//   kInt8By256 int8 q[n/32][width][32], float d[n/256][width], int16 s[n/256][width][16]  for blocks of 256 elements
//
// value ≈ d · q, q in [-127, 127]. s is d · Σq of the 32 values, or Σq of each 16. A row's numbers depend on that row only.
// An infinity or NaN in a row's block makes d NaN, so that it is seen in the result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dtype.h"

namespace tandem::kernels::cpu {

enum class PanelKind : std::uint8_t { kFloat, kInt8By32, kInt8By256 };

constexpr int kMaxPanelRows = 8;

static inline PanelKind panel_kind(DType weights) {
  switch (weights) {
    case DType::kQ8_0:
    case DType::kQ4_0:
    case DType::kQ4_1:
    case DType::kQ5_0:
    case DType::kQ5_1:
    case DType::kIQ4_NL: return PanelKind::kInt8By32;
    case DType::kQ2_K:
    case DType::kQ3_K:
    case DType::kQ4_K:
    case DType::kQ5_K:
    case DType::kQ6_K:
    case DType::kIQ4_XS: return PanelKind::kInt8By256;
    default: return PanelKind::kFloat;
  }
}

// Where the parts of a panel lie, in bytes from its start, which is 64-byte aligned.
struct PanelLayout {
  std::int64_t d = 0, s = 0, bytes = 0;
};

static inline PanelLayout panel_layout(PanelKind kind, std::int64_t num_cols, int width) {
  const auto align = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
  PanelLayout layout;
  switch (kind) {
    case PanelKind::kFloat: layout.d = layout.s = align((num_cols + 7) / 8 * 32 * width); break;
    case PanelKind::kInt8By32:
      layout.d = align(num_cols * width);
      layout.s = layout.d + align(num_cols / 32 * width * 4);
      break;
    case PanelKind::kInt8By256:
      layout.d = align(num_cols * width);
      layout.s = layout.d + align(num_cols / 256 * width * 4);
      break;
  }
  const std::int64_t s_bytes = kind == PanelKind::kFloat      ? 0
                               : kind == PanelKind::kInt8By32 ? num_cols / 32 * width * 4
                                                              : num_cols / 256 * width * 32;
  layout.bytes = layout.s + align(s_bytes);
  return layout;
}

}  // namespace tandem::kernels::cpu
