// ReasoningSplitter: divides streamed answer text into reasoning and content at <think> … </think>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::engine {

// Reasoning counts only at the start of an answer: a <think> further on is content, and so is everything behind the first
// </think>. New lines next to the markers belong to neither side. A "<tool_call>" at the start of a line inside the reasoning
// ends it as well, for some models call a tool without closing their thoughts. An answer that is cut before </think> is all
// reasoning. Not thread-safe; one per answer.
class ReasoningSplitter {
 public:
  struct Piece {
    bool is_reasoning = false;
    std::string text;  // never empty
  };
  // `starts_inside`: the rendered prompt ended with an open <think>.
  explicit ReasoningSplitter(bool starts_inside);
  // Pieces that are now certain; a suffix that may be the start of a marker, and new lines that may stand before one, are
  // held back. The pieces do not depend on how the text was divided, but for where they are cut.
  std::vector<Piece> push(std::string_view text);
  // What comes next is reasoning, as far as is certain.
  bool is_inside() const { return state_ == State::kInside; }
  // The rest, at the end of the answer.
  std::vector<Piece> flush();

 private:
  enum class State { kBefore, kInside, kAfter };
  bool advance(std::vector<Piece>& pieces);
  bool leave_before();
  bool leave_inside(std::vector<Piece>& pieces);
  void emit(std::vector<Piece>& pieces, bool is_reasoning, std::string_view text);

  State state_;
  std::string held_;
  bool skip_newlines_ = false;  // behind a marker, before the first other character
  bool at_line_start_ = true;   // of the reasoning emitted so far
};

// Whether text generated after this prompt starts inside a reasoning block.
bool prompt_opens_reasoning(std::string_view rendered_prompt);

}  // namespace tandem::engine
