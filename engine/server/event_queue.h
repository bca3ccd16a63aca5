// EventQueue: carries token events of one HTTP request from the engine thread to the thread that answers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/engine.h"

namespace tandem::engine::server {

// Never blocks the engine: a slow client's events wait here, at most as many as its answer has tokens.
class EventQueue {
 public:
  struct Item {
    std::size_t choice_idx = 0;
    TokenEvent event;
  };

  void push(std::size_t choice_idx, const TokenEvent& event) {
    {
      const std::scoped_lock lock(mutex_);
      items_.push_back({choice_idx, event});
    }
    ready_.notify_one();
  }

  std::optional<Item> pop(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!ready_.wait_for(lock, timeout, [&] { return !items_.empty(); })) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Item> items_;  // guarded by mutex_
};

}  // namespace tandem::engine::server
