#include <array>
#include <cpuid.h>

#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {
namespace {

// Clang 14 does not know "f16c" as a feature name. The operating system's part, saving the registers, is that of avx2.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

constexpr std::array kTargets{
    Target{"avx512", "AVX-512 F, BW, VL and VNNI", has_avx512, avx512_kernels},
    Target{"avx2", "AVX2, FMA and F16C", has_avx2, avx2_kernels},
    Target{"generic", "nothing", [] { return true; }, generic_kernels},
};

}  // namespace

std::span<const Target> compiled_targets() {
  return kTargets;
}

}  // namespace tandem::kernels::cpu
