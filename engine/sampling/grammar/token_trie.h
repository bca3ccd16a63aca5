// TokenTrie: the texts of a vocabulary as a tree of bytes, to find every token a grammar allows in one walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampling/grammar/grammar_matcher.h"
#include "engine/sampling/token_mask.h"

namespace tandem::engine {

class Tokenizer;

// Immutable; one per vocabulary, shared by all sequences.
class TokenTrie {
 public:
  // Control tokens and tokens without text are left out: no grammar can produce them.
  explicit TokenTrie(const Tokenizer& tokenizer);
  // For tests: ids are indices.
  explicit TokenTrie(std::span<const std::string_view> texts);

  // Sets the tokens whose whole text may follow.
  void allowed_tokens(GrammarMatcher& matcher, GrammarMatcher::State state, TokenMask& mask) const;
  std::size_t num_tokens() const { return num_tokens_; }

 private:
  // Nodes in depth-first order; a node's subtree is [i + 1, i + skip).
  struct Node {
    std::uint32_t skip = 1;
    std::int32_t first_token = -1, num_tokens = 0;  // into tokens_
    std::uint16_t depth = 0;
    std::uint8_t byte = 0;
  };
  void build(std::vector<std::pair<std::string_view, std::int32_t>> texts);

  std::vector<Node> nodes_;
  std::vector<std::int32_t> tokens_;
  std::size_t num_tokens_ = 0;
};

}  // namespace tandem::engine
