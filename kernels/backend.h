// Backend: arithmetic on one device. Knows tensors, not models.
//
// Ops are enqueued in order on the device and return at once where the device is asynchronous. An op cannot fail for a
// valid call; a device fault is remembered and returned by the next finish(). Shapes are checked with CHECK, since a wrong
// one is a bug in the model code. Results for one row do not depend on which other rows are in the call (batch invariance).
// One thread at a time may call a Backend.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernels/dtype.h"

namespace tandem::kernels {

// A non-owning, contiguous, row-major view of device memory.
struct Tensor {
  void* data = nullptr;
  DType dtype = DType::kF32;
  std::array<std::int64_t, 3> shape{0, 1, 1};  // [rows, a, b]; unused trailing dimensions are 1

  std::int64_t num_rows() const { return shape[0]; }
  std::int64_t row_size() const { return shape[1] * shape[2]; }
  std::int64_t num_elements() const { return shape[0] * shape[1] * shape[2]; }
  std::int64_t bytes() const { return row_bytes(dtype, row_size()) * shape[0]; }
  // Rows [first, first + count).
  Tensor rows(std::int64_t first, std::int64_t count) const;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// Owns device memory, 64-byte aligned; freed with the object.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() const = 0;
  virtual std::size_t bytes() const = 0;
};

// Bytes in file order that a weight is made from: a tensor of a file, or pieces of several.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t bytes() const = 0;
  // Fills `out` with the bytes from `offset` on. Any thread.
  virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

struct MatrixSpec {
  DType dtype = DType::kF32;
  std::int64_t num_rows = 0;      // output channels of each matrix
  std::int64_t num_cols = 0;      // input channels; one row is contiguous in the source
  std::int64_t num_matrices = 1;  // more than 1: a stack, one matrix per expert
  std::string name;               // for messages
};

// A weight matrix [num_matrices, num_rows, num_cols] in the layout its backend likes best.
class Matrix {
 public:
  explicit Matrix(MatrixSpec spec) : spec_(std::move(spec)) {}
  virtual ~Matrix() = default;
  const MatrixSpec& spec() const { return spec_; }
  virtual std::size_t bytes() const = 0;  // device memory held

 private:
  MatrixSpec spec_;
};

enum class RopePairing : std::uint8_t {
  kHalfSplit,  // (i, i + dim/2): Hugging Face order
  kAdjacent,   // (2i, 2i + 1): GGUF `llama`
};

// One layer's paged keys and values. K and V: [num_blocks, num_kv_heads, block_tokens, head_dim].
struct KvLayer {
  Tensor k, v;  // shape [num_blocks, num_kv_heads * block_tokens, head_dim]; F32 or F16
  std::int32_t num_kv_heads = 0;
  std::int32_t block_tokens = 0;
  std::int32_t head_dim = 0;
};

// Which rows of a step belong to which sequence, and where its keys and values lie.
struct SequenceRows {
  std::int32_t first_row = 0;                 // in the step's tensors
  std::int32_t num_rows = 0;                  // tokens of this sequence in this step
  std::int32_t first_position = 0;            // position of the first of them; as many tokens are cached already
  std::span<const std::int32_t> block_table;  // covers first_position + num_rows tokens
};

enum class Accumulate : bool { kNo, kYes };

// What a backend runs on, for people and for the planner.
struct DeviceInfo {
  std::string kind;         // "cpu"
  std::string description;  // "AMD EPYC, 2 threads, AVX2"
  std::int32_t num_threads = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual DeviceInfo device() const = 0;
  virtual DType activation_dtype() const = 0;

  // --- Memory. Load time only: no op allocates.
  virtual Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, std::string_view purpose) = 0;
  // Reads the source in bounded pieces into its final place. `read_so_far` is told each piece's bytes and returns false to
  // cancel. Errors: kOutOfMemory, kCancelled, whatever the source returns.
  virtual Result<std::unique_ptr<Matrix>> load_matrix(const MatrixSpec& spec, ByteSource& source,
                                                      const std::function<bool(std::uint64_t)>& read_so_far) = 0;
  virtual Result<void> upload(std::span<const std::byte> host, Tensor device) = 0;
  virtual Result<void> download(Tensor device, std::span<std::byte> host) = 0;

  // --- Ops. Activations have activation_dtype(), ids and positions are host memory that lives until finish().
  // out[r, :] = table[ids[r], :], dequantised. Every id must be in [0, num_rows).
  virtual void embed(const Matrix& table, std::span<const std::int32_t> ids, Tensor out) = 0;
  // out[r, :] = x[r, :] · wᵀ, or += it. x [n, num_cols], out [n, num_rows].
  virtual void linear(const Matrix& w, Tensor x, Tensor out, Accumulate accumulate = Accumulate::kNo) = 0;
  // RMSNorm over the last dimension (Zhang & Sennrich 2019): out = x · rsqrt(mean(x²) + eps) · weight. weight [row_size of
  // the last dimension] F32. x may be out. [n, size] or [n, num_heads, head_dim], which norms each head.
  virtual void rms_norm(Tensor x, Tensor weight, float eps, Tensor out) = 0;
  // Rotary embedding (Su et al. 2021), in place. x [n, num_heads, head_dim]; inv_freq [rotary_dim / 2] F32 host memory, the
  // first rotary_dim dimensions of each head turn. positions [n].
  virtual void rope(Tensor x, std::span<const std::int32_t> positions, std::span<const float> inv_freq,
                    RopePairing pairing) = 0;
  // Writes k and v [n, num_kv_heads, head_dim] of this step into the cache.
  virtual void store_kv(Tensor k, Tensor v, const KvLayer& cache, std::span<const SequenceRows> sequences) = 0;
  // Causal softmax attention over the cache, this step's rows included (store_kv comes first). q, out [n, num_heads,
  // head_dim]; query head h reads KV head h · num_kv_heads / num_heads. Keys are summed in fixed pieces of positions, so the
  // result does not depend on how a prompt was cut into steps.
  virtual void attention(Tensor q, const KvLayer& cache, std::span<const SequenceRows> sequences, float scale, Tensor out) = 0;
  // out = silu(gate) · up, all [n, size]. out may be gate.
  virtual void silu_mul(Tensor gate, Tensor up, Tensor out) = 0;
  // Softmax router: logits [n, num_experts] → the num_used largest probabilities (ties: lower index), renormalised to sum 1
  // when `renormalise`. expert_ids [n, num_used] I32, weights [n, num_used] F32.
  virtual void route_softmax(Tensor logits, std::int32_t num_used, bool renormalise, Tensor expert_ids, Tensor weights) = 0;
  // Mixture of experts: out[r] += Σ_j weights[r, j] · down_e · (silu(gate_e · x[r]) · (up_e · x[r])), e = expert_ids[r, j].
  // gate, up [num_experts, intermediate, hidden], down [num_experts, hidden, intermediate]. scratch holds what
  // moe_scratch_elements() asks for, F32.
  virtual void moe_mlp(const Matrix& gate, const Matrix& up, const Matrix& down, Tensor x, Tensor expert_ids, Tensor weights,
                       Tensor scratch, Tensor out) = 0;
  virtual std::int64_t moe_scratch_elements(const Matrix& gate, std::int64_t num_rows, std::int32_t num_used) const = 0;
  // out[i, :] = x[rows[i], :].
  virtual void gather_rows(Tensor x, std::span<const std::int32_t> rows, Tensor out) = 0;

  // Waits for everything enqueued. An error here means the device is lost: drop the engine and load again.
  virtual Result<void> finish() = 0;
};

struct CpuOptions {
  std::int32_t num_threads = 0;  // 0: one per physical core the process may use
};

// The backend that runs on every machine.
Result<std::unique_ptr<Backend>> create_cpu_backend(const CpuOptions& options);

}  // namespace tandem::kernels
