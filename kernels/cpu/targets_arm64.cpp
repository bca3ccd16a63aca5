#include <array>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {
namespace {

bool has_dot_product() {
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}

constexpr std::array kTargets{
    Target{"neon", "the NEON dot product (ARMv8.2)", has_dot_product, neon_kernels},
    Target{"generic", "nothing", [] { return true; }, generic_kernels},
};

}  // namespace

std::span<const Target> compiled_targets() {
  return kTargets;
}

}  // namespace tandem::kernels::cpu
