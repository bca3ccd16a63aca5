// LocalEngine: the engine on one machine. Owns the engine thread; see engine.h for what each call promises.
#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/output_stream.h"
#include "engine/prompt.h"
#include "engine/sampling/grammar/constraint.h"
#include "engine/sampling/sampler.h"
#include "engine/scheduler/prefill_pacer.h"
#include "engine/scheduler/scheduler.h"
#include "engine/step_runner.h"

namespace tandem::engine {

// What a load has put together.
struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<const Tokenizer> tokenizer;
  ChatTemplates templates;
  std::unique_ptr<StepRunner> runner;
  SchedulerLimits limits;
};

class LocalEngine final : public Engine {
 public:
  explicit LocalEngine(LoadedModel model);
  ~LocalEngine() override;

  const ModelInfo& info() const override { return model_.info; }
  const Tokenizer& tokenizer() const override { return *model_.tokenizer; }
  const ChatTemplate* chat_template() const override { return model_.templates.plain(); }
  Result<RequestId> submit(Request request, TokenSink sink) override;
  void cancel(RequestId id) override;
  EngineStats stats() const override;
  Result<std::int64_t> count_tokens(const Request& request) const override;
  Result<std::vector<float>> logits(const std::vector<std::int32_t>& ids, std::int32_t chunk) override;

  // Runs a short sequence, so that the first request finds everything in memory and the pacer knows the machine's speed.
  // Called once, before anything is submitted.
  Result<void> warm_up();

 private:
  using Clock = std::chrono::steady_clock;

  // A request from submit() to its kFinished. The engine thread owns it once it has left arrivals_.
  struct ActiveRequest {
    RequestId id = 0;
    std::vector<std::int32_t> prompt;  // moved into the sequence on arrival
    SamplingParams sampling;
    std::int64_t max_output_tokens = 0;
    bool context_is_limit = false;  // max_output_tokens comes from the context
    TokenSink sink;
    std::unique_ptr<Sampler> sampler;
    std::unique_ptr<OutputStream> output;
    std::unique_ptr<Constraint> constraint;  // null: free text
    RequestStats stats;
    Clock::time_point accepted;
    bool was_scheduled = false;
    bool has_text = false;
    std::int32_t queue_place = -1;  // last told
  };
  struct LogitsJob {
    std::vector<std::int32_t> ids;
    std::int32_t chunk = 0;
    std::promise<Result<std::vector<float>>> result;
  };

  // --- Engine thread.
  void run();
  bool take_commands();  // false: stop
  void step();
  void tell_queue_places();
  void tell_prefill(ActiveRequest& request, const StepPlan::Sequence& planned);
  // Samples and delivers the next token; ends the request when it was the last.
  void advance(ActiveRequest& request, std::span<float> logits);
  bool ends_generation(const ActiveRequest& request, std::int32_t token_id) const;
  // The tokens that keep a constrained answer inside its schema, the end included where it may end there.
  TokenMask allowed_tokens(Constraint& constraint) const;
  void deliver(ActiveRequest& request, std::vector<TokenEvent> events);
  void finish(RequestId id, FinishReason reason, std::optional<Error> error = {}, bool context_full = false);
  void fail_everything(const Error& error);
  void publish_stats();
  Result<std::vector<float>> run_logits(const LogitsJob& job);

  LoadedModel model_;
  std::shared_ptr<const TokenTrie> token_trie();  // any thread
  std::once_flag token_trie_built_;
  std::shared_ptr<const TokenTrie> token_trie_;  // built when the first constrained request comes
  std::int32_t sampled_vocab_size_ = 0;          // logit rows that belong to tokens

  // Owned by the engine thread.
  Scheduler scheduler_;
  PrefillPacer pacer_;
  StepPlan plan_;
  std::unordered_map<RequestId, std::unique_ptr<ActiveRequest>> requests_;
  EngineStats counters_;

  mutable std::mutex mutex_;  // guards everything below it
  std::condition_variable wake_;
  std::vector<std::unique_ptr<ActiveRequest>> arrivals_;
  std::vector<RequestId> cancels_;
  std::vector<std::unique_ptr<LogitsJob>> logits_jobs_;
  std::optional<Error> lost_device_;  // set: nothing can run any more
  EngineStats stats_;
  RequestId next_id_ = 1;
  bool stop_ = false;

  std::thread thread_;  // last: it starts when all of the above is ready
};

}  // namespace tandem::engine
