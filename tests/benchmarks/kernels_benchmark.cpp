// Speed of the CPU kernels beside what the machine's memory allows. Not a test: run it by hand on a quiet machine.
//
//   kernels_benchmark [THREADS] --benchmark_filter=Decode
//
// On a busy machine only the CPU time of one thread means anything: THREADS = 1 and the CPU column.
// Decode/<type>: one row through weights far larger than the caches; bytes_per_second is weight bytes read, to be held
// against ReadBandwidth. Prefill/<type>: 512 rows; items_per_second is floating-point operations. Attention: one token
// against a long F16 cache; bytes_per_second is cache bytes read. DecodeStep: all products of one token of a 0.6B Qwen3.
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/backend.h"
#include "kernels/read_bandwidth.h"

namespace {

using namespace tandem;
using namespace tandem::kernels;

int num_threads = 0;

std::unique_ptr<Backend> make_backend() {
  return std::move(create_cpu_backend({.num_threads = num_threads})).value();
}

// Blocks with small, ordinary scales and any codes.
class PatternSource : public ByteSource {
 public:
  explicit PatternSource(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t bytes() const override { return bytes_; }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    // 0x11 … 0x2b as any byte of a half, float or BF16 is a number below 1.
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(0x11 + (offset + i) * 7 % 27);
    return {};
  }

 private:
  std::uint64_t bytes_;
};

std::unique_ptr<Matrix> make_matrix(Backend& backend, DType dtype, std::int64_t num_rows, std::int64_t num_cols) {
  PatternSource source(static_cast<std::uint64_t>(num_rows * row_bytes(dtype, num_cols)));
  return std::move(backend.load_matrix({dtype, num_rows, num_cols, 1, "benchmark"}, source, {})).value();
}

Tensor tensor(std::vector<float>& values, std::int64_t rows, std::int64_t a, std::int64_t b = 1) {
  return {.data = values.data(), .dtype = DType::kF32, .shape = {rows, a, b}};
}

void read_bandwidth(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) {
    const auto bandwidth = measure_read_bandwidth(static_cast<int>(state.range(0)), 0.5);
    if (bandwidth) best = std::max(best, *bandwidth);
  }
  state.counters["bytes_per_second"] = benchmark::Counter(best, benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
}

void decode(benchmark::State& state, DType dtype) {
  const auto backend = make_backend();
  const std::int64_t num_cols = 1024, num_rows = (std::int64_t{192} << 20) / row_bytes(dtype, num_cols);
  const auto w = make_matrix(*backend, dtype, num_rows, num_cols);
  std::vector<float> x(static_cast<std::size_t>(num_cols), 0.5f), out(static_cast<std::size_t>(num_rows));
  for (auto _ : state) backend->linear(*w, tensor(x, 1, num_cols), tensor(out, 1, num_rows));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(w->bytes()));
}

void prefill(benchmark::State& state, DType dtype) {
  const auto backend = make_backend();
  const std::int64_t n = state.range(0), num_cols = 1024, num_rows = 3072;
  const auto w = make_matrix(*backend, dtype, num_rows, num_cols);
  std::vector<float> x(static_cast<std::size_t>(n * num_cols), 0.5f), out(static_cast<std::size_t>(n * num_rows));
  for (auto _ : state) backend->linear(*w, tensor(x, n, num_cols), tensor(out, n, num_rows));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 2 * n * num_cols * num_rows);
}

void attention(benchmark::State& state) {
  const auto backend = make_backend();
  const std::int32_t n = static_cast<std::int32_t>(state.range(0)), context = static_cast<std::int32_t>(state.range(1));
  const std::int32_t num_heads = 16, num_kv_heads = 8, head_dim = 128, block_tokens = 32, num_blocks = context / block_tokens;
  const std::size_t elements = static_cast<std::size_t>(context) * num_kv_heads * head_dim;
  std::vector<std::uint16_t> k(elements, 0x2c00), v(elements, 0x2c00);
  std::vector<float> q(static_cast<std::size_t>(n) * num_heads * head_dim, 0.1f), out(q.size());
  KvLayer cache{.k = {.data = k.data(), .dtype = DType::kF16, .shape = {num_blocks, num_kv_heads * block_tokens, head_dim}},
                .v = {.data = v.data(), .dtype = DType::kF16, .shape = {num_blocks, num_kv_heads * block_tokens, head_dim}},
                .num_kv_heads = num_kv_heads,
                .block_tokens = block_tokens,
                .head_dim = head_dim};
  std::vector<std::int32_t> table(static_cast<std::size_t>(num_blocks));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int32_t>(i);
  const SequenceRows rows{.first_row = 0, .num_rows = n, .first_position = context - n, .block_table = table};
  for (auto _ : state) {
    backend->attention(tensor(q, n, num_heads, head_dim), cache, {&rows, 1}, 0.088f, tensor(out, n, num_heads, head_dim));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(elements * 4));
  // Two products of head_dim per visible position and head.
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 4 * n * (context - n / 2) * num_heads * head_dim);
}

// The products of one token of a model shaped as Qwen3-0.6B: 28 layers, hidden 1024, 16 + 8 + 8 heads of 128,
// intermediate 3072, vocabulary 151936.
void decode_step(benchmark::State& state, DType dtype) {
  const auto backend = make_backend();
  struct Layer {
    std::unique_ptr<Matrix> q, k, v, o, gate, up, down;
  };
  std::vector<Layer> layers(28);
  std::int64_t bytes = 0;
  const auto make = [&](std::int64_t num_rows, std::int64_t num_cols) {
    auto matrix = make_matrix(*backend, dtype, num_rows, num_cols);
    bytes += static_cast<std::int64_t>(matrix->bytes());
    return matrix;
  };
  for (Layer& layer : layers) {
    layer = {make(2048, 1024), make(1024, 1024), make(1024, 1024), make(1024, 2048),
             make(3072, 1024), make(3072, 1024), make(1024, 3072)};
  }
  const auto head = make(151936, 1024);
  std::vector<float> x(1024, 0.5f), norm(1024, 1.0f), h(1024), q(2048), k(1024), v(1024), gate(3072), up(3072), logits(151936);
  for (auto _ : state) {
    for (Layer& layer : layers) {
      backend->rms_norm(tensor(x, 1, 1024), tensor(norm, 1, 1024), 1e-6f, tensor(h, 1, 1024));
      backend->linear(*layer.q, tensor(h, 1, 1024), tensor(q, 1, 2048));
      backend->linear(*layer.k, tensor(h, 1, 1024), tensor(k, 1, 1024));
      backend->linear(*layer.v, tensor(h, 1, 1024), tensor(v, 1, 1024));
      backend->linear(*layer.o, tensor(q, 1, 2048), tensor(h, 1, 1024));
      backend->linear(*layer.gate, tensor(h, 1, 1024), tensor(gate, 1, 3072));
      backend->linear(*layer.up, tensor(h, 1, 1024), tensor(up, 1, 3072));
      backend->silu_mul(tensor(gate, 1, 3072), tensor(up, 1, 3072), tensor(gate, 1, 3072));
      backend->linear(*layer.down, tensor(gate, 1, 3072), tensor(h, 1, 1024));
    }
    backend->linear(*head, tensor(h, 1, 1024), tensor(logits, 1, 151936));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
  state.counters["tokens"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc > 1) num_threads = std::atoi(argv[1]);
  const auto device = make_backend()->device();
  benchmark::AddCustomContext("device", device.description);
  benchmark::RegisterBenchmark("ReadBandwidth", read_bandwidth)->Arg(1)->Arg(device.num_threads)->Iterations(1)->UseRealTime();
  for (const DType dtype :
       {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
        DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K, DType::kIQ4_NL, DType::kIQ4_XS}) {
    const std::string name(dtype_info(dtype).name);
    benchmark::RegisterBenchmark(("Decode/" + name).c_str(), decode, dtype)->UseRealTime();
    benchmark::RegisterBenchmark(("Prefill/" + name).c_str(), prefill, dtype)
        ->Arg(512)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_K}) {
    benchmark::RegisterBenchmark(("DecodeStep/" + std::string(dtype_info(dtype).name)).c_str(), decode_step, dtype)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("Attention", attention)->Args({1, 4096})->Args({1, 32768})->Args({512, 4096})->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
