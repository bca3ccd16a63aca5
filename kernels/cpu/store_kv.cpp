// store_kv: keys and values of a step into their places in the paged cache.
//
//   k, v [n, num_kv_heads, head_dim] F32 → cache [num_blocks, num_kv_heads, block_tokens, head_dim] F32 or F16
//
// F16 rounds to nearest even; magnitudes from 65520 on become infinity. Bound by memory.
#include <cstring>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {

void CpuBackend::store_kv(Tensor k, Tensor v, const KvLayer& cache, std::span<const SequenceRows> sequences) {
  const std::int64_t num_heads = cache.num_kv_heads, head_dim = cache.head_dim, block_tokens = cache.block_tokens;
  CHECK(k.dtype == DType::kF32 && v.dtype == DType::kF32, "activations are F32");
  CHECK(k.shape == v.shape && k.row_size() == num_heads * head_dim, "keys or values do not match the cache");
  CHECK(cache.k.dtype == cache.v.dtype && (cache.k.dtype == DType::kF32 || cache.k.dtype == DType::kF16),
        "the KV cache is F32 or F16");
  CHECK(cache.k.shape == cache.v.shape && cache.k.row_size() == num_heads * block_tokens * head_dim, "the cache's shape");
  const auto store = [&](const float* x, const Tensor& to, std::int64_t offset) {
    if (to.dtype == DType::kF16) {
      kernels_.store_f16(x, head_dim, to.as<std::uint16_t>() + offset);
    } else {
      std::memcpy(to.as<float>() + offset, x, static_cast<std::size_t>(head_dim) * sizeof(float));
    }
  };
  for (const SequenceRows& sequence : sequences) {
    CHECK(sequence.first_row >= 0 && sequence.first_row + sequence.num_rows <= k.num_rows(), "rows outside the step");
    CHECK(static_cast<std::int64_t>(sequence.block_table.size()) * block_tokens >=
              std::int64_t{sequence.first_position} + sequence.num_rows,
          "the block table does not cover the sequence");
    for_rows(sequence.num_rows, 2 * num_heads * head_dim, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t position = sequence.first_position + i;
        const std::int64_t block = sequence.block_table[static_cast<std::size_t>(position / block_tokens)];
        CHECK(block >= 0 && block < cache.k.num_rows(), "block outside the cache");
        for (std::int64_t h = 0; h < num_heads; ++h) {
          const std::int64_t from = ((sequence.first_row + i) * num_heads + h) * head_dim;
          const std::int64_t to = ((block * num_heads + h) * block_tokens + position % block_tokens) * head_dim;
          store(k.as<float>() + from, cache.k, to);
          store(v.as<float>() + from, cache.v, to);
        }
      }
    });
  }
}

}  // namespace tandem::kernels::cpu
