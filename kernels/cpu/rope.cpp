// rope: rotary position embedding in place (Su et al. 2021, arXiv 2104.09864).
//
//   pair i of each head turns by positions[r] · inv_freq[i];  x [n, num_heads, head_dim] F32
//
// Angles, sines and cosines are made in double, so that they are right to the last float bit at any position; they are kept
// from call to call, since all layers of a step ask for the same ones. Bound by the cache. Tolerance: 1e-6 of the pair's
// length.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::rope(Tensor x, std::span<const std::int32_t> positions, std::span<const float> inv_freq, RopePairing pairing) {
  const std::int64_t num_pairs = static_cast<std::int64_t>(inv_freq.size());
  const std::int64_t num_heads = x.shape[1], head_dim = x.shape[2];
  CHECK(x.dtype == DType::kF32, "activations are F32");
  CHECK(x.num_rows() == static_cast<std::int64_t>(positions.size()), "one position per row");
  CHECK(2 * num_pairs <= head_dim, "more rotary dimensions than the head has");

  RopeTable& table = rope_table_;
  if (!std::ranges::equal(table.positions, positions) || !std::ranges::equal(table.inv_freq, inv_freq)) {
    table.positions.assign(positions.begin(), positions.end());
    table.inv_freq.assign(inv_freq.begin(), inv_freq.end());
    table.cosines.resize(positions.size() * inv_freq.size());
    table.sines.resize(positions.size() * inv_freq.size());
    // A sine and cosine cost about as much as 64 elements of anything else.
    for_rows(x.num_rows(), 64 * num_pairs, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t r = begin; r < end; ++r) {
        for (std::int64_t i = 0; i < num_pairs; ++i) {
          const double angle = static_cast<double>(positions[static_cast<std::size_t>(r)]) *
                               static_cast<double>(inv_freq[static_cast<std::size_t>(i)]);
          table.cosines[static_cast<std::size_t>(r * num_pairs + i)] = static_cast<float>(std::cos(angle));
          table.sines[static_cast<std::size_t>(r * num_pairs + i)] = static_cast<float>(std::sin(angle));
        }
      }
    });
  }
  for_rows(x.num_rows(), num_heads * head_dim, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t h = 0; h < num_heads; ++h) {
        kernels_.rope_head(x.as<float>() + (r * num_heads + h) * head_dim, table.cosines.data() + r * num_pairs,
                           table.sines.data() + r * num_pairs, static_cast<std::int32_t>(num_pairs), pairing);
      }
    }
  });
}

}  // namespace tandem::kernels::cpu
