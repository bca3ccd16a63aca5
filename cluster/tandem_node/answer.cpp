#include "cluster/tandem_node/answer.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "cluster/tandem_node/interrupt.h"

namespace tandem::node {
namespace {

// Events on their way from the engine thread to this one. Shared with the sink, which may outlive the waiting.
struct Mailbox {
  std::mutex mutex;  // guards events
  std::condition_variable arrived;
  std::deque<engine::TokenEvent> events;
};

void add_event(Answer& answer, const engine::TokenEvent& event) {
  std::string& text = event.channel == engine::TokenEvent::Channel::kReasoning ? answer.reasoning : answer.text;
  text += event.text;
  answer.token_ids.insert(answer.token_ids.end(), event.token_ids.begin(), event.token_ids.end());
  answer.logprobs.insert(answer.logprobs.end(), event.logprobs.begin(), event.logprobs.end());
}

}  // namespace

Result<Answer> run_request(engine::Engine& engine, engine::Request request,
                           const std::function<void(const engine::TokenEvent&)>& on_event) {
  using Kind = engine::TokenEvent::Kind;
  take_interrupt();
  auto mailbox = std::make_shared<Mailbox>();
  const engine::RequestId id = TANDEM_TRY(engine.submit(std::move(request), [mailbox](const engine::TokenEvent& event) {
    {
      const std::lock_guard lock(mailbox->mutex);
      mailbox->events.push_back(event);
    }
    mailbox->arrived.notify_one();
  }));

  Answer answer;
  for (;;) {
    std::deque<engine::TokenEvent> events;
    {
      std::unique_lock lock(mailbox->mutex);
      // A signal handler cannot notify: look for Ctrl-C 20 times a second.
      mailbox->arrived.wait_for(lock, std::chrono::milliseconds(50), [&] { return !mailbox->events.empty(); });
      events.swap(mailbox->events);
    }
    if (take_interrupt()) engine.cancel(id);
    for (engine::TokenEvent& event : events) {
      if (event.kind == Kind::kText) add_event(answer, event);
      on_event(event);
      if (event.kind != Kind::kFinished) continue;
      if (event.error) return *event.error;
      answer.finished = std::move(event);
      return answer;
    }
  }
}

}  // namespace tandem::node
