// What the engine's tests share: small models, requests with fixed prompts, and a way to hold the engine between two steps.
#pragma once

#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/planner/planner.h"
#include "tests/engine/golden_model.h"
#include "tests/engine/request_helper.h"

namespace tandem::testing {

// Two threads, so that races between them can show, and F32 caches, which the golden models were made with.
inline engine::LoadOptions small_options(std::int64_t context_tokens, std::int32_t max_num_seqs) {
  engine::LoadOptions options;
  options.kv_dtype = engine::KvDType::kF32;
  options.context_tokens = context_tokens;
  options.max_num_seqs = max_num_seqs;
  options.max_num_batched_tokens = 64;
  options.num_threads = 2;
  options.memory_reserve_bytes = 0;
  return options;
}

inline std::unique_ptr<engine::Engine> load_engine(const std::filesystem::path& path, const engine::LoadOptions& options) {
  auto loaded = engine::Engine::load(path, options, {});
  EXPECT_TRUE(loaded) << loaded.error().detail;
  return loaded ? *std::move(loaded) : nullptr;
}

inline std::unique_ptr<engine::Engine> load_micro(std::int64_t context_tokens, std::int32_t max_num_seqs) {
  return load_engine(golden_folder("micro/llama3"), small_options(context_tokens, max_num_seqs));
}

inline std::filesystem::path demo_model() {
  return std::filesystem::path(TANDEM_RESOURCES) / "demo-model" / "tandem-demo-Q8_0.gguf";
}

// `count` ids that differ with the seed from the first one on.
inline std::vector<std::int32_t> prompt_ids(std::int32_t seed, std::int32_t count) {
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < count; ++i) ids.push_back(3 + (seed * 29 + i * (7 + seed)) % 250);
  return ids;
}

inline engine::SamplingParams greedy(std::int32_t max_tokens) {
  engine::SamplingParams params;
  params.temperature = 0.0F;
  params.max_tokens = max_tokens;
  params.ignore_eos = true;
  return params;
}

inline engine::SamplingParams seeded(std::int32_t max_tokens, std::uint64_t seed) {
  engine::SamplingParams params = greedy(max_tokens);
  params.temperature = 0.9F;
  params.top_p = 0.95F;
  params.top_k = 40;
  params.presence_penalty = 0.3F;
  params.seed = seed;
  return params;
}

// A running request whose sink keeps the engine thread after the first token until release(): what is submitted or cancelled
// meanwhile reaches the engine in one go.
class HeldRequest {
 public:
  HeldRequest(engine::Engine& engine, engine::Request request) {
    auto entered = state_->entered.get_future();
    const auto submitted =
        engine.submit(std::move(request), [state = state_, is_first = true](const engine::TokenEvent& event) mutable {
          state->outcome.events.push_back(event);
          state->outcome.ids.insert(state->outcome.ids.end(), event.token_ids.begin(), event.token_ids.end());
          if (event.kind == engine::TokenEvent::Kind::kText && is_first) {
            is_first = false;
            state->entered.set_value();
            state->released.get_future().wait();
          }
          if (event.kind == engine::TokenEvent::Kind::kFinished) {
            state->outcome.finished = event;
            state->finished.set_value(std::move(state->outcome));
          }
        });
    EXPECT_TRUE(submitted) << submitted.error().detail;
    if (!submitted) return;
    id_ = *submitted;
    entered.wait();
  }
  engine::RequestId id() const { return id_; }
  void release() { state_->released.set_value(); }
  Outcome wait() { return state_->finished.get_future().get(); }

 private:
  struct State {
    Outcome outcome;
    std::promise<void> entered, released;
    std::promise<Outcome> finished;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  engine::RequestId id_ = 0;
};

}  // namespace tandem::testing
