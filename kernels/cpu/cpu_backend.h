// The Backend on CPU threads. Ops run at once in the calling thread and the pool's; finish() has nothing to wait for.
// Each op is defined in the file of its name; inner loops per instruction set are in the *_kernel.h files beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "kernels/backend.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/thread_pool.h"

namespace tandem::kernels::cpu {

// A weight in the order of the file: rows lie one after the other.
class CpuMatrix : public Matrix {
 public:
  CpuMatrix(MatrixSpec spec, std::unique_ptr<Buffer> buffer) : Matrix(std::move(spec)), buffer_(std::move(buffer)) {}
  std::size_t bytes() const override { return buffer_->bytes(); }
  std::int64_t row_bytes() const { return kernels::row_bytes(spec().dtype, spec().num_cols); }
  // Row `row` of matrix `matrix_idx`.
  const std::byte* row(std::int64_t matrix_idx, std::int64_t row) const {
    return static_cast<const std::byte*>(buffer_->data()) + (matrix_idx * spec().num_rows + row) * row_bytes();
  }

 private:
  std::unique_ptr<Buffer> buffer_;
};

// A panel of activations and the matrix that it is multiplied with: one job of multiply().
struct PanelJob {
  const CpuMatrix* matrix = nullptr;
  std::int64_t matrix_idx = 0;
  int width = 1;
  std::int64_t first_row = 0;  // of the panel, in the list of rows
  std::byte* panel = nullptr;
  float* out[kMaxPanelRows] = {};  // where the result row of each panel row begins
};

class CpuBackend : public Backend {
 public:
  CpuBackend(const Target& target, std::unique_ptr<ThreadPool> pool);

  DeviceInfo device() const override;
  DType activation_dtype() const override { return DType::kF32; }

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, std::string_view purpose) override;
  Result<std::unique_ptr<Matrix>> load_matrix(const MatrixSpec& spec, ByteSource& source,
                                              const std::function<bool(std::uint64_t)>& read_so_far) override;
  Result<void> upload(std::span<const std::byte> host, Tensor device) override;
  Result<void> download(Tensor device, std::span<std::byte> host) override;

  void embed(const Matrix& table, std::span<const std::int32_t> ids, Tensor out) override;
  void linear(const Matrix& w, Tensor x, Tensor out, Accumulate accumulate) override;
  void rms_norm(Tensor x, Tensor weight, float eps, Tensor out) override;
  void rope(Tensor x, std::span<const std::int32_t> positions, std::span<const float> inv_freq, RopePairing pairing) override;
  void store_kv(Tensor k, Tensor v, const KvLayer& cache, std::span<const SequenceRows> sequences) override;
  void attention(Tensor q, const KvLayer& cache, std::span<const SequenceRows> sequences, float scale, Tensor out) override;
  void silu_mul(Tensor gate, Tensor up, Tensor out) override;
  void route_softmax(Tensor logits, std::int32_t num_used, bool renormalise, Tensor expert_ids, Tensor weights) override;
  void moe_mlp(const Matrix& gate, const Matrix& up, const Matrix& down, Tensor x, Tensor expert_ids, Tensor weights,
               Tensor scratch, Tensor out) override;
  std::int64_t moe_scratch_elements(const Matrix& gate, std::int64_t num_rows, std::int32_t num_used) const override;
  void gather_rows(Tensor x, std::span<const std::int32_t> rows, Tensor out) override;

  Result<void> finish() override;

 private:
  // Splits [0, count) items of about `item_cost` elements over the threads; small work stays on this one.
  template <class Body>
  void for_rows(std::int64_t count, std::int64_t item_cost, const Body& body) {
    // 16 Ki elements take about 2 microseconds, the price of waking the pool.
    constexpr std::int64_t kSmall = 16 * 1024;
    const std::int64_t cost = item_cost > 0 ? item_cost : 1;
    const std::int64_t grain = kSmall / cost > 0 ? kSmall / cost : 1;
    pool_->parallel_for(count, grain, body);
  }

  // At least `bytes` of working memory, kept until the backend goes. Null, and the fault remembered, when there is none.
  std::byte* workspace(std::size_t bytes);

  // Defined in linear.cpp. jobs_ and rows_ say what to do: the jobs' panels consist of rows_ in order, all for matrices of
  // one type and width. fill_panels() makes the panels, false when there is no memory; multiply() runs the jobs.
  bool fill_panels();
  void multiply(bool accumulate);

  Target target_;
  const KernelTable& kernels_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Buffer> workspace_;
  std::optional<Error> fault_;  // first one since load; returned by finish()

  // Scratch of the ops, kept so that a decode step allocates nothing.
  std::vector<const float*> rows_;
  std::vector<PanelJob> jobs_;
  struct JobGroup {  // jobs of one matrix, which share its chunks of weight rows
    std::size_t first_job = 0, last_job = 0;
    std::int64_t first_chunk = 0, chunk_rows = 0;
  };
  std::vector<JobGroup> groups_;
  struct TileOfQueries {  // of one sequence and KV head
    const SequenceRows* sequence = nullptr;
    std::int64_t kv_head = 0;
    std::int64_t first_query = 0;
    int width = 1;
    std::int64_t end = 0;            // positions below it are visible to at least one query
    std::int64_t first_partial = 0;  // one partial result per split of the positions
  };
  std::vector<TileOfQueries> attention_tiles_;
  std::vector<std::int64_t> pairs_;  // (row, j) of moe_mlp, in order of experts
  struct RopeTable {                 // angles of the last call: every layer of a step asks for the same ones
    std::vector<std::int32_t> positions;
    std::vector<float> inv_freq;
    std::vector<float> cosines, sines;  // [num_positions, num_pairs]
  } rope_table_;
};

inline const CpuMatrix& cpu_matrix(const Matrix& matrix) {
  const auto* own = dynamic_cast<const CpuMatrix*>(&matrix);
  CHECK(own != nullptr, "a matrix of another backend");
  return *own;
}

// Panels of rows: as many of 8 as fit, then 4, 2 and 1, which covers any number with at most three narrow ones.
inline int next_panel_width(std::int64_t rows_left) {
  return rows_left >= 8 ? 8 : rows_left >= 4 ? 4 : rows_left >= 2 ? 2 : 1;
}

}  // namespace tandem::kernels::cpu
