// The architectures this version can run. A new one is a file in this folder that defines its Architecture, and a line here.
#pragma once

#include "engine/models/architecture.h"

// clang-format off
#define TANDEM_ARCHITECTURES(X) \
  X(kLlama3)                    \
  X(kQwen3)                     \
  X(kQwen3Moe)
// clang-format on

namespace tandem::engine {

#define TANDEM_DECLARE_ARCHITECTURE(name) extern const Architecture name;
TANDEM_ARCHITECTURES(TANDEM_DECLARE_ARCHITECTURE)
#undef TANDEM_DECLARE_ARCHITECTURE

}  // namespace tandem::engine
