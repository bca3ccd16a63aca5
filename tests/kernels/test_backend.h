// Helpers of the kernel tests: backends of every target of this CPU, tensors over vectors, random numbers.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"

namespace tandem::testing {

// Names of the targets that this CPU can run: "avx2", "generic".
std::vector<std::string> usable_targets();

// A backend of that target; ends the test program when it cannot be made.
std::unique_ptr<kernels::Backend> make_backend(const std::string& target, int num_threads);

// Calls `body` with a backend of every usable target and 1 and 3 threads (more than the cores of a small machine), and says
// which one in failure messages.
void for_each_backend(const std::function<void(kernels::Backend&)>& body);

// A view of `values` as [rows, a, b].
kernels::Tensor tensor(std::span<float> values, std::int64_t rows, std::int64_t a, std::int64_t b = 1);
kernels::Tensor tensor(std::span<std::int32_t> values, std::int64_t rows, std::int64_t a);

// Normally distributed values; the same for the same seed on every machine.
std::vector<float> random_values(std::size_t size, unsigned seed, float scale = 1);

// Bytes held in memory, as a source for load_matrix.
class MemorySource : public kernels::ByteSource {
 public:
  explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t bytes() const override { return bytes_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  std::vector<std::byte> bytes_;
};

// `values` in `dtype`, loaded into the backend.
std::unique_ptr<kernels::Matrix> load_values(kernels::Backend& backend, kernels::DType dtype, std::span<const float> values,
                                             std::int64_t num_rows, std::int64_t num_cols, std::int64_t num_matrices = 1);

// All types that linear() multiplies with.
std::vector<kernels::DType> matrix_dtypes();

}  // namespace tandem::testing
