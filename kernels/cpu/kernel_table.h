// The inner loops that exist once per instruction set. An op checks its arguments and splits the work over threads, then
// calls these; which set is used is decided once, when the backend is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backend.h"
#include "kernels/cpu/panel.h"

namespace tandem::kernels::cpu {

// Some rows of a weight matrix times one panel.
struct PanelProduct {
  const std::byte* weights = nullptr;  // first of the rows
  std::int64_t row_bytes = 0;
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  const std::byte* panel = nullptr;
  int width = 1;                // 1, 2, 4 or 8
  float* const* out = nullptr;  // [width]: where the results of panel row i begin
  bool accumulate = false;
};

// Queries of one sequence that read one KV head, against one range of positions.
struct AttentionTile {
  int num_queries = 1;                  // 1, 2, 4 or 8
  const float* const* q = nullptr;      // [num_queries], head_dim each
  const std::int32_t* limit = nullptr;  // [num_queries]: positions below it are visible
  std::int64_t begin = 0, end = 0;      // positions of this range, all of them stored
  const std::byte* k = nullptr;         // the layer's cache, at this KV head of block 0
  const std::byte* v = nullptr;
  DType cache_dtype = DType::kF32;  // F32 or F16
  const std::int32_t* block_table = nullptr;
  std::int32_t block_tokens = 0;
  std::int64_t block_stride = 0;  // elements from block to block
  std::int32_t head_dim = 0;
  float scale = 1;
  // Result per query: running maximum, sum of exponentials, and their weighted sum of values, not yet divided.
  float* max = nullptr;              // [num_queries]
  float* sum = nullptr;              // [num_queries]
  float* const* weighted = nullptr;  // [num_queries], head_dim each
};

struct KernelTable {
  // Fills a panel from `width` rows.
  void (*fill_panel)(PanelKind kind, const float* const* rows, int width, std::int64_t num_cols, std::byte* panel) = nullptr;
  void (*multiply)(DType weights, const PanelProduct& product) = nullptr;
  void (*attend)(const AttentionTile& tile) = nullptr;
  void (*rms_norm_row)(const float* x, const float* weight, std::int64_t size, float eps, float* out) = nullptr;
  void (*rope_head)(float* head, const float* cosines, const float* sines, std::int32_t num_pairs,
                    RopePairing pairing) = nullptr;
  void (*silu_mul)(const float* gate, const float* up, std::int64_t size, float* out) = nullptr;
  void (*store_f16)(const float* x, std::int64_t size, std::uint16_t* out) = nullptr;
  void (*add_scaled)(const float* x, float factor, std::int64_t size, float* out) = nullptr;  // out += factor · x
  // Reads all of it, 64-byte aligned and a multiple of 256 bytes; the value only keeps the reads from being removed.
  float (*read_all)(const float* data, std::int64_t size) = nullptr;
};

}  // namespace tandem::kernels::cpu
