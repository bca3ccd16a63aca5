#include <array>

#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

constexpr std::array kTargets{
    Target{"avx2", "AVX2, FMA and F16C", has_avx2, avx2_kernels},
    Target{"generic", "nothing", [] { return true; }, generic_kernels},
};

}  // namespace

std::span<const Target> compiled_targets() {
  return kTargets;
}

}  // namespace tandem::kernels::cpu
