#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>

#include "base/version.h"
#include "engine/benchmark/benchmark.h"
#include "engine/engine.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

using Clock = std::chrono::steady_clock;

class EngineTarget final : public BenchmarkTarget {
 public:
  explicit EngineTarget(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Result<BenchmarkSample> run(const BenchmarkPrompt& prompt, const std::atomic<bool>& cancelled) override {
    struct Wait {
      std::mutex mutex;
      std::condition_variable done;
      bool finished = false;                        // guarded by mutex
      BenchmarkSample sample;                       // guarded by mutex
      std::optional<Error> error;                   // guarded by mutex
      std::optional<Clock::time_point> last_token;  // guarded by mutex
    };
    auto wait = std::make_shared<Wait>();
    Request request;
    if (prompt.ids.empty()) {
      ChatPrompt chat;
      chat.messages.push_back({{"role", "user"}, {"content", prompt.text}});
      request.prompt = std::move(chat);
    } else {
      request.prompt = TokenPrompt{prompt.ids};
    }
    request.sampling.temperature = 0.0F;
    request.sampling.max_tokens = prompt.max_tokens;
    request.sampling.ignore_eos = true;  // every answer has the length asked for

    const auto id = engine_->submit(std::move(request), [wait](const TokenEvent& event) {
      const std::scoped_lock lock(wait->mutex);
      if (event.kind == TokenEvent::Kind::kText && !event.token_ids.empty()) {
        const auto now = Clock::now();
        if (wait->last_token)
          wait->sample.gaps_ms.push_back(std::chrono::duration<double, std::milli>(now - *wait->last_token).count());
        wait->last_token = now;
      } else if (event.kind == TokenEvent::Kind::kFinished) {
        wait->sample.ttft_ms = event.stats.ttft_ms;
        wait->sample.total_ms = event.stats.total_ms;
        wait->sample.num_prompt_tokens = event.stats.num_prompt_tokens;
        wait->sample.num_cached_tokens = event.stats.num_cached_tokens;
        wait->sample.num_output_tokens = event.stats.num_output_tokens;
        if (event.finish_reason == FinishReason::kError) wait->error = event.error;
        if (event.finish_reason == FinishReason::kCancelled)
          wait->error = Error{ErrorCode::kCancelled, "The request was cancelled."};
        wait->finished = true;
        wait->done.notify_all();
      }
    });
    if (!id) return id.error();
    std::unique_lock lock(wait->mutex);
    bool cancel_sent = false;
    while (!wait->done.wait_for(lock, std::chrono::milliseconds(50), [&] { return wait->finished; })) {
      if (cancelled && !cancel_sent) {
        cancel_sent = true;
        lock.unlock();
        engine_->cancel(*id);
        lock.lock();
      }
    }
    if (wait->error) return *wait->error;
    return std::move(wait->sample);
  }

  std::string device() const override { return engine_->info().device; }
  std::string model() const override { return engine_->info().name; }

  BenchmarkPrompt random_prompt(std::int32_t num_tokens, std::uint64_t seed) const override {
    std::mt19937_64 random(seed);
    const Tokenizer& tokenizer = engine_->tokenizer();
    BenchmarkPrompt prompt;
    while (prompt.ids.size() < static_cast<std::size_t>(num_tokens)) {
      const auto id = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(tokenizer.vocab_size()));
      if (!tokenizer.is_control(id)) prompt.ids.push_back(id);
    }
    return prompt;
  }

  std::uint64_t bytes_per_step() const override { return engine_->info().bytes_per_token; }
  std::uint64_t kv_bytes_per_token() const override { return engine_->info().kv_bytes_per_token; }

  nlohmann::ordered_json settings() const override {
    const ModelInfo& info = engine_->info();
    return {{"version", kVersion},
            {"target", "engine"},
            {"architecture", info.architecture},
            {"context_tokens", info.context_tokens},
            {"max_num_seqs", info.max_num_seqs},
            {"weight_bytes", info.weight_bytes}};
  }

 private:
  std::shared_ptr<Engine> engine_;
};

}  // namespace

std::unique_ptr<BenchmarkTarget> engine_target(std::shared_ptr<Engine> engine) {
  return std::make_unique<EngineTarget>(std::move(engine));
}

}  // namespace tandem::engine
