// Budget: a model on machines of one kind, as a function of context and concurrency. Internal to this folder.
#pragma once

#include <cstdint>

#include "engine/planner/planner.h"
#include "engine/planner/rank_split.h"

namespace tandem::engine {

// Context and concurrency vary while the solvers search; the rest of a PlanRequest is fixed. The model and the machine must
// outlive the budget.
class Budget {
 public:
  Budget(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request);

  const PlanRequest& request() const { return request_; }
  const MachineSpec& machine() const { return machine_; }
  const RankSplit& split() const { return split_; }

  // Bytes that the fullest machine needs, its reserve included; kTooLarge when they do not fit 64 bits.
  std::uint64_t total_bytes(std::int64_t context_tokens, std::int32_t concurrency) const;
  bool fits(std::int64_t context_tokens, std::int32_t concurrency) const {
    return total_bytes(context_tokens, concurrency) <= machine_.total_bytes;
  }
  // The items of one machine, with their arithmetic.
  NodePlan node(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const;
  std::uint64_t kv_token_bytes(std::int32_t rank) const;

  // The largest values that fit, 0 when none does. Context is a whole number of KV blocks unless the model's own limit ends it.
  std::int64_t max_context(std::int32_t concurrency) const;
  std::int32_t max_concurrency(std::int64_t context_tokens) const;

 private:
  std::uint64_t rank_total(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const;
  std::uint64_t cache_bytes(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const;
  std::uint64_t activations(std::int32_t rank, std::int32_t concurrency) const;
  std::uint64_t communication(std::int32_t concurrency) const;
  std::uint64_t runtime() const;

  const ModelDescription& model_;
  const MachineSpec& machine_;
  PlanRequest request_;
  RankSplit split_;
};

// Context rounded up to whole KV blocks; kTooLarge when that does not fit.
std::uint64_t cached_tokens(std::int64_t context_tokens);

}  // namespace tandem::engine
