// The dtype names of the safetensors format.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "kernels/dtype.h"

namespace tandem::engine {

struct SafetensorsType {
  std::string_view name;
  std::optional<kernels::DType> dtype;  // nullopt: part of the format, but nothing here computes with it
};

inline constexpr std::array kSafetensorsTypes{
    SafetensorsType{"BOOL", kernels::DType::kBool},
    SafetensorsType{"U8", kernels::DType::kU8},
    SafetensorsType{"I8", kernels::DType::kI8},
    SafetensorsType{"F8_E5M2", kernels::DType::kF8E5M2},
    SafetensorsType{"F8_E4M3", kernels::DType::kF8E4M3},
    SafetensorsType{"I16", kernels::DType::kI16},
    SafetensorsType{"U16", kernels::DType::kU16},
    SafetensorsType{"F16", kernels::DType::kF16},
    SafetensorsType{"BF16", kernels::DType::kBF16},
    SafetensorsType{"I32", kernels::DType::kI32},
    SafetensorsType{"U32", kernels::DType::kU32},
    SafetensorsType{"F32", kernels::DType::kF32},
    SafetensorsType{"F64", kernels::DType::kF64},
    SafetensorsType{"I64", kernels::DType::kI64},
    SafetensorsType{"U64", kernels::DType::kU64},
    SafetensorsType{"F8_E8M0", kernels::DType::kF8E8M0},
    SafetensorsType{"F4", std::nullopt},
    SafetensorsType{"F6_E2M3", std::nullopt},
    SafetensorsType{"F6_E3M2", std::nullopt},
    SafetensorsType{"F8_E4M3FNUZ", std::nullopt},
    SafetensorsType{"F8_E5M2FNUZ", std::nullopt},
    SafetensorsType{"C64", std::nullopt},
};

}  // namespace tandem::engine
