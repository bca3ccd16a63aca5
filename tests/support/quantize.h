// Reference quantisers: floats to the bytes of every weight format, for making test models and test matrices.
//
// Sound, not the best known: each block's scale is taken from its extremes, without a search. Q8_0 and Q4_0 follow the
// published reference to the byte.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/dtype.h"

namespace tandem::testing {

// The bytes of `values` in `dtype`, any type for which is_matrix_dtype() holds; values.size() is a multiple of its block
// length. F16 and BF16 round to nearest even. Values must be finite.
std::vector<std::byte> quantize(kernels::DType dtype, std::span<const float> values);

// What the quantised values mean: quantize(), then back.
std::vector<float> quantize_and_back(kernels::DType dtype, std::span<const float> values);

}  // namespace tandem::testing
