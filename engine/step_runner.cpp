#include "engine/step_runner.h"

#include "base/check.h"

namespace tandem::engine {

Result<std::unique_ptr<StepRunner>> StepRunner::create(std::unique_ptr<kernels::Backend> backend, std::unique_ptr<Model> model,
                                                       std::unique_ptr<KvCache> cache, std::int64_t vocab_size,
                                                       std::int32_t max_logit_rows) {
  std::unique_ptr<StepRunner> runner(new StepRunner);
  runner->logits_ = {nullptr, kernels::DType::kF32, {max_logit_rows, vocab_size, 1}};
  runner->logits_buffer_ = TANDEM_TRY(backend->allocate(static_cast<std::size_t>(runner->logits_.bytes()), "logits"));
  runner->logits_.data = runner->logits_buffer_->data();
  runner->host_logits_.resize(static_cast<std::size_t>(max_logit_rows * vocab_size));
  runner->backend_ = std::move(backend);
  runner->model_ = std::move(model);
  runner->cache_ = std::move(cache);
  return runner;
}

Result<std::span<float>> StepRunner::run(const StepPlan& plan) {
  model_->forward(plan, *cache_);
  if (plan.logit_rows.empty()) {
    TANDEM_TRY(backend_->finish());
    return std::span<float>();
  }
  return logits(plan.logit_rows);
}

Result<std::span<float>> StepRunner::logits(std::span<const std::int32_t> rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  CHECK(count <= logits_.num_rows(), "more logit rows than were allocated");
  const kernels::Tensor out = logits_.rows(0, count);
  model_->logits(rows, out);
  TANDEM_TRY(backend_->finish());
  const std::span<float> host(host_logits_.data(), static_cast<std::size_t>(out.num_elements()));
  TANDEM_TRY(backend_->download(out, std::as_writable_bytes(host)));
  return host;
}

}  // namespace tandem::engine
