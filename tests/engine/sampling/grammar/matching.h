// Whether a grammar holds a text, for tests.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "engine/sampling/grammar/grammar_matcher.h"

namespace tandem::testing {

inline bool holds(const std::shared_ptr<const engine::Grammar>& grammar, std::string_view text) {
  engine::GrammarMatcher matcher(grammar);
  const auto state = matcher.next(matcher.start(), text);
  return state != engine::GrammarMatcher::kDead && matcher.is_accepting(state);
}

// A random word: any allowed byte at each place, ending where the grammar lets it, soon after `soft_limit` bytes.
inline std::string random_word(const std::shared_ptr<const engine::Grammar>& grammar, std::mt19937_64& random,
                               std::size_t soft_limit) {
  engine::GrammarMatcher matcher(grammar);
  auto state = matcher.start();
  std::string word;
  while (word.size() < soft_limit * 50) {
    const auto allowed = matcher.allowed(state);
    if (matcher.is_accepting(state) && (allowed.none() || random() % 4 == 0 || word.size() > soft_limit)) return word;
    std::string choices;
    for (int b = 0; b < 256; ++b) {
      if (allowed.test(static_cast<std::size_t>(b))) choices.push_back(static_cast<char>(b));
    }
    // Past the soft limit closing characters are preferred, so that recursion ends.
    if (word.size() > soft_limit) {
      for (const char closing : {'"', ']', '}'}) {
        if (choices.find(closing) == std::string::npos) continue;
        choices = std::string(1, closing);
        break;
      }
    }
    const char c = choices[random() % choices.size()];
    state = matcher.next(state, static_cast<std::uint8_t>(c));
    word.push_back(c);
  }
  return word;
}

}  // namespace tandem::testing
