// A complete Qwen3 model of one layer, small enough to be written in no time. Weights are zero: for tests of headers.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/dtype.h"
#include "tests/support/gguf_writer.h"

namespace tandem::engine::testing {

inline constexpr std::uint64_t kSmallParameters =
    96 * 64 + (64 + 64 * 64 + 2 * 32 * 64 + 2 * 32 + 64 * 64 + 64 + 3 * 128 * 64) + 64;

// Matrices as `matrix_dtype`, whose blocks must divide 64. Tied embeddings.
inline tandem::testing::GgufWriter small_gguf(kernels::DType matrix_dtype) {
  using kernels::DType;
  tandem::testing::GgufWriter writer;
  writer.add_string("general.architecture", "qwen3")
      .add_string("general.name", "Small")
      .add_u32("qwen3.block_count", 1)
      .add_u32("qwen3.context_length", 256)
      .add_u32("qwen3.embedding_length", 64)
      .add_u32("qwen3.feed_forward_length", 128)
      .add_u32("qwen3.attention.head_count", 2)
      .add_u32("qwen3.attention.head_count_kv", 1)
      .add_u32("qwen3.attention.key_length", 32)
      .add_u32("qwen3.attention.value_length", 32)
      .add_f32("qwen3.attention.layer_norm_rms_epsilon", 1e-6F)
      .add_f32("qwen3.rope.freq_base", 1e6F);
  std::vector<std::string> tokens;
  for (int i = 0; i < 96; ++i) tokens.push_back("t" + std::to_string(i));
  writer.add_strings("tokenizer.ggml.tokens", tokens);
  const auto add = [&](const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
    const std::vector<std::byte> zeros(static_cast<std::size_t>(rows * kernels::row_bytes(dtype, shape.back())));
    writer.add_tensor(name, dtype, shape, zeros);
  };
  add("token_embd.weight", matrix_dtype, {96, 64});
  add("blk.0.attn_norm.weight", DType::kF32, {64});
  add("blk.0.attn_q.weight", matrix_dtype, {64, 64});
  add("blk.0.attn_k.weight", matrix_dtype, {32, 64});
  add("blk.0.attn_v.weight", matrix_dtype, {32, 64});
  add("blk.0.attn_q_norm.weight", DType::kF32, {32});
  add("blk.0.attn_k_norm.weight", DType::kF32, {32});
  add("blk.0.attn_output.weight", matrix_dtype, {64, 64});
  add("blk.0.ffn_norm.weight", DType::kF32, {64});
  add("blk.0.ffn_gate.weight", matrix_dtype, {128, 64});
  add("blk.0.ffn_up.weight", matrix_dtype, {128, 64});
  add("blk.0.ffn_down.weight", matrix_dtype, {64, 128});
  add("output_norm.weight", DType::kF32, {64});
  return writer;
}

}  // namespace tandem::engine::testing
