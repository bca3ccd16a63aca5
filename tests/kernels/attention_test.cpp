#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "kernels/backend.h"
#include "kernels/float16.h"
#include "tests/kernels/reference/reference_ops.h"
#include "tests/kernels/test_backend.h"

namespace tandem::kernels {
namespace {

using tandem::testing::for_each_backend;
using tandem::testing::random_values;
using tandem::testing::tensor;

struct Shape {
  std::int32_t num_heads, num_kv_heads, head_dim, block_tokens;
};

// Queries, keys and values of one sequence, and the cache that holds it on blocks in shuffled order.
class CachedSequence {
 public:
  CachedSequence(Shape shape, DType dtype, std::int32_t num_tokens, unsigned seed) : shape_(shape), num_tokens_(num_tokens) {
    const auto size = [&](std::int32_t heads) { return static_cast<std::size_t>(num_tokens * heads * shape.head_dim); };
    q_ = random_values(size(shape.num_heads), seed);
    k_ = random_values(size(shape.num_kv_heads), seed + 1);
    v_ = random_values(size(shape.num_kv_heads), seed + 2);
    const std::int32_t num_blocks = (num_tokens + shape.block_tokens - 1) / shape.block_tokens + 2;
    table_.resize(static_cast<std::size_t>(num_blocks - 1));
    std::iota(table_.begin(), table_.end(), 1);  // block 0 is nobody's
    std::ranges::reverse(table_);
    // A NaN where nothing was stored would be seen at once.
    const std::size_t elements = static_cast<std::size_t>(num_blocks) * static_cast<std::size_t>(shape.num_kv_heads) *
                                 static_cast<std::size_t>(shape.block_tokens) * static_cast<std::size_t>(shape.head_dim);
    k_cache_.assign(elements, std::nanf(""));
    v_cache_.assign(elements, std::nanf(""));
    cache_.k = {.data = k_cache_.data(),
                .dtype = dtype,
                .shape = {num_blocks, shape.num_kv_heads * shape.block_tokens, shape.head_dim}};
    cache_.v = cache_.k;
    cache_.v.data = v_cache_.data();
    cache_.num_kv_heads = shape.num_kv_heads;
    cache_.block_tokens = shape.block_tokens;
    cache_.head_dim = shape.head_dim;
  }

  // Attention of all tokens, in steps of `chunk` tokens.
  std::vector<float> run(Backend& backend, std::int32_t chunk) {
    std::vector<float> out(q_.size());
    for (std::int32_t first = 0; first < num_tokens_; first += chunk) {
      const std::int32_t n = std::min(chunk, num_tokens_ - first);
      step(backend, first, n, out.data() + static_cast<std::ptrdiff_t>(first) * shape_.num_heads * shape_.head_dim);
    }
    EXPECT_TRUE(backend.finish());
    return out;
  }

  void step(Backend& backend, std::int32_t first, std::int32_t n, float* out) {
    const SequenceRows rows{.first_row = 0, .num_rows = n, .first_position = first, .block_table = table_};
    backend.store_kv(part(k_, first, n, shape_.num_kv_heads), part(v_, first, n, shape_.num_kv_heads), cache_, {&rows, 1});
    const std::size_t size = static_cast<std::size_t>(n * shape_.num_heads * shape_.head_dim);
    backend.attention(part(q_, first, n, shape_.num_heads), cache_, {&rows, 1}, scale(),
                      tensor(std::span(out, size), n, shape_.num_heads, shape_.head_dim));
  }

  // Of the tokens from `first` on.
  std::vector<double> reference(std::int32_t first = 0) const {
    std::vector<double> out;
    const std::size_t dim = static_cast<std::size_t>(shape_.head_dim);
    const auto cached = [&](float value) { return cache_.k.dtype == DType::kF16 ? f16_to_f32(f32_to_f16(value)) : value; };
    for (std::int32_t t = first; t < num_tokens_; ++t) {
      for (std::int32_t h = 0; h < shape_.num_heads; ++h) {
        std::vector<float> keys, values;
        const std::int32_t kv_head = h * shape_.num_kv_heads / shape_.num_heads;
        for (std::int32_t j = 0; j <= t; ++j) {
          const std::size_t from = static_cast<std::size_t>(j * shape_.num_kv_heads + kv_head) * dim;
          for (std::size_t d = 0; d < dim; ++d) {
            keys.push_back(cached(k_[from + d]));
            values.push_back(cached(v_[from + d]));
          }
        }
        const std::span q(q_.data() + static_cast<std::size_t>(t * shape_.num_heads + h) * dim, dim);
        const auto head = tandem::testing::reference_attention(q, keys, values, scale());
        out.insert(out.end(), head.begin(), head.end());
      }
    }
    return out;
  }

  float scale() const { return 1.0f / std::sqrt(static_cast<float>(shape_.head_dim)); }
  Tensor part(std::vector<float>& x, std::int32_t first, std::int32_t n, std::int32_t heads) const {
    return tensor(x, static_cast<std::int64_t>(x.size()) / (heads * shape_.head_dim), heads, shape_.head_dim).rows(first, n);
  }
  KvLayer& cache() { return cache_; }

 private:
  Shape shape_;
  std::int32_t num_tokens_;
  std::vector<float> q_, k_, v_, k_cache_, v_cache_;
  std::vector<std::int32_t> table_;
  KvLayer cache_;
};

TEST(Attention, EveryShapeAgreesWithDoublePrecision) {
  const Shape shapes[] = {{1, 1, 8, 1},  {4, 2, 16, 16}, {4, 4, 64, 32}, {16, 8, 128, 16},
                          {6, 2, 20, 5}, {8, 1, 80, 7},  {3, 1, 3, 4}};
  for (const Shape shape : shapes) {
    for (const DType dtype : {DType::kF32, DType::kF16}) {
      for (const std::int32_t num_tokens : {1, 63, 64, 65}) {
        CachedSequence sequence(shape, dtype, num_tokens, 17);
        const auto expected = sequence.reference();  // sees the rounding of an F16 cache as well
        for_each_backend([&](Backend& backend) {
          EXPECT_LE(tandem::testing::max_difference(sequence.run(backend, num_tokens), expected), 4e-6)
              << shape.num_heads << "/" << shape.num_kv_heads << " heads of " << shape.head_dim << ", blocks of "
              << shape.block_tokens << ", " << num_tokens << " tokens, " << dtype_info(dtype).name;
        });
      }
    }
  }
}

TEST(Attention, ResultDoesNotDependOnHowThePromptWasCut) {
  CachedSequence sequence({4, 2, 32, 16}, DType::kF16, 200, 23);
  for (const std::string& target : tandem::testing::usable_targets()) {
    std::vector<float> whole;
    for (const int num_threads : {1, 2, 4}) {
      const auto backend = tandem::testing::make_backend(target, num_threads);
      for (const std::int32_t chunk : {200, 1, 7, 64}) {
        const auto out = sequence.run(*backend, chunk);
        if (whole.empty()) whole = out;
        EXPECT_EQ(out, whole) << target << ", " << num_threads << " threads, steps of " << chunk;
      }
    }
  }
}

TEST(Attention, LongContextOfOneTokenAgreesWithManyThreadsAndWithPrefill) {
  // More positions than one split: partial results are merged.
  const std::int32_t num_tokens = 2500, last = num_tokens - 3;
  CachedSequence sequence({2, 1, 8, 64}, DType::kF32, num_tokens, 29);
  const auto expected = sequence.reference(last);
  for (const std::string& target : tandem::testing::usable_targets()) {
    std::vector<float> prefill;
    for (const int num_threads : {1, 4}) {
      const auto backend = tandem::testing::make_backend(target, num_threads);
      const auto out = sequence.run(*backend, num_tokens);
      if (prefill.empty()) {
        prefill = out;
        EXPECT_LE(tandem::testing::max_difference(std::span(out).last(expected.size()), expected), 4e-6);
      }
      EXPECT_EQ(out, prefill);
      std::vector<float> one(16);
      sequence.step(*backend, last, 1, one.data());
      EXPECT_EQ(one, std::vector<float>(prefill.begin() + last * 16, prefill.begin() + (last + 1) * 16));
    }
  }
}

TEST(Attention, SequencesOfOneStepAreIndependent) {
  const Shape shape{4, 2, 16, 8};
  for_each_backend([&](Backend& backend) {
    CachedSequence a(shape, DType::kF32, 40, 31), b(shape, DType::kF32, 9, 37);
    const auto alone_a = a.run(backend, 40), alone_b = b.run(backend, 9);
    // Both in one cache: b's blocks follow a's.
    const std::int32_t blocks_a = 5, blocks_b = 2;
    const std::size_t elements =
        static_cast<std::size_t>((blocks_a + blocks_b) * shape.num_kv_heads * shape.block_tokens * shape.head_dim);
    std::vector<float> k_cache(elements, std::nanf("")), v_cache(elements, std::nanf(""));
    KvLayer cache = a.cache();
    cache.k = {.data = k_cache.data(),
               .dtype = DType::kF32,
               .shape = {blocks_a + blocks_b, shape.num_kv_heads * shape.block_tokens, shape.head_dim}};
    cache.v = cache.k;
    cache.v.data = v_cache.data();
    const std::vector<std::int32_t> table_a{6, 0, 3, 2, 5}, table_b{1, 4};
    const SequenceRows rows[] = {{.first_row = 9, .num_rows = 40, .first_position = 0, .block_table = table_a},
                                 {.first_row = 0, .num_rows = 9, .first_position = 0, .block_table = table_b}};
    const auto joined = [&](unsigned seed_a, unsigned seed_b, std::int32_t heads) {
      auto x = random_values(static_cast<std::size_t>(9 * heads * shape.head_dim), seed_b);
      const auto y = random_values(static_cast<std::size_t>(40 * heads * shape.head_dim), seed_a);
      x.insert(x.end(), y.begin(), y.end());
      return x;
    };
    auto q = joined(31, 37, shape.num_heads), k = joined(32, 38, shape.num_kv_heads), v = joined(33, 39, shape.num_kv_heads);
    std::vector<float> out(q.size());
    backend.store_kv(tensor(k, 49, shape.num_kv_heads, shape.head_dim), tensor(v, 49, shape.num_kv_heads, shape.head_dim),
                     cache, rows);
    backend.attention(tensor(q, 49, shape.num_heads, shape.head_dim), cache, rows, a.scale(),
                      tensor(out, 49, shape.num_heads, shape.head_dim));
    std::vector<float> expected = alone_b;
    expected.insert(expected.end(), alone_a.begin(), alone_a.end());
    EXPECT_EQ(out, expected);
  });
}

TEST(Attention, LargeScoresDoNotOverflow) {
  for_each_backend([](Backend& backend) {
    std::vector<float> q(8, 100), k(3 * 8), v(3 * 8), out(8);
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t d = 0; d < 8; ++d) {
        k[j * 8 + d] = j == 1 ? 100.0f : -100.0f;
        v[j * 8 + d] = static_cast<float>(j);
      }
    }
    KvLayer cache{.k = tensor(k, 1, 3, 8), .v = tensor(v, 1, 3, 8), .num_kv_heads = 1, .block_tokens = 3, .head_dim = 8};
    const std::int32_t table[] = {0};
    const SequenceRows rows{.first_row = 0, .num_rows = 1, .first_position = 2, .block_table = table};
    backend.attention(tensor(q, 1, 1, 8), cache, {&rows, 1}, 1.0f, tensor(out, 1, 1, 8));
    EXPECT_EQ(out, std::vector<float>(8, 1.0f));
  });
}

}  // namespace
}  // namespace tandem::kernels
