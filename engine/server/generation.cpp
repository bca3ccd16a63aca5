#include "engine/server/generation.h"

namespace tandem::engine::server {

std::variant<std::unique_ptr<Generation>, ApiError> Generation::start(std::shared_ptr<Engine> engine,
                                                                      const GenerationRequest& request) {
  std::unique_ptr<Generation> generation(new Generation(std::move(engine)));
  for (const Request& prompt : request.prompts) {
    for (std::int32_t i = 0; i < request.n; ++i) {
      Request one = prompt;
      // Answers of one seeded request differ from each other, and the same request repeats all of them.
      if (one.sampling.seed) *one.sampling.seed += static_cast<std::uint64_t>(i);
      const std::size_t choice_idx = generation->running_.size();
      auto id = generation->engine_->submit(std::move(one), [queue = generation->queue_, choice_idx](const TokenEvent& event) {
        queue->push(choice_idx, event);
      });
      if (!id) return to_api_error(id.error());
      generation->running_.push_back({*id, false});
      ++generation->num_running_;
    }
  }
  return generation;
}

Generation::~Generation() {
  for (const Running& choice : running_) {
    if (!choice.finished) engine_->cancel(choice.id);
  }
}

std::optional<EventQueue::Item> Generation::next(std::chrono::milliseconds timeout) {
  auto item = queue_->pop(timeout);
  if (item && item->event.kind == TokenEvent::Kind::kFinished && !running_[item->choice_idx].finished) {
    running_[item->choice_idx].finished = true;
    --num_running_;
  }
  return item;
}

}  // namespace tandem::engine::server
