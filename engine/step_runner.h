// StepRunner: one rank's device, weights and cache. Runs a StepPlan and hands back the logits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/cache/kv_cache.h"
#include "engine/models/model.h"
#include "engine/scheduler/step_plan.h"
#include "kernels/backend.h"

namespace tandem::engine {

// The engine thread owns it.
class StepRunner {
 public:
  // Allocates the logits' buffers; the runner takes everything over. Backend outlives model, cache and buffers.
  static Result<std::unique_ptr<StepRunner>> create(std::unique_ptr<kernels::Backend> backend, std::unique_ptr<Model> model,
                                                    std::unique_ptr<KvCache> cache, std::int64_t vocab_size,
                                                    std::int32_t max_logit_rows);

  // Runs the plan and returns its logits in host memory, [plan.logit_rows.size(), vocab_size], valid and writable until the
  // next call. An error means that the device is lost.
  Result<std::span<float>> run(const StepPlan& plan);
  // Logits of rows of the last plan, at most max_logit_rows of them.
  Result<std::span<float>> logits(std::span<const std::int32_t> rows);

  kernels::Backend& backend() { return *backend_; }
  std::uint64_t activation_bytes() const { return model_->activation_bytes() + 2 * host_logits_.size() * sizeof(float); }

 private:
  StepRunner() = default;
  std::unique_ptr<kernels::Backend> backend_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<kernels::Buffer> logits_buffer_;
  kernels::Tensor logits_;          // [max_logit_rows, vocab_size] F32 on the device
  std::vector<float> host_logits_;  // its copy
};

}  // namespace tandem::engine
