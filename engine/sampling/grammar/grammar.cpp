#include "engine/sampling/grammar/grammar.h"

#include <algorithm>
#include <array>

namespace tandem::engine {
namespace {

struct Utf8 {
  std::array<std::uint8_t, 4> bytes{};
  int size = 0;
};

Utf8 encode(std::uint32_t c) {
  const auto b = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  if (c < 0x80) return {{b(c)}, 1};
  if (c < 0x800) return {{b(0xC0 | (c >> 6)), b(0x80 | (c & 63))}, 2};
  if (c < 0x10000) return {{b(0xE0 | (c >> 12)), b(0x80 | ((c >> 6) & 63)), b(0x80 | (c & 63))}, 3};
  return {{b(0xF0 | (c >> 18)), b(0x80 | ((c >> 12) & 63)), b(0x80 | ((c >> 6) & 63)), b(0x80 | (c & 63))}, 4};
}

ByteSet byte_range(std::uint8_t first, std::uint8_t last) {
  ByteSet set;
  for (int b = first; b <= last; ++b) set.set(static_cast<std::size_t>(b));
  return set;
}

// Splits [first, last], both of one encoded length, into products of byte ranges: the usual construction (as in RE2's UTF-8
// compiler), which cuts where the trailing bytes do not span their whole range.
void split_utf8_range(std::uint32_t first, std::uint32_t last, std::vector<std::vector<ByteSet>>& out) {
  const int size = encode(first).size;
  for (int i = 1; i < size; ++i) {
    const std::uint32_t mask = (1U << (6 * i)) - 1;
    if ((first & ~mask) == (last & ~mask)) continue;
    if ((first & mask) != 0) {
      split_utf8_range(first, first | mask, out);
      split_utf8_range((first | mask) + 1, last, out);
      return;
    }
    if ((last & mask) != mask) {
      split_utf8_range(first, (last & ~mask) - 1, out);
      split_utf8_range(last & ~mask, last, out);
      return;
    }
  }
  const Utf8 low = encode(first);
  const Utf8 high = encode(last);
  std::vector<ByteSet> product;
  for (int i = 0; i < size; ++i)
    product.push_back(byte_range(low.bytes[static_cast<std::size_t>(i)], high.bytes[static_cast<std::size_t>(i)]));
  out.push_back(std::move(product));
}

}  // namespace

void append(GrammarSequence& to, const GrammarSequence& from) {
  to.insert(to.end(), from.begin(), from.end());
}

GrammarSequence concat(std::initializer_list<GrammarSequence> parts) {
  GrammarSequence result;
  for (const GrammarSequence& part : parts) append(result, part);
  return result;
}

RuleId GrammarBuilder::new_rule() {
  grammar_.rules.emplace_back();
  return static_cast<RuleId>(grammar_.rules.size() - 1);
}

void GrammarBuilder::add_alternative(RuleId rule, GrammarSequence sequence) {
  grammar_.rules[static_cast<std::size_t>(rule)].push_back(std::move(sequence));
}

GrammarSymbol GrammarBuilder::bytes(const ByteSet& set) {
  const auto found = std::find(grammar_.byte_sets.begin(), grammar_.byte_sets.end(), set);
  const auto index = found - grammar_.byte_sets.begin();
  if (found == grammar_.byte_sets.end()) grammar_.byte_sets.push_back(set);
  return {GrammarSymbol::Kind::kBytes, static_cast<std::int32_t>(index)};
}

GrammarSequence GrammarBuilder::literal(std::string_view text) {
  GrammarSequence sequence;
  for (const char c : text) {
    ByteSet set;
    set.set(static_cast<unsigned char>(c));
    sequence.push_back(bytes(set));
  }
  return sequence;
}

GrammarSequence GrammarBuilder::one_of(std::string_view characters) {
  ByteSet set;
  for (const char c : characters) set.set(static_cast<unsigned char>(c));
  return {bytes(set)};
}

GrammarSequence GrammarBuilder::code_points(std::uint32_t first, std::uint32_t last) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kLengths{
      {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, 0x10FFFF}}};
  std::vector<std::vector<ByteSet>> products;
  for (const auto& [low, high] : kLengths) {
    const std::uint32_t a = std::max(first, low);
    const std::uint32_t b = std::min(last, high);
    if (a <= b) split_utf8_range(a, b, products);
  }
  std::vector<GrammarSequence> alternatives;
  for (const auto& product : products) {
    GrammarSequence sequence;
    for (const ByteSet& set : product) sequence.push_back(bytes(set));
    alternatives.push_back(std::move(sequence));
  }
  return any_of(std::move(alternatives));
}

GrammarSequence GrammarBuilder::any_of(std::vector<GrammarSequence> alternatives) {
  if (alternatives.size() == 1) return std::move(alternatives.front());
  const RuleId id = new_rule();
  for (GrammarSequence& alternative : alternatives) add_alternative(id, std::move(alternative));
  return {rule(id)};
}

GrammarSequence GrammarBuilder::optional(GrammarSequence sequence) {
  return any_of({std::move(sequence), {}});
}

GrammarSequence GrammarBuilder::repeat(const GrammarSequence& sequence, std::int64_t min, std::int64_t max) {
  GrammarSequence result;
  for (std::int64_t i = 0; i < min; ++i) append(result, sequence);
  if (max < 0) {
    const RuleId more = new_rule();
    GrammarSequence again = sequence;
    again.push_back(rule(more));
    add_alternative(more, std::move(again));
    add_alternative(more, {});
    result.push_back(rule(more));
    return result;
  }
  // x{0,n} = (x x{0,n-1})?, so that each place has one way on.
  GrammarSequence tail;
  for (std::int64_t i = min; i < max; ++i) {
    GrammarSequence longer = sequence;
    append(longer, tail);
    tail = optional(std::move(longer));
  }
  append(result, tail);
  return result;
}

bool GrammarBuilder::finish(RuleId root, Grammar& grammar) {
  auto& rules = grammar_.rules;
  std::vector<bool> productive(rules.size(), false);
  const auto can_end = [&](const GrammarSequence& sequence) {
    return std::all_of(sequence.begin(), sequence.end(), [&](const GrammarSymbol& symbol) {
      return symbol.kind == GrammarSymbol::Kind::kBytes ? grammar_.byte_sets[static_cast<std::size_t>(symbol.index)].any()
                                                        : productive[static_cast<std::size_t>(symbol.index)];
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = rules.size(); i-- > 0;) {
      if (!productive[i] && std::any_of(rules[i].begin(), rules[i].end(), can_end)) productive[i] = changed = true;
    }
  }
  for (auto& alternatives : rules)
    std::erase_if(alternatives, [&](const GrammarSequence& sequence) { return !can_end(sequence); });
  grammar_.root = root;
  grammar = std::move(grammar_);
  grammar_ = {};
  return productive[static_cast<std::size_t>(root)];
}

}  // namespace tandem::engine
