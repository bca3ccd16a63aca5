// Runs requests to their end on the calling thread.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace tandem::testing {

struct Outcome {
  std::vector<std::int32_t> ids;
  std::string text;
  std::string reasoning;
  engine::TokenEvent finished;
  std::vector<engine::TokenEvent> events;  // all of them, the last included
};

inline engine::Request token_request(std::vector<std::int32_t> ids, engine::SamplingParams sampling) {
  engine::Request request;
  request.prompt = engine::TokenPrompt{std::move(ids)};
  request.sampling = std::move(sampling);
  return request;
}

// The future is ready when the request has finished.
inline std::future<Outcome> start(engine::Engine& engine, engine::Request request, engine::RequestId* id = nullptr) {
  struct State {
    Outcome outcome;
    std::promise<Outcome> promise;
  };
  auto state = std::make_shared<State>();
  auto future = state->promise.get_future();
  const auto submitted = engine.submit(std::move(request), [state](const engine::TokenEvent& event) {
    Outcome& outcome = state->outcome;
    outcome.events.push_back(event);
    if (event.kind == engine::TokenEvent::Kind::kText) {
      const bool is_reasoning = event.channel == engine::TokenEvent::Channel::kReasoning;
      (is_reasoning ? outcome.reasoning : outcome.text) += event.text;
      outcome.ids.insert(outcome.ids.end(), event.token_ids.begin(), event.token_ids.end());
    }
    if (event.kind == engine::TokenEvent::Kind::kFinished) {
      outcome.finished = event;
      state->promise.set_value(std::move(outcome));
    }
  });
  if (!submitted) {
    Outcome refused;
    refused.finished.finish_reason = engine::FinishReason::kError;
    refused.finished.error = submitted.error();
    state->promise.set_value(std::move(refused));
  } else if (id != nullptr) {
    *id = *submitted;
  }
  return future;
}

inline Outcome run_to_end(engine::Engine& engine, engine::Request request) {
  return start(engine, std::move(request)).get();
}

}  // namespace tandem::testing
