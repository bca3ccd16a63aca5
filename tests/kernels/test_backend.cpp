#include "tests/kernels/test_backend.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include "base/check.h"
#include "kernels/cpu/targets.h"
#include "tests/support/quantize.h"

namespace tandem::testing {

std::vector<std::string> usable_targets() {
  std::vector<std::string> names;
  for (const auto& target : kernels::cpu::compiled_targets()) {
    if (target.supported()) names.emplace_back(target.name);
  }
  return names;
}

std::unique_ptr<kernels::Backend> make_backend(const std::string& target, int num_threads) {
  setenv("TANDEM_CPU_TARGET", target.c_str(), 1);
  auto backend = kernels::create_cpu_backend({.num_threads = num_threads});
  unsetenv("TANDEM_CPU_TARGET");
  return std::move(backend).value();
}

void for_each_backend(const std::function<void(kernels::Backend&)>& body) {
  for (const std::string& target : usable_targets()) {
    for (const int num_threads : {1, 3}) {
      SCOPED_TRACE(target + ", " + std::to_string(num_threads) + " threads");
      const auto backend = make_backend(target, num_threads);
      body(*backend);
    }
  }
}

kernels::Tensor tensor(std::span<float> values, std::int64_t rows, std::int64_t a, std::int64_t b) {
  CHECK(static_cast<std::int64_t>(values.size()) >= rows * a * b, "too few values for the tensor");
  return {.data = values.data(), .dtype = kernels::DType::kF32, .shape = {rows, a, b}};
}

kernels::Tensor tensor(std::span<std::int32_t> values, std::int64_t rows, std::int64_t a) {
  CHECK(static_cast<std::int64_t>(values.size()) >= rows * a, "too few values for the tensor");
  return {.data = values.data(), .dtype = kernels::DType::kI32, .shape = {rows, a, 1}};
}

std::vector<float> random_values(std::size_t size, unsigned seed, float scale) {
  // The standard's distributions differ between libraries; its engines do not. Twelve uniforms make a normal (Irwin-Hall).
  std::mt19937 engine(seed);
  std::vector<float> values(size);
  for (float& value : values) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += engine() / 4294967296.0;
    value = static_cast<float>(sum) * scale;
  }
  return values;
}

Result<void> MemorySource::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return Error{ErrorCode::kIo, "read past the end"};
  std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return {};
}

std::unique_ptr<kernels::Matrix> load_values(kernels::Backend& backend, kernels::DType dtype, std::span<const float> values,
                                             std::int64_t num_rows, std::int64_t num_cols, std::int64_t num_matrices) {
  MemorySource source(quantize(dtype, values));
  auto matrix = backend.load_matrix({dtype, num_rows, num_cols, num_matrices, "test"}, source, {});
  return std::move(matrix).value();
}

std::vector<kernels::DType> matrix_dtypes() {
  using kernels::DType;
  return {DType::kF32,  DType::kF16,  DType::kBF16, DType::kQ8_0, DType::kQ4_0, DType::kQ4_1,   DType::kQ5_0,  DType::kQ5_1,
          DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K, DType::kIQ4_NL, DType::kIQ4_XS};
}

}  // namespace tandem::testing
