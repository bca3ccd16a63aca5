#include "engine/output_stream.h"

namespace tandem::engine {

using Channel = TokenEvent::Channel;

OutputStream::OutputStream(const Tokenizer& tokenizer, const SamplingParams& params, bool split_reasoning, bool starts_inside)
    : tokenizer_(tokenizer),
      wants_logprobs_(params.logprobs.has_value()),
      detokenizer_(tokenizer, /*skip_special=*/true),
      stops_(params.stop) {
  if (split_reasoning) splitter_.emplace(starts_inside);
  if (split_reasoning && starts_inside) channel_ = Channel::kReasoning;
}

TokenLogprob OutputStream::logprob(std::int32_t token_id, float value) const {
  return {token_id, std::string(tokenizer_.token_bytes(token_id)), value};
}

std::vector<TokenEvent> OutputStream::push(const Sample& sample, bool is_visible) {
  std::vector<TokenEvent> events;
  if (is_visible) add_text(detokenizer_.push(sample.token_id), events);
  if (events.empty()) {
    events.emplace_back();
    events.back().channel = channel_;
  }
  TokenEvent& first = events.front();
  first.token_ids.push_back(sample.token_id);
  if (wants_logprobs_) {
    PositionLogprobs position;
    position.chosen = logprob(sample.token_id, sample.logprob);
    for (const SampledLogprob& entry : sample.top) position.top.push_back(logprob(entry.token_id, entry.logprob));
    first.logprobs.push_back(std::move(position));
  }
  return events;
}

std::vector<TokenEvent> OutputStream::finish() {
  std::vector<TokenEvent> events;
  if (!stops_.has_matched()) add_text(detokenizer_.flush(), events);
  // A stop string cannot begin in what follows, so what was held back for one is text.
  const std::string rest = stops_.has_matched() ? std::string() : stops_.flush();
  if (splitter_) {
    if (!rest.empty()) add_pieces(splitter_->push(rest), events);
    add_pieces(splitter_->flush(), events);
  } else if (!rest.empty()) {
    add_pieces({{false, rest}}, events);
  }
  return events;
}

void OutputStream::add_text(std::string_view text, std::vector<TokenEvent>& events) {
  std::string certain = stops_.push(text);
  if (certain.empty()) return;
  add_pieces(splitter_ ? splitter_->push(certain) : std::vector<ReasoningSplitter::Piece>{{false, std::move(certain)}}, events);
}

void OutputStream::add_pieces(std::vector<ReasoningSplitter::Piece> pieces, std::vector<TokenEvent>& events) {
  for (ReasoningSplitter::Piece& piece : pieces) {
    if (piece.text.empty()) continue;
    channel_ = piece.is_reasoning ? Channel::kReasoning : Channel::kContent;
    TokenEvent event;
    event.kind = TokenEvent::Kind::kText;
    event.channel = channel_;
    event.text = std::move(piece.text);
    events.push_back(std::move(event));
  }
}

}  // namespace tandem::engine
