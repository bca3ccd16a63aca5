// StopMatcher: finds stop strings in streamed text, also across the borders of tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::engine {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Text that is now certain not to be part of a stop string; a suffix that may be the start of one is held back. After a
  // match, the text before it, and match() is set: the earliest in the text wins, then the longest.
  std::string push(std::string_view text);
  // At the end without a match: what was held back.
  std::string flush();

  bool has_matched() const { return !match_.empty(); }
  const std::string& match() const { return match_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  std::string match_;
};

}  // namespace tandem::engine
