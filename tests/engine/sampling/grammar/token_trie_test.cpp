#include "engine/sampling/grammar/token_trie.h"

#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

TEST(TokenTrie, MaskIsWhatTryingEveryTokenGives) {
  GrammarBuilder b;
  const RuleId root = b.new_rule();
  b.add_alternative(root, concat({b.literal("{"), b.repeat(b.one_of("ab"), 1, 3), b.literal("}")}));
  auto grammar = std::make_shared<Grammar>();
  ASSERT_TRUE(b.finish(root, *grammar));
  const std::string_view texts[] = {"{",  "{a", "{ab}", "{ab}x", "a",    "ab", "abab", "}",
                                    "b}", "",   "{}",   "aa",    "bbb}", "x",  "{a"};
  const TokenTrie trie(texts);
  GrammarMatcher matcher(grammar);
  for (const char* read : {"", "{", "{a", "{ab", "{aba", "{a}"}) {
    const auto state = matcher.next(matcher.start(), read);
    ASSERT_NE(state, GrammarMatcher::kDead);
    TokenMask mask(trie.num_tokens());
    trie.allowed_tokens(matcher, state, mask);
    for (std::size_t id = 0; id < std::size(texts); ++id) {
      const bool expected = !texts[id].empty() && matcher.next(state, texts[id]) != GrammarMatcher::kDead;
      EXPECT_EQ(mask.test(static_cast<std::int32_t>(id)), expected) << "after \"" << read << "\": \"" << texts[id] << "\"";
    }
  }
}

}  // namespace
}  // namespace tandem::engine
