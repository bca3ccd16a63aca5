// Model: one architecture with its weights on the device, ready to run steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/cache/kv_cache.h"
#include "engine/models/weight_loader.h"
#include "engine/scheduler/step_plan.h"
#include "kernels/backend.h"

namespace tandem::engine {

// The largest step that will ever be asked for: activations are allocated for it once.
struct StepLimits {
  std::int32_t max_rows = 0;        // tokens
  std::int32_t max_logit_rows = 0;  // rows of one call of logits()
};

// What an architecture is created from.
struct ModelContext {
  kernels::Backend& backend;
  WeightLoader& weights;
  StepLimits limits;
};

// The engine thread owns it. Its ops are enqueued on the backend: finish() says when they are done.
class Model {
 public:
  virtual ~Model() = default;

  // Runs every layer over the plan's tokens and leaves their hidden states for logits().
  virtual void forward(const StepPlan& plan, const KvCache& cache) = 0;
  // Float32 logits [rows.size(), vocab_size] of rows of the last forward().
  virtual void logits(std::span<const std::int32_t> rows, kernels::Tensor out) = 0;
  // Device memory for activations.
  virtual std::uint64_t activation_bytes() const = 0;
};

}  // namespace tandem::engine
