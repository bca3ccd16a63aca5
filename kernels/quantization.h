// From weight formats to float, exactly as the formats define it.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/dtype.h"

namespace tandem::kernels {

// out[i] = value i of a row in any dtype for which is_matrix_dtype() holds. `bytes` is row_bytes(dtype, out.size()) long and
// may lie at any address. The bits of the result are those of the formats' reference: products d · scale and dmin · min are
// rounded to float first, then multiplied by the integer, then subtracted. Any thread.
void dequantize_row(DType dtype, std::span<const std::byte> bytes, std::span<float> out);

}  // namespace tandem::kernels
