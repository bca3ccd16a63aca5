#include "engine/model_file/gguf_types.h"

#include <array>

namespace tandem::engine {
namespace {

using kernels::DType;

constexpr std::array kTypes{
    GgufType{0, "F32", DType::kF32},
    GgufType{1, "F16", DType::kF16},
    GgufType{2, "Q4_0", DType::kQ4_0},
    GgufType{3, "Q4_1", DType::kQ4_1},
    GgufType{4, "Q4_2", std::nullopt, true},
    GgufType{5, "Q4_3", std::nullopt, true},
    GgufType{6, "Q5_0", DType::kQ5_0},
    GgufType{7, "Q5_1", DType::kQ5_1},
    GgufType{8, "Q8_0", DType::kQ8_0},
    GgufType{9, "Q8_1", std::nullopt},
    GgufType{10, "Q2_K", DType::kQ2_K},
    GgufType{11, "Q3_K", DType::kQ3_K},
    GgufType{12, "Q4_K", DType::kQ4_K},
    GgufType{13, "Q5_K", DType::kQ5_K},
    GgufType{14, "Q6_K", DType::kQ6_K},
    GgufType{15, "Q8_K", std::nullopt},
    GgufType{16, "IQ2_XXS", std::nullopt},
    GgufType{17, "IQ2_XS", std::nullopt},
    GgufType{18, "IQ3_XXS", std::nullopt},
    GgufType{19, "IQ1_S", std::nullopt},
    GgufType{20, "IQ4_NL", DType::kIQ4_NL},
    GgufType{21, "IQ3_S", std::nullopt},
    GgufType{22, "IQ2_S", std::nullopt},
    GgufType{23, "IQ4_XS", DType::kIQ4_XS},
    GgufType{24, "I8", DType::kI8},
    GgufType{25, "I16", DType::kI16},
    GgufType{26, "I32", DType::kI32},
    GgufType{27, "I64", DType::kI64},
    GgufType{28, "F64", DType::kF64},
    GgufType{29, "IQ1_M", std::nullopt},
    GgufType{30, "BF16", DType::kBF16},
    GgufType{31, "Q4_0_4_4", std::nullopt, true},
    GgufType{32, "Q4_0_4_8", std::nullopt, true},
    GgufType{33, "Q4_0_8_8", std::nullopt, true},
    GgufType{34, "TQ1_0", std::nullopt},
    GgufType{35, "TQ2_0", std::nullopt},
    GgufType{36, "IQ4_NL_4_4", std::nullopt, true},
    GgufType{37, "IQ4_NL_4_8", std::nullopt, true},
    GgufType{38, "IQ4_NL_8_8", std::nullopt, true},
    GgufType{39, "MXFP4", std::nullopt},
    GgufType{40, "NVFP4", std::nullopt},
    GgufType{41, "Q1_0", std::nullopt},
    GgufType{42, "Q2_0", std::nullopt},
};

constexpr bool types_are_indexed_by_id() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].id != i) return false;
  }
  return true;
}
static_assert(types_are_indexed_by_id(), "kTypes is indexed by id: no gaps");

}  // namespace

const GgufType* gguf_type(std::uint32_t id) {
  return id < kTypes.size() ? &kTypes[id] : nullptr;
}

std::optional<std::uint32_t> gguf_type_id(DType dtype) {
  for (const GgufType& type : kTypes) {
    if (type.dtype == dtype) return type.id;
  }
  return std::nullopt;
}

}  // namespace tandem::engine
