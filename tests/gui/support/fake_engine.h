// FakeEngine: an engine for window tests. Says a script, with delays, from its own thread; can fail and be slow to load.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace tandem::test {

struct FakeScript {
  // Load.
  int loadSteps = 4;                       // progress reports before ready
  std::chrono::milliseconds loadDelay{0};  // after each
  std::optional<Error> loadError;          // instead of ready
  // Every request.
  std::vector<std::string> tokens = {"Hello", ", ", "world", "."};
  std::vector<std::string> reasoning;  // delivered first, on the reasoning channel
  std::chrono::milliseconds tokenDelay{0};
  bool holdAfterFirstToken = false;  // wait for cancel (or destruction) after the first token
  std::optional<Error> submitError;  // refuse
  std::optional<Error> finishError;  // end with kError after the tokens
  std::int64_t contextTokens = 1024;
};

// What the fake has seen, shared with the test; thread-safe.
struct FakeLog {
  std::atomic<int> loads{0}, destroyed{0}, submits{0}, cancels{0};
  std::mutex mutex;
  std::vector<engine::Request> requests;  // guarded by mutex
  engine::LoadOptions options;            // of the last load; guarded by mutex
};

class FakeEngine : public engine::Engine {
 public:
  FakeEngine(FakeScript script, std::shared_ptr<FakeLog> log);
  ~FakeEngine() override;

  const engine::ModelInfo& info() const override { return info_; }
  const engine::Tokenizer& tokenizer() const override;  // CHECKs: the window must not ask
  const engine::ChatTemplate* chat_template() const override { return nullptr; }
  Result<engine::RequestId> submit(engine::Request request, engine::TokenSink sink) override;
  void cancel(engine::RequestId id) override;
  engine::EngineStats stats() const override;
  Result<std::int64_t> count_tokens(const engine::Request& request) const override;  // one token per word of all messages
  Result<std::vector<float>> logits(const std::vector<std::int32_t>& ids, std::int32_t chunk) override;

 private:
  struct Running {
    std::atomic<bool> cancelled{false};
    std::thread thread;
  };
  void run(engine::RequestId id, const engine::TokenSink& sink, Running& state);
  bool sleep(std::chrono::milliseconds time, const Running& state);  // false: cancelled

  const FakeScript script_;
  const std::shared_ptr<FakeLog> log_;
  engine::ModelInfo info_;
  mutable std::mutex mutex_;  // guards running_, next_id_
  std::condition_variable wake_;
  std::vector<std::pair<engine::RequestId, std::unique_ptr<Running>>> running_;
  engine::RequestId next_id_ = 1;
};

// A loader for EngineController: reports progress over 1 MiB in script.loadSteps, then a FakeEngine or script.loadError.
std::function<Result<std::unique_ptr<engine::Engine>>(const std::filesystem::path&, const engine::LoadOptions&,
                                                      const engine::LoadProgressSink&)>
fake_loader(FakeScript script, std::shared_ptr<FakeLog> log = std::make_shared<FakeLog>());

}  // namespace tandem::test
