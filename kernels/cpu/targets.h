// Which instruction sets this build has kernels for, and which one this CPU gets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/cpu/kernel_table.h"

namespace tandem::kernels::cpu {

struct Target {
  std::string_view name;   // "generic", "avx2", "avx512", "neon": what TANDEM_CPU_TARGET takes
  std::string_view needs;  // for people: "AVX2, FMA and F16C"
  bool (*supported)();     // by the CPU this runs on
  const KernelTable& (*kernels)();
};

// Every target of this build, best first; the last one is "generic", which always runs.
std::span<const Target> compiled_targets();

// The best supported target, or the one called `forced` when that is not empty. Errors: kInvalidArgument when there is no
// such target, kUnsupported when this CPU lacks its instructions; both list the names that would work.
Result<Target> choose_target(std::string_view forced);

// One definition per file and instruction set.
const KernelTable& generic_kernels();
const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();
const KernelTable& neon_kernels();

}  // namespace tandem::kernels::cpu
