// Constraint: keeps one sequence inside a grammar, token by token.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/result.h"
#include "engine/sampling/grammar/grammar.h"
#include "engine/sampling/grammar/grammar_matcher.h"
#include "engine/sampling/grammar/token_trie.h"

namespace tandem::engine {

// One per sequence. Not thread-safe.
class Constraint {
 public:
  Constraint(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> trie);

  // The tokens that may come next. When is_complete(), the caller also allows its end-of-generation tokens; when the mask is
  // empty, only those.
  const TokenMask& allowed();
  bool is_complete() const { return matcher_.is_accepting(state_); }
  // Takes a chosen token's text in; it must have been allowed.
  void advance(std::string_view token_bytes);

 private:
  GrammarMatcher matcher_;
  std::shared_ptr<const TokenTrie> trie_;
  GrammarMatcher::State state_;
  // Masks of states seen lately: inside a string the state repeats from token to token.
  std::list<std::pair<GrammarMatcher::State, TokenMask>> masks_;
};

}  // namespace tandem::engine
