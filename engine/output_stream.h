// OutputStream: turns the sampled tokens of one request into text events: detokenised to whole code points, cut at stop
// strings, divided into reasoning and content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/chat/reasoning_splitter.h"
#include "engine/engine.h"
#include "engine/sampling/sampler.h"
#include "engine/sampling/stop_matcher.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {

class OutputStream {
 public:
  // `split_reasoning`: text inside <think> goes to its own channel; `starts_inside`: the prompt has opened it.
  OutputStream(const Tokenizer& tokenizer, const SamplingParams& params, bool split_reasoning, bool starts_inside);

  // Events for one more token, in order; the first carries its id and log probabilities, the text may be empty. `is_visible`
  // is false for the token that ends generation: it has an id, but no text.
  std::vector<TokenEvent> push(const Sample& sample, bool is_visible);
  // At the end: what was held back. After a stop string matched, nothing of it.
  std::vector<TokenEvent> finish();

  // What comes next belongs to the reasoning.
  bool is_reasoning() const { return splitter_ && splitter_->is_inside(); }
  bool has_matched() const { return stops_.has_matched(); }
  const std::string& match() const { return stops_.match(); }

 private:
  void add_text(std::string_view text, std::vector<TokenEvent>& events);
  void add_pieces(std::vector<ReasoningSplitter::Piece> pieces, std::vector<TokenEvent>& events);
  TokenLogprob logprob(std::int32_t token_id, float value) const;

  const Tokenizer& tokenizer_;
  bool wants_logprobs_;
  IncrementalDetokenizer detokenizer_;
  StopMatcher stops_;
  std::optional<ReasoningSplitter> splitter_;
  TokenEvent::Channel channel_ = TokenEvent::Channel::kContent;  // of the last text
};

}  // namespace tandem::engine
