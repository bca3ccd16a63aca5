#include "tests/benchmarks/random_qwen3.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include "engine/model_file/gguf_types.h"
#include "engine/models/decoder_weights.h"
#include "kernels/block_formats.h"
#include "tests/support/gguf_writer.h"

namespace tandem::testing {
namespace {

using kernels::DType;

constexpr std::size_t kAlignment = 32;
constexpr std::int64_t kBlocksPerWrite = 32768;

engine::ModelConfig qwen3_0_6b() {
  engine::ModelConfig config;
  config.num_layers = 28;
  config.hidden_size = 1024;
  config.num_heads = 16;
  config.num_kv_heads = 8;
  config.head_dim = 128;
  config.intermediate_size = 3072;
  config.vocab_size = 151936;
  config.max_context = 40960;
  config.tied_embeddings = true;
  return config;
}

std::vector<engine::WeightSpec> tensors() {
  return engine::decoder_weights(qwen3_0_6b(), {.qk_norm = true});
}

DType stored_type(const engine::WeightSpec& spec, DType dtype) {
  return spec.is_matrix ? dtype : DType::kF32;
}

std::int64_t tensor_bytes(const engine::WeightSpec& spec, DType dtype) {
  const std::int64_t num_rows = spec.is_matrix ? spec.shape.front() : 1;
  return num_rows * kernels::row_bytes(stored_type(spec, dtype), spec.shape.back());
}

std::size_t padding_after(std::size_t bytes) {
  return (kAlignment - bytes % kAlignment) % kAlignment;
}

GgufBytes header(DType dtype) {
  const engine::ModelConfig config = qwen3_0_6b();
  const auto u32 = [](std::int64_t value) {
    return GgufBytes().type(GgufValueType::kU32).u32(static_cast<std::uint32_t>(value));
  };
  const auto f32 = [](float value) { return GgufBytes().type(GgufValueType::kF32).number(value); };
  const auto text = [](std::string_view value) { return GgufBytes().type(GgufValueType::kString).string(value); };
  const std::vector<std::pair<std::string_view, GgufBytes>> keys = {
      {"general.architecture", text("qwen3")},
      {"general.name", text("Qwen3-0.6B shape, random " + std::string(kernels::dtype_info(dtype).name))},
      {"qwen3.block_count", u32(config.num_layers)},
      {"qwen3.context_length", u32(config.max_context)},
      {"qwen3.embedding_length", u32(config.hidden_size)},
      {"qwen3.feed_forward_length", u32(config.intermediate_size)},
      {"qwen3.attention.head_count", u32(config.num_heads)},
      {"qwen3.attention.head_count_kv", u32(config.num_kv_heads)},
      {"qwen3.attention.key_length", u32(config.head_dim)},
      {"qwen3.attention.value_length", u32(config.head_dim)},
      {"qwen3.attention.layer_norm_rms_epsilon", f32(1e-6F)},
      {"qwen3.rope.freq_base", f32(1e6F)},
      {"qwen3.vocab_size", u32(config.vocab_size)},
  };
  const auto specs = tensors();
  GgufBytes out;
  out.header(specs.size(), keys.size());
  for (const auto& [key, value] : keys) out.string(key).raw(value.bytes());
  std::uint64_t offset = 0;
  for (const engine::WeightSpec& spec : specs) {
    const std::vector<std::uint64_t> ne(spec.shape.rbegin(), spec.shape.rend());
    out.tensor_info(spec.name, ne, *engine::gguf_type_id(stored_type(spec, dtype)), offset);
    const auto bytes = static_cast<std::size_t>(tensor_bytes(spec, dtype));
    offset += bytes + padding_after(bytes);
  }
  return out.pad_to(kAlignment);
}

void store_half(float value, std::uint8_t (&half)[2]) {
  const std::uint16_t bits = kernels::f32_to_f16(value);
  std::memcpy(half, &bits, sizeof bits);
}

// The codes are random already; the scales bring the standard deviation of the weights to `deviation`.
void set_scale(kernels::BlockQ8_0& block, float deviation) {
  store_half(deviation / 73.9F, block.d);  // of a uniform −128 … 127
}
void set_scale(kernels::BlockQ4_K& block, float deviation) {
  // Codes 0 … 15 around 7.5, group scales and mins 0 … 63: their product less 7.5 mins deviates by 258.
  const float d = deviation / 258.0F;
  store_half(d, block.d);
  store_half(7.5F * d, block.dmin);
}

template <class Block>
void write_blocks(std::int64_t count, float deviation, std::mt19937_64& random, std::ofstream& out) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(kBlocksPerWrite) * sizeof(Block) / 8);
  static_assert(kBlocksPerWrite % 8 == 0, "whole words");
  auto* blocks = reinterpret_cast<Block*>(words.data());
  for (std::int64_t done = 0; done < count; done += kBlocksPerWrite) {
    const std::int64_t now = std::min(kBlocksPerWrite, count - done);
    for (std::uint64_t& word : words) word = random();
    for (std::int64_t i = 0; i < now; ++i) set_scale(blocks[i], deviation);
    out.write(reinterpret_cast<const char*>(blocks),
              static_cast<std::streamsize>(static_cast<std::size_t>(now) * sizeof(Block)));
  }
}

}  // namespace

std::uint64_t random_qwen3_bytes(DType dtype) {
  std::uint64_t bytes = 0;
  for (const engine::WeightSpec& spec : tensors()) bytes += static_cast<std::uint64_t>(tensor_bytes(spec, dtype));
  return bytes;
}

Result<void> write_random_qwen3(const std::filesystem::path& path, DType dtype) {
  if (dtype != DType::kQ8_0 && dtype != DType::kQ4_K) {
    return Error{ErrorCode::kInvalidArgument,
                 "random weights are made as Q8_0 or Q4_K, not " + std::string(kernels::dtype_info(dtype).name)};
  }
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  const GgufBytes head = header(dtype);
  out.write(head.bytes().data(), static_cast<std::streamsize>(head.size()));
  std::mt19937_64 random(20250429);
  for (const engine::WeightSpec& spec : tensors()) {
    const auto bytes = static_cast<std::size_t>(tensor_bytes(spec, dtype));
    const float deviation = 1.0F / std::sqrt(static_cast<float>(spec.shape.back()));
    if (!spec.is_matrix) {
      const std::vector<float> ones(static_cast<std::size_t>(spec.shape.back()), 1.0F);
      out.write(reinterpret_cast<const char*>(ones.data()), static_cast<std::streamsize>(bytes));
    } else if (dtype == DType::kQ8_0) {
      write_blocks<kernels::BlockQ8_0>(static_cast<std::int64_t>(bytes / sizeof(kernels::BlockQ8_0)), deviation, random, out);
    } else {
      write_blocks<kernels::BlockQ4_K>(static_cast<std::int64_t>(bytes / sizeof(kernels::BlockQ4_K)), deviation, random, out);
    }
    const char zeros[kAlignment] = {};
    out.write(zeros, static_cast<std::streamsize>(padding_after(bytes)));
    if (!out) break;
  }
  out.close();
  if (!out) return Error{ErrorCode::kIo, "cannot write " + path.string() + ": " + std::strerror(errno)};
  return {};
}

}  // namespace tandem::testing
