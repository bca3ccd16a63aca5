// Answer: runs one request and waits for it on the calling thread, handing over its text as it arrives.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "engine/engine.h"

namespace tandem::node {

struct Answer {
  std::string text;
  std::string reasoning;
  engine::TokenEvent finished;  // the last event
  std::vector<std::int32_t> token_ids;
  std::vector<engine::PositionLogprobs> logprobs;  // when asked for
};

// `on_event` is called on this thread, in order, for every event. Ctrl-C cancels the request; what has arrived stays in the
// answer. Errors: a request that is refused, or that ends with one.
Result<Answer> run_request(engine::Engine& engine, engine::Request request,
                           const std::function<void(const engine::TokenEvent&)>& on_event);

}  // namespace tandem::node
