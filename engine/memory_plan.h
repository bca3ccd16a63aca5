// MemoryPlan: how much of the machine's memory a load will take, decided before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace tandem::engine {

struct MemoryPlan {
  std::int64_t context_tokens = 0;  // of one sequence
  std::int32_t num_kv_blocks = 0;   // of kKvBlockTokens tokens, for all sequences together
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_bytes = 0;
  std::uint64_t activation_bytes = 0;
  std::uint64_t limit_bytes = 0;
  std::vector<std::string> warnings;
  std::uint64_t total_bytes() const { return weight_bytes + kv_bytes + activation_bytes; }
};

// Refuses options out of range (kInvalidArgument), KV types this version cannot store (kUnsupported) and what does not fit
// (kOutOfMemory, with needed and available bytes and the nearest setting that fits). `available_bytes` is MemAvailable.
Result<MemoryPlan> plan_memory(const ModelConfig& config, std::uint64_t weight_bytes, const LoadOptions& options,
                               std::uint64_t available_bytes);

}  // namespace tandem::engine
