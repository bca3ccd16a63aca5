#include "tests/gui/support/fake_engine.h"

#include <utility>

#include "base/check.h"

namespace tandem::test {

using engine::FinishReason;
using engine::TokenEvent;

FakeEngine::FakeEngine(FakeScript script, std::shared_ptr<FakeLog> log) : script_(std::move(script)), log_(std::move(log)) {
  info_.name = "Fake Model";
  info_.architecture = "Qwen3";
  info_.num_parameters = 1'000'000;
  info_.weight_bytes = 1 << 20;
  info_.kv_bytes_per_token = 1024;
  info_.context_tokens = script_.contextTokens;
  info_.max_num_seqs = 4;
  info_.device = "test";
  info_.load_s = 0.5;
  info_.has_chat_template = true;
  info_.supports_thinking = !script_.reasoning.empty();
}

FakeEngine::~FakeEngine() {
  std::vector<std::pair<engine::RequestId, std::unique_ptr<Running>>> running;
  {
    const std::lock_guard lock(mutex_);
    running = std::move(running_);
    for (auto& [id, state] : running) state->cancelled = true;
  }
  wake_.notify_all();
  for (auto& [id, state] : running) state->thread.join();
  ++log_->destroyed;
}

const engine::Tokenizer& FakeEngine::tokenizer() const {
  CHECK(false, "the window must not ask for the tokenizer");
}

Result<engine::RequestId> FakeEngine::submit(engine::Request request, engine::TokenSink sink) {
  ++log_->submits;
  {
    const std::lock_guard lock(log_->mutex);
    log_->requests.push_back(std::move(request));
  }
  if (script_.submitError) return *script_.submitError;
  const std::lock_guard lock(mutex_);
  const engine::RequestId id = next_id_++;
  auto state = std::make_unique<Running>();
  Running* raw = state.get();
  running_.emplace_back(id, std::move(state));
  raw->thread = std::thread([this, id, sink = std::move(sink), raw] { run(id, sink, *raw); });
  return id;
}

void FakeEngine::cancel(engine::RequestId id) {
  ++log_->cancels;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [running_id, state] : running_) {
      if (running_id == id) state->cancelled = true;
    }
  }
  wake_.notify_all();
}

bool FakeEngine::sleep(std::chrono::milliseconds time, const Running& state) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, time, [&] { return state.cancelled.load(); });
}

void FakeEngine::run(engine::RequestId id, const engine::TokenSink& sink, Running& state) {
  TokenEvent event;
  event.request_id = id;
  event.kind = TokenEvent::Kind::kPrefill;
  event.prefill_done = event.prefill_total = 3;
  sink(event);

  event.kind = TokenEvent::Kind::kText;
  bool cancelled = false;
  std::int32_t num_tokens = 0;
  auto say = [&](const std::vector<std::string>& tokens, TokenEvent::Channel channel) {
    for (const std::string& token : tokens) {
      if (cancelled) return;
      event.channel = channel;
      event.text = token;
      event.token_ids = {num_tokens++};
      sink(event);
      const auto pause = script_.holdAfterFirstToken ? std::chrono::hours(1) : script_.tokenDelay;
      cancelled = !sleep(std::chrono::duration_cast<std::chrono::milliseconds>(pause), state);
    }
  };
  say(script_.reasoning, TokenEvent::Channel::kReasoning);
  say(script_.tokens, TokenEvent::Channel::kContent);

  event.kind = TokenEvent::Kind::kFinished;
  event.text.clear();
  event.token_ids.clear();
  event.finish_reason = cancelled ? FinishReason::kCancelled : FinishReason::kStop;
  if (!cancelled && script_.finishError) {
    event.finish_reason = FinishReason::kError;
    event.error = script_.finishError;
  }
  event.stats.num_prompt_tokens = 3;
  event.stats.num_output_tokens = num_tokens;
  event.stats.ttft_ms = 5.0;
  event.stats.total_ms = 5.0 + 10.0 * num_tokens;
  event.stats.seed = 42;
  sink(event);
}

engine::EngineStats FakeEngine::stats() const {
  engine::EngineStats stats;
  stats.kv_blocks_total = 64;
  return stats;
}

Result<std::int64_t> FakeEngine::count_tokens(const engine::Request& request) const {
  std::string text;
  if (const auto* chat = std::get_if<engine::ChatPrompt>(&request.prompt)) {
    for (const auto& message : chat->messages) text += message.value("content", std::string()) + " ";
  } else if (const auto* plain = std::get_if<engine::TextPrompt>(&request.prompt)) {
    text = plain->text;
  }
  std::int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space && !inside) ++words;
    inside = !space;
  }
  return words;
}

Result<std::vector<float>> FakeEngine::logits(const std::vector<std::int32_t>&, std::int32_t) {
  return Error{ErrorCode::kUnsupported, "The fake engine has no logits."};
}

std::function<Result<std::unique_ptr<engine::Engine>>(const std::filesystem::path&, const engine::LoadOptions&,
                                                      const engine::LoadProgressSink&)>
fake_loader(FakeScript script, std::shared_ptr<FakeLog> log) {
  return [script = std::move(script), log = std::move(log)](
             const std::filesystem::path&, const engine::LoadOptions& options,
             const engine::LoadProgressSink& progress) -> Result<std::unique_ptr<engine::Engine>> {
    ++log->loads;
    {
      const std::lock_guard lock(log->mutex);
      log->options = options;
    }
    engine::LoadProgress report;
    report.phase = engine::LoadProgress::Phase::kLoadingWeights;
    report.bytes_total = 1 << 20;
    for (int step = 1; step <= script.loadSteps; ++step) {
      report.bytes_done = report.bytes_total * std::uint64_t(step) / std::uint64_t(script.loadSteps);
      if (!progress(report)) return Error{ErrorCode::kCancelled, "The load was cancelled."};
      std::this_thread::sleep_for(script.loadDelay);
    }
    if (script.loadError) return *script.loadError;
    return std::unique_ptr<engine::Engine>(std::make_unique<FakeEngine>(script, log));
  };
}

}  // namespace tandem::test
