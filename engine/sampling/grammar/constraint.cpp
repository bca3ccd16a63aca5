#include "engine/sampling/grammar/constraint.h"

#include "base/check.h"

namespace tandem::engine {

Constraint::Constraint(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> trie)
    : matcher_(std::move(grammar)), trie_(std::move(trie)), state_(matcher_.start()) {}

const TokenMask& Constraint::allowed() {
  constexpr std::size_t kMaxMasks = 16;
  for (auto it = masks_.begin(); it != masks_.end(); ++it) {
    if (it->first == state_) {
      masks_.splice(masks_.begin(), masks_, it);
      return masks_.front().second;
    }
  }
  TokenMask mask(trie_->num_tokens());
  trie_->allowed_tokens(matcher_, state_, mask);
  masks_.emplace_front(state_, std::move(mask));
  if (masks_.size() > kMaxMasks) masks_.pop_back();
  return masks_.front().second;
}

void Constraint::advance(std::string_view token_bytes) {
  state_ = matcher_.next(state_, token_bytes);
  CHECK(state_ != GrammarMatcher::kDead, "a token outside its mask was chosen");
}

}  // namespace tandem::engine
