#include "engine/sampling/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace tandem::engine {

std::string StopMatcher::push(std::string_view text) {
  if (has_matched()) return {};
  held_ += text;
  if (stops_.empty()) return std::exchange(held_, {});

  std::size_t first = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t at = held_.find(stop);
    if (at == std::string::npos) continue;
    if (at < first || (at == first && stop.size() > match_.size())) {
      first = at;
      match_ = stop;
    }
  }
  if (first != std::string::npos) {
    std::string before = held_.substr(0, first);
    held_.clear();
    return before;
  }

  // The longest suffix that some stop string starts with. What is held is always shorter than the longest stop string.
  std::size_t keep = 0;
  for (const std::string& stop : stops_) {
    for (std::size_t length = std::min(stop.size() - 1, held_.size()); length > keep; --length) {
      if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, length))) {
        keep = length;
        break;
      }
    }
  }
  std::string certain = held_.substr(0, held_.size() - keep);
  held_.erase(0, held_.size() - keep);
  return certain;
}

std::string StopMatcher::flush() {
  return std::exchange(held_, {});
}

}  // namespace tandem::engine
