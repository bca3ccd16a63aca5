// Architectures with no kernels of their own.
#include <array>

#include "kernels/cpu/targets.h"

namespace tandem::kernels::cpu {
namespace {

constexpr std::array kTargets{Target{"generic", "nothing", [] { return true; }, generic_kernels}};

}  // namespace

std::span<const Target> compiled_targets() {
  return kTargets;
}

}  // namespace tandem::kernels::cpu
