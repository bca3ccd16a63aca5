#include "engine/chat/reasoning_splitter.h"

#include <algorithm>

namespace tandem::engine {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kToolCall = "<tool_call>";
constexpr std::string_view kWhiteSpace = " \t\r\n";

// Length of the longest suffix of `text` that is a proper prefix of `marker`.
std::size_t partial_marker(std::string_view text, std::string_view marker) {
  for (std::size_t length = std::min(text.size(), marker.size() - 1); length > 0; --length) {
    if (text.ends_with(marker.substr(0, length))) return length;
  }
  return 0;
}

std::size_t find_at_line_start(std::string_view text, std::string_view marker, bool starts_line) {
  for (std::size_t place = text.find(marker); place != std::string_view::npos; place = text.find(marker, place + 1)) {
    if (place == 0 ? starts_line : text[place - 1] == '\n') return place;
  }
  return std::string_view::npos;
}

}  // namespace

ReasoningSplitter::ReasoningSplitter(bool starts_inside)
    : state_(starts_inside ? State::kInside : State::kBefore), skip_newlines_(starts_inside) {}

std::vector<ReasoningSplitter::Piece> ReasoningSplitter::push(std::string_view text) {
  std::vector<Piece> pieces;
  held_ += text;
  while (advance(pieces)) {
  }
  return pieces;
}

std::vector<ReasoningSplitter::Piece> ReasoningSplitter::flush() {
  std::vector<Piece> pieces;
  while (state_ == State::kInside && held_.ends_with('\n')) held_.pop_back();
  emit(pieces, state_ == State::kInside, held_);
  held_.clear();
  return pieces;
}

void ReasoningSplitter::emit(std::vector<Piece>& pieces, bool is_reasoning, std::string_view text) {
  if (text.empty()) return;
  at_line_start_ = text.back() == '\n';
  pieces.push_back({is_reasoning, std::string(text)});
}

// One step on held_; false when more text is needed.
bool ReasoningSplitter::advance(std::vector<Piece>& pieces) {
  if (skip_newlines_) {
    held_.erase(0, std::min(held_.find_first_not_of('\n'), held_.size()));
    if (held_.empty()) return false;
    skip_newlines_ = false;
  }
  switch (state_) {
    case State::kBefore: return leave_before();
    case State::kInside: return leave_inside(pieces);
    case State::kAfter:
      emit(pieces, false, held_);
      held_.clear();
      return false;
  }
  return false;
}

bool ReasoningSplitter::leave_before() {
  const std::size_t start = std::min(held_.find_first_not_of(kWhiteSpace), held_.size());
  const std::string_view rest = std::string_view(held_).substr(start);
  if (rest.starts_with(kOpen)) {
    held_.erase(0, start + kOpen.size());
    state_ = State::kInside;
    skip_newlines_ = true;
    return true;
  }
  if (kOpen.starts_with(rest)) return false;  // also when nothing but white space has come
  state_ = State::kAfter;
  return true;
}

bool ReasoningSplitter::leave_inside(std::vector<Piece>& pieces) {
  const std::size_t close = held_.find(kClose);
  const std::size_t tool_call = find_at_line_start(held_, kToolCall, at_line_start_);
  const std::size_t end = std::min(close, tool_call);
  if (end != std::string::npos) {
    std::string_view reasoning = std::string_view(held_).substr(0, end);
    while (reasoning.ends_with('\n')) reasoning.remove_suffix(1);
    emit(pieces, true, reasoning);
    held_.erase(0, end == close ? end + kClose.size() : end);
    state_ = State::kAfter;
    skip_newlines_ = true;
    return true;
  }
  std::size_t keep = std::max(partial_marker(held_, kClose), partial_marker(held_, kToolCall));
  while (keep < held_.size() && held_[held_.size() - keep - 1] == '\n') ++keep;
  emit(pieces, true, std::string_view(held_).substr(0, held_.size() - keep));
  held_.erase(0, held_.size() - keep);
  return false;
}

bool prompt_opens_reasoning(std::string_view rendered_prompt) {
  const std::size_t last = rendered_prompt.find_last_not_of(kWhiteSpace);
  return last != std::string_view::npos && rendered_prompt.substr(0, last + 1).ends_with(kOpen);
}

}  // namespace tandem::engine
