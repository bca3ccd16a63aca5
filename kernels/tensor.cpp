#include "base/check.h"
#include "kernels/backend.h"

namespace tandem::kernels {

Tensor Tensor::rows(std::int64_t first, std::int64_t count) const {
  CHECK(first >= 0 && count >= 0 && first <= shape[0] - count, "rows outside the tensor");
  Tensor part = *this;
  part.shape[0] = count;
  part.data = static_cast<std::byte*>(data) + first * row_bytes(dtype, row_size());
  return part;
}

}  // namespace tandem::kernels
