// Softmax attention of up to eight queries over one range of positions (online softmax, Milakov & Gimelshein 2018).
//
//   score_j = scale · q·k_j for visible j;  weighted = Σ e^(score_j − max) v_j,  sum = Σ e^(score_j − max)
//
// Works through pieces of kPiece positions that begin at multiples of kPiece: scores of a piece, its maximum, exponentials,
// then values; earlier results are scaled when the maximum grows. All in float. What is computed for one query does not
// depend on the others in the tile, and pieces do not depend on how the prompt was cut. Bound by memory for one token (each
// key and value is read once for all query heads that share it), by multiply-adds for eight queries.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd.h"

namespace tandem::kernels::cpu {
namespace {

constexpr int kPiece = 64;  // positions; keys and values of one piece and head_dim 128 in F16 are 32 KiB, the L1 cache
static_assert(kPiece % 8 == 0, "scores are made for eight keys at a time");

// scores[i][j] = q_i · k_j for all j < kPiece; keys from `count` on repeat the last one and are masked later. Tiles of
// num_queries × (8 / num_queries) have eight independent sums whatever the shape.
template <class T, int num_queries>
TANDEM_INLINE void score_piece(const AttentionTile& t, const T* const* keys, int count, float (*scores)[kPiece]) {
  constexpr int kKeys = 8 / num_queries;
  const int whole = t.head_dim / 8 * 8, rest = t.head_dim - whole;
  for (int j = 0; j < count; j += kKeys) {
    const T* key[kKeys];
    for (int c = 0; c < kKeys; ++c) key[c] = keys[j + c < count ? j + c : count - 1];
    F32x8 sums[8] = {};
    for (int k = 0; k < whole; k += 8) {
      for (int c = 0; c < kKeys; ++c) {
        const F32x8 values = load8(key[c] + k);
        for (int i = 0; i < num_queries; ++i) {
          sums[i * kKeys + c] = fma8(values, load8(t.q[i] + k), sums[i * kKeys + c]);
        }
      }
    }
    if (rest != 0) {
      for (int c = 0; c < kKeys; ++c) {
        const F32x8 values = load_part(key[c] + whole, rest);
        for (int i = 0; i < num_queries; ++i) {
          sums[i * kKeys + c] = fma8(values, load_part(t.q[i] + whole, rest), sums[i * kKeys + c]);
        }
      }
    }
    const F32x8 totals = sum_lanes_of_8(sums);
    for (int i = 0; i < num_queries; ++i) {
      for (int c = 0; c < kKeys; ++c) scores[i][j + c] = totals[i * kKeys + c];
    }
  }
}

// Turns scores of one query into exponentials, zero where not visible, and updates its maximum and sum. Returns the factor
// for what was summed before.
TANDEM_INLINE float soften(float* scores, int visible, float scale, float& max, float& sum) {
  if (visible <= 0) {
    for (int j = 0; j < kPiece; j += 8) store8(scores + j, splat(0));
    return 1;
  }
  for (int j = visible; j < kPiece; ++j) scores[j] = -__builtin_inff();
  F32x8 largest = splat(-__builtin_inff());
  for (int j = 0; j < kPiece; j += 8) {
    const F32x8 v = load8(scores + j) * scale;
    store8(scores + j, v);
    largest = max8(largest, v);
  }
  const float piece_max = max_lanes(largest);
  const float new_max = piece_max > max ? piece_max : max;
  F32x8 sums = splat(0);
  for (int j = 0; j < kPiece; j += 8) {
    const F32x8 e = exp8(load8(scores + j) - new_max);
    store8(scores + j, e);
    sums += e;
  }
  const float factor = exp8(splat(max - new_max))[0];
  max = new_max;
  sum = sum * factor + sum_lanes(sums);
  return factor;
}

// weighted_i = weighted_i · factor_i + Σ_j scores[i][j] · v_j.
template <class T, int num_queries>
TANDEM_INLINE void add_values(const AttentionTile& t, const T* const* values, int count, const float (*scores)[kPiece],
                              const float* factors) {
  constexpr int kChunks = 8 / num_queries;
  const int whole = t.head_dim / 8 * 8, rest = t.head_dim - whole;
  int k = 0;
  for (; k + 8 * kChunks <= whole; k += 8 * kChunks) {
    F32x8 sums[num_queries][kChunks];
    for (int i = 0; i < num_queries; ++i) {
      for (int c = 0; c < kChunks; ++c) sums[i][c] = load8(t.weighted[i] + k + 8 * c) * factors[i];
    }
    for (int j = 0; j < count; ++j) {
      for (int c = 0; c < kChunks; ++c) {
        const F32x8 v = load8(values[j] + k + 8 * c);
        for (int i = 0; i < num_queries; ++i) sums[i][c] = fma8(v, splat(scores[i][j]), sums[i][c]);
      }
    }
    for (int i = 0; i < num_queries; ++i) {
      for (int c = 0; c < kChunks; ++c) store8(t.weighted[i] + k + 8 * c, sums[i][c]);
    }
  }
  for (; k < t.head_dim; k += 8) {
    const int size = k < whole ? 8 : rest;
    F32x8 sums[num_queries];
    for (int i = 0; i < num_queries; ++i) sums[i] = load_part(t.weighted[i] + k, size) * factors[i];
    for (int j = 0; j < count; ++j) {
      const F32x8 v = load_part(values[j] + k, size);
      for (int i = 0; i < num_queries; ++i) sums[i] = fma8(v, splat(scores[i][j]), sums[i]);
    }
    for (int i = 0; i < num_queries; ++i) store_part(t.weighted[i] + k, sums[i], size);
  }
}

template <class T, int num_queries>
void attend_tile(const AttentionTile& t) {
  alignas(32) float scores[num_queries][kPiece];
  float factors[num_queries];
  for (int i = 0; i < num_queries; ++i) {
    t.max[i] = -3.4e38f;
    t.sum[i] = 0;
    for (int k = 0; k < t.head_dim; ++k) t.weighted[i][k] = 0;
  }
  const T* k_base = reinterpret_cast<const T*>(t.k);
  const T* v_base = reinterpret_cast<const T*>(t.v);
  for (std::int64_t first = t.begin; first < t.end; first += kPiece) {
    const int count = static_cast<int>(t.end - first < kPiece ? t.end - first : kPiece);
    const T* keys[kPiece];
    const T* values[kPiece];
    for (int j = 0; j < count; ++j) {
      const std::int64_t position = first + j;
      const std::int64_t offset =
          t.block_table[position / t.block_tokens] * t.block_stride + position % t.block_tokens * t.head_dim;
      keys[j] = k_base + offset;
      values[j] = v_base + offset;
    }
    score_piece<T, num_queries>(t, keys, count, scores);
    for (int i = 0; i < num_queries; ++i) {
      const std::int64_t seen = t.limit[i] - first;
      const int visible = static_cast<int>(seen < 0 ? 0 : seen < count ? seen : count);
      factors[i] = soften(scores[i], visible, t.scale, t.max[i], t.sum[i]);
    }
    add_values<T, num_queries>(t, values, count, scores, factors);
  }
}

template <class T>
void attend_dtype(const AttentionTile& t) {
  switch (t.num_queries) {
    case 1: attend_tile<T, 1>(t); break;
    case 2: attend_tile<T, 2>(t); break;
    case 4: attend_tile<T, 4>(t); break;
    case 8: attend_tile<T, 8>(t); break;
    default: __builtin_unreachable();
  }
}

void attend(const AttentionTile& tile) {
  if (tile.cache_dtype == DType::kF16) {
    attend_dtype<Half>(tile);
  } else {
    attend_dtype<float>(tile);
  }
}

}  // namespace
}  // namespace tandem::kernels::cpu
