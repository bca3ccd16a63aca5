// ReasoningSplitter: divides streamed answer text into reasoning and content at <think> … </think>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::engine {

class ReasoningSplitter {
 public:
  struct Piece {
    bool is_reasoning = false;
    std::string text;
  };
  // `starts_inside`: the rendered prompt ended with an open <think>.
  explicit ReasoningSplitter(bool starts_inside);
  // Pieces that are now certain; a suffix that may be the start of a marker is held back.
  std::vector<Piece> push(std::string_view text);
  std::vector<Piece> flush();

 private:
  enum class State { kBefore, kInside, kAfter };
  State state_;
  std::string held_;
  bool strip_newlines_ = false;
};

// Whether text generated after this prompt starts inside a reasoning block.
bool prompt_opens_reasoning(std::string_view rendered_prompt);

}  // namespace tandem::engine
