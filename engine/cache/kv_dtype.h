// Storage types of cached keys and values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tandem::engine {

enum class KvDType : std::uint8_t { kF16, kF32, kQ8_0, kFp8 };

std::string_view kv_dtype_name(KvDType dtype);  // "f16", "f32", "q8_0", "fp8": the words of the command line
std::optional<KvDType> kv_dtype_from_name(std::string_view name);
// Bytes of `num_elements` cached values, a multiple of 32.
std::uint64_t kv_bytes(KvDType dtype, std::uint64_t num_elements);

}  // namespace tandem::engine
