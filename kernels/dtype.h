// Element types of tensors, weight formats included. A quantised type is stored in blocks of `block_elements` values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tandem::kernels {

enum class DType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kF64,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
  // GGUF block formats; layouts are documented at their kernels.
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kIQ4_XS,
};

struct DTypeInfo {
  std::string_view name;        // the field's usual spelling: "F16", "Q4_K"
  std::int32_t block_elements;  // 1 for plain types
  std::int32_t block_bytes;     // bytes of one block
};

const DTypeInfo& dtype_info(DType dtype);

// The type with this spelling, case-insensitive; nullopt when there is none.
std::optional<DType> dtype_from_name(std::string_view name);

// Bytes of one row of `num_elements` values, which must be a multiple of the block length.
std::int64_t row_bytes(DType dtype, std::int64_t num_elements);

// Whether matrices of this type can be multiplied by Backend::linear.
bool is_matrix_dtype(DType dtype);

}  // namespace tandem::kernels
