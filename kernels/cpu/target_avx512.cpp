// The kernels for x86-64 with AVX-512 (F, BW, VL) and VNNI: the AVX2 source with twice as many registers, and one
// instruction for the byte products of 32-element blocks. 256-bit vectors: wider ones gain nothing where memory is the
// bound, and lower the clock of some processors. Compiled with those flags: see simd.h for what that forbids.
#include "kernels/cpu/attention_kernel.h"
#include "kernels/cpu/linear_int8_avx2_kernel.h"
#include "kernels/cpu/panel_kernel.h"
#include "kernels/cpu/row_kernels.h"
#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable kTable{fill_panel, multiply_avx2, attend,     rms_norm_row, rope_head,
                                      silu_mul,   store_f16,     add_scaled, read_all};
  return kTable;
}

}  // namespace tandem::kernels::cpu
