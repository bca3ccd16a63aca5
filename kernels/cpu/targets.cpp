#include "kernels/cpu/targets.h"

#include <string>

namespace tandem::kernels::cpu {

Result<Target> choose_target(std::string_view forced) {
  std::string usable;
  for (const Target& target : compiled_targets()) {
    if (target.supported()) usable += (usable.empty() ? "" : ", ") + std::string(target.name);
  }
  for (const Target& target : compiled_targets()) {
    if (!forced.empty() && target.name != forced) continue;
    if (target.supported()) return target;
    if (!forced.empty()) {
      return Error{ErrorCode::kUnsupported, "TANDEM_CPU_TARGET=" + std::string(forced) + " needs " + std::string(target.needs) +
                                                ", which this CPU lacks; usable here: " + usable};
    }
  }
  return Error{ErrorCode::kInvalidArgument,
               "TANDEM_CPU_TARGET=" + std::string(forced) + " is not a target of this build; usable here: " + usable};
}

}  // namespace tandem::kernels::cpu
