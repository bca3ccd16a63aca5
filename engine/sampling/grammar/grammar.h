// Grammar: a context-free language over bytes, and the pieces it is built from. What constrained decoding is compiled to.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem::engine {

using ByteSet = std::bitset<256>;
using RuleId = std::int32_t;

// One symbol: a byte out of a set, or a rule.
struct GrammarSymbol {
  enum class Kind : std::uint8_t { kBytes, kRule };
  Kind kind = Kind::kBytes;
  std::int32_t index = 0;  // into Grammar::byte_sets or Grammar::rules
};
using GrammarSequence = std::vector<GrammarSymbol>;

struct Grammar {
  std::vector<ByteSet> byte_sets;
  std::vector<std::vector<GrammarSequence>> rules;  // [rule][alternative]
  RuleId root = 0;
};

// Builds a grammar. Pieces are sequences; one can be used in several places.
class GrammarBuilder {
 public:
  RuleId new_rule();
  void add_alternative(RuleId rule, GrammarSequence sequence);

  GrammarSymbol bytes(const ByteSet& set);
  static GrammarSymbol rule(RuleId id) { return {GrammarSymbol::Kind::kRule, id}; }
  GrammarSequence literal(std::string_view text);
  GrammarSequence one_of(std::string_view characters);  // one byte
  // A Unicode character in [first, last], as UTF-8; surrogates are left out.
  GrammarSequence code_points(std::uint32_t first, std::uint32_t last);

  // Any of the alternatives, as one symbol.
  GrammarSequence any_of(std::vector<GrammarSequence> alternatives);
  GrammarSequence optional(GrammarSequence sequence);
  // `min` to `max` times; max < 0: without end.
  GrammarSequence repeat(const GrammarSequence& sequence, std::int64_t min, std::int64_t max);

  // Takes the grammar out. Alternatives that can never end are dropped; false when nothing at all can be derived from `root`.
  bool finish(RuleId root, Grammar& grammar);
  std::size_t num_rules() const { return grammar_.rules.size(); }

 private:
  Grammar grammar_;
};

void append(GrammarSequence& to, const GrammarSequence& from);
GrammarSequence concat(std::initializer_list<GrammarSequence> parts);

}  // namespace tandem::engine
