// Generation: the engine requests behind one HTTP request, run together and cancelled together.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "engine/server/event_queue.h"
#include "engine/server/generation_request.h"

namespace tandem::engine::server {

class Generation {
 public:
  // Submits every choice; when one is refused those already submitted are cancelled and the refusal is returned.
  static std::variant<std::unique_ptr<Generation>, ApiError> start(std::shared_ptr<Engine> engine,
                                                                   const GenerationRequest& request);
  // Cancels what still runs: a client that went away costs the engine at most one more step.
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  std::size_t num_choices() const { return running_.size(); }
  bool finished() const { return num_running_ == 0; }
  // The next event of any choice; nullopt when none came in time.
  std::optional<EventQueue::Item> next(std::chrono::milliseconds timeout);

 private:
  explicit Generation(std::shared_ptr<Engine> engine) : engine_(std::move(engine)), queue_(std::make_shared<EventQueue>()) {}

  struct Running {
    RequestId id = 0;
    bool finished = false;
  };
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<EventQueue> queue_;  // shared with the sinks, which may outlive this
  std::vector<Running> running_;
  std::size_t num_running_ = 0;
};

}  // namespace tandem::engine::server
