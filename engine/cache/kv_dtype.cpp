#include "engine/cache/kv_dtype.h"

#include <array>

#include "base/check.h"

namespace tandem::engine {
namespace {

struct Entry {
  KvDType dtype;
  std::string_view name;
  std::uint64_t bytes_per_32;
};

// Q8_0: 32 signed bytes and a half-precision scale. FP8: one byte each.
constexpr std::array kEntries{Entry{KvDType::kF16, "f16", 64}, Entry{KvDType::kF32, "f32", 128},
                              Entry{KvDType::kQ8_0, "q8_0", 34}, Entry{KvDType::kFp8, "fp8", 32}};

const Entry& entry(KvDType dtype) {
  for (const Entry& candidate : kEntries) {
    if (candidate.dtype == dtype) return candidate;
  }
  check_failed(__FILE__, __LINE__, "kEntries", "unknown KV cache type");
}

}  // namespace

std::string_view kv_dtype_name(KvDType dtype) {
  return entry(dtype).name;
}

std::optional<KvDType> kv_dtype_from_name(std::string_view name) {
  for (const Entry& candidate : kEntries) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::uint64_t kv_bytes(KvDType dtype, std::uint64_t num_elements) {
  CHECK(num_elements % 32 == 0, "KV sizes are multiples of 32 elements");
  return num_elements / 32 * entry(dtype).bytes_per_32;
}

}  // namespace tandem::engine
