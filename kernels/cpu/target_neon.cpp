// The kernels for arm64 with the byte dot product of ARMv8.2. Compiled with that flag: see simd.h for what that forbids.
#include "kernels/cpu/attention_kernel.h"
#include "kernels/cpu/linear_int8_generic_kernel.h"
#include "kernels/cpu/panel_kernel.h"
#include "kernels/cpu/row_kernels.h"
#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {

const KernelTable& neon_kernels() {
  static constexpr KernelTable kTable{fill_panel, multiply_generic, attend,     rms_norm_row, rope_head,
                                      silu_mul,   store_f16,        add_scaled, read_all};
  return kTable;
}

}  // namespace tandem::kernels::cpu
