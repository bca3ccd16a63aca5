// attention: causal softmax attention of a step's rows over the paged cache.
//
//   out[r, h] = Σ_j softmax_j(scale · q[r, h]·k_j) v_j over positions j ≤ position(r); q, out [n, num_heads, head_dim] F32
//   cache k, v [num_blocks, num_kv_heads, block_tokens, head_dim] F32 or F16; query head h reads head h·num_kv_heads/num_heads
//
// Query heads that share a KV head, and the rows of a prompt, form tiles of up to eight queries: a key is read once for all
// of them. Positions are cut into splits of kSplit; each gives a partial result, and the partials are merged in order of
// position. That is done whatever the number of threads, so the result never depends on it: with many tiles a thread does all
// splits of a tile, with few (one token, long context) the splits themselves are spread over the threads. Method: Dao et al.
// 2023 (Flash-Decoding). Bound by memory for one token. Tolerance: 2e-6 of the largest value, 1e-3 more with an F16 cache.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {
namespace {

constexpr std::int64_t kSplit = 1024;  // a multiple of every kernel's piece, so that pieces stay where they are

void merge(float* weighted, float& max, float& sum, const float* other, float other_max, float other_sum,
           std::int64_t head_dim) {
  const float new_max = std::max(max, other_max);
  const float a = std::exp(max - new_max), b = std::exp(other_max - new_max);
  for (std::int64_t k = 0; k < head_dim; ++k) weighted[k] = weighted[k] * a + other[k] * b;
  max = new_max;
  sum = sum * a + other_sum * b;
}

}  // namespace

void CpuBackend::attention(Tensor q, const KvLayer& cache, std::span<const SequenceRows> sequences, float scale, Tensor out) {
  const std::int64_t num_heads = q.shape[1], num_kv_heads = cache.num_kv_heads, head_dim = cache.head_dim;
  CHECK(q.dtype == DType::kF32 && out.dtype == DType::kF32, "activations are F32");
  CHECK(q.shape == out.shape && q.shape[2] == head_dim && q.data != out.data, "queries and output do not match");
  CHECK(num_kv_heads > 0 && num_heads % num_kv_heads == 0, "query heads do not divide over KV heads");
  CHECK(cache.k.dtype == cache.v.dtype && (cache.k.dtype == DType::kF32 || cache.k.dtype == DType::kF16),
        "the KV cache is F32 or F16");
  const std::int64_t heads_per_kv = num_heads / num_kv_heads;

  attention_tiles_.clear();
  std::int64_t num_partials = 0;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const SequenceRows& sequence = sequences[s];
    CHECK(sequence.first_row >= 0 && sequence.first_row + sequence.num_rows <= q.num_rows(), "rows outside the step");
    const std::int64_t context = std::int64_t{sequence.first_position} + sequence.num_rows;
    CHECK(static_cast<std::int64_t>(sequence.block_table.size()) * cache.block_tokens >= context,
          "the block table does not cover the sequence");
    for (std::int64_t b = 0; b * cache.block_tokens < context; ++b) {
      const std::int32_t block = sequence.block_table[static_cast<std::size_t>(b)];
      CHECK(block >= 0 && block < cache.k.num_rows(), "block outside the cache");
    }
    for (std::int64_t head = 0; head < num_kv_heads; ++head) {
      const std::int64_t num_queries = sequence.num_rows * heads_per_kv;
      for (std::int64_t first = 0; first < num_queries; first += attention_tiles_.back().width) {
        TileOfQueries tile;
        tile.sequence = &sequence;
        tile.kv_head = head;
        tile.first_query = first;
        tile.width = next_panel_width(num_queries - first);
        tile.end = sequence.first_position + (first + tile.width - 1) / heads_per_kv + 1;
        tile.first_partial = num_partials;
        num_partials += (tile.end + kSplit - 1) / kSplit;
        attention_tiles_.push_back(tile);
      }
    }
  }

  // Queries of a tile, in order: row by row, in a row head by head.
  const auto element = [&](const TileOfQueries& tile, int i) {
    const std::int64_t query = tile.first_query + i;
    const std::int64_t row = tile.sequence->first_row + query / heads_per_kv;
    return (row * num_heads + tile.kv_head * heads_per_kv + query % heads_per_kv) * head_dim;
  };
  const auto attend_split = [&](const TileOfQueries& tile, std::int64_t split, float* max, float* sum, float* const* weighted) {
    const float* queries[kMaxPanelRows];
    std::int32_t limit[kMaxPanelRows];
    for (int i = 0; i < tile.width; ++i) {
      queries[i] = q.as<float>() + element(tile, i);
      limit[i] = static_cast<std::int32_t>(tile.sequence->first_position + (tile.first_query + i) / heads_per_kv + 1);
    }
    AttentionTile t;
    t.num_queries = tile.width;
    t.q = queries;
    t.limit = limit;
    t.begin = split * kSplit;
    t.end = std::min(t.begin + kSplit, tile.end);
    const std::int64_t head_offset = row_bytes(cache.k.dtype, tile.kv_head * cache.block_tokens * head_dim);
    t.k = cache.k.as<std::byte>() + head_offset;
    t.v = cache.v.as<std::byte>() + head_offset;
    t.cache_dtype = cache.k.dtype;
    t.block_table = tile.sequence->block_table.data();
    t.block_tokens = cache.block_tokens;
    t.block_stride = num_kv_heads * cache.block_tokens * head_dim;
    t.head_dim = cache.head_dim;
    t.scale = scale;
    t.max = max;
    t.sum = sum;
    t.weighted = weighted;
    kernels_.attend(t);
  };

  const std::int64_t num_tiles = static_cast<std::int64_t>(attention_tiles_.size());
  const std::int64_t num_threads = pool_->num_threads();
  const bool by_tiles = num_tiles >= 4 * num_threads || num_partials == num_tiles;
  const std::int64_t partial_size = kMaxPanelRows * (head_dim + 2);  // max, sum and weighted values of a tile
  const std::int64_t num_kept = by_tiles ? num_threads : num_partials;
  float* partials = reinterpret_cast<float*>(workspace(static_cast<std::size_t>(num_kept * partial_size) * sizeof(float)));
  if (partials == nullptr) return;
  const auto attend_into = [&](const TileOfQueries& tile, std::int64_t split, float* partial) {
    float* weighted[kMaxPanelRows];
    for (int i = 0; i < tile.width; ++i) weighted[i] = partial + 2 * kMaxPanelRows + i * head_dim;
    attend_split(tile, split, partial, partial + kMaxPanelRows, weighted);
  };
  if (!by_tiles) {
    // Tiles are few here, so a search per split costs nothing.
    pool_->parallel_for(num_partials, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t p = begin; p < end; ++p) {
        const auto after = std::ranges::upper_bound(attention_tiles_, p, {}, &TileOfQueries::first_partial);
        const TileOfQueries& tile = *(after - 1);
        attend_into(tile, p - tile.first_partial, partials + p * partial_size);
      }
    });
  }
  pool_->parallel_for(num_tiles, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t thread_idx) {
    for (std::int64_t t = begin; t < end; ++t) {
      const TileOfQueries& tile = attention_tiles_[static_cast<std::size_t>(t)];
      float max[kMaxPanelRows], sum[kMaxPanelRows];
      for (std::int64_t split = 0; split * kSplit < tile.end; ++split) {
        float* partial = partials + (by_tiles ? thread_idx : tile.first_partial + split) * partial_size;
        if (by_tiles) attend_into(tile, split, partial);
        for (int i = 0; i < tile.width; ++i) {
          float* result = out.as<float>() + element(tile, i);
          const float* weighted = partial + 2 * kMaxPanelRows + i * head_dim;
          if (split == 0) {
            std::copy(weighted, weighted + head_dim, result);
            max[i] = partial[i];
            sum[i] = partial[kMaxPanelRows + i];
          } else {
            merge(result, max[i], sum[i], weighted, partial[i], partial[kMaxPanelRows + i], head_dim);
          }
        }
      }
      for (int i = 0; i < tile.width; ++i) {
        float* result = out.as<float>() + element(tile, i);
        const float inverse = 1.0f / sum[i];
        for (std::int64_t k = 0; k < head_dim; ++k) result[k] *= inverse;
      }
    }
  });
}

}  // namespace tandem::kernels::cpu
