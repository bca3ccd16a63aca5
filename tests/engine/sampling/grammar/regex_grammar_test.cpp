#include "engine/sampling/grammar/regex_grammar.h"

#include <gtest/gtest.h>
#include <regex>

#include "tests/engine/sampling/grammar/matching.h"

namespace tandem::engine {
namespace {

using tandem::testing::holds;
using tandem::testing::random_word;

GrammarSequence plain(GrammarBuilder& builder, const CodePointRanges& ranges) {
  std::vector<GrammarSequence> alternatives;
  for (const auto& [first, last] : ranges) alternatives.push_back(builder.code_points(first, last));
  return builder.any_of(std::move(alternatives));
}

std::shared_ptr<const Grammar> compiled(std::string_view pattern) {
  GrammarBuilder builder;
  const auto sequence = regex_grammar(builder, pattern, plain);
  EXPECT_TRUE(sequence) << pattern;
  if (!sequence) return nullptr;
  const RuleId root = builder.new_rule();
  builder.add_alternative(root, *sequence);
  auto grammar = std::make_shared<Grammar>();
  EXPECT_TRUE(builder.finish(root, *grammar)) << pattern;
  return grammar;
}

// std::regex's ECMAScript is the oracle on ASCII.
TEST(RegexGrammar, AgreesWithAnotherEngineOnShortStrings) {
  const char* patterns[] = {"^a+b?$",        "a",         "^(ab|c)*$", "^[a-c]{2,3}$", "^[^a]$",         "b$",    "^a",
                            "^(a|b)(c|d)?$", "^a{2}$",    "^a{2,}$",   "^\\d\\w$",     "^(a(b(c)?)?)?$", "ab|cd", "^ab|cd$",
                            "^a*?b$",        "^(?:ab)+$", "^[\\d-]+$", "^[]$|^a$"};
  const std::string alphabet = "abcd1-_";
  for (const char* pattern : patterns) {
    const auto grammar = compiled(pattern);
    const std::regex oracle(pattern);
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < words.size() && words[i].size() < 4; ++i) {
      for (const char c : alphabet) words.push_back(words[i] + c);
    }
    for (const std::string& word : words) {
      ASSERT_EQ(holds(grammar, word), std::regex_search(word, oracle)) << pattern << " on \"" << word << "\"";
    }
  }
}

TEST(RegexGrammar, ClassesReachBeyondAscii) {
  const auto grammar = compiled("^[\\u4e00-\\u9fa5]\\s[^\\x00-\\x7F]\\u{1F600}$");
  EXPECT_TRUE(holds(grammar, "\xE4\xBD\xA0\xE3\x80\x80\xC3\xA9\xF0\x9F\x98\x80"));
  EXPECT_FALSE(holds(grammar, "a\xE3\x80\x80\xC3\xA9\xF0\x9F\x98\x80"));
}

TEST(RegexGrammar, UnsupportedPartsAreNamed) {
  for (const auto& [pattern, part] : std::vector<std::pair<const char*, const char*>>{{"(?=a)b", "look-around"},
                                                                                      {"(?<!a)b", "look-around"},
                                                                                      {"(a)\\1", "back reference"},
                                                                                      {"\\bword", "\\b"},
                                                                                      {"\\p{L}", "property"},
                                                                                      {"a$b", "'$'"},
                                                                                      {"a{5000}", "count"}}) {
    GrammarBuilder builder;
    const auto result = regex_grammar(builder, pattern, plain);
    ASSERT_FALSE(result) << pattern;
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(result.error().detail.find(part), std::string::npos) << result.error().detail;
  }
}

TEST(RegexGrammar, SyntaxErrorsAreInvalid) {
  for (const char* pattern : {"(", ")", "[a", "*a", "a**", "a{2,1}", "a{,3}", "\\", "\\xZZ", "[z-a]", "\\u12", "(?<name"}) {
    GrammarBuilder builder;
    const auto result = regex_grammar(builder, pattern, plain);
    ASSERT_FALSE(result) << pattern;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << pattern;
  }
}

}  // namespace
}  // namespace tandem::engine
