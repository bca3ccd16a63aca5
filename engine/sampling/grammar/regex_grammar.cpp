#include "engine/sampling/grammar/regex_grammar.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tandem::engine {
namespace {

constexpr std::uint32_t kMaxCodePoint = 0x10FFFF;
constexpr std::int64_t kMaxCount = 1000;
constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxRules = 200000;

const CodePointRanges kDigit{{'0', '9'}};
const CodePointRanges kWord{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CodePointRanges kSpace{{9, 13},          {32, 32},         {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                             {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const CodePointRanges kLineEnds{{10, 10}, {13, 13}, {0x2028, 0x2029}};

class RegexParser {
 public:
  RegexParser(GrammarBuilder& builder, std::string_view pattern, const CharacterWriter& write)
      : builder_(builder), text_(pattern), write_(write) {}

  Result<GrammarSequence> parse() {
    auto sequence = alternatives(0, true);
    if (!sequence) return sequence;
    if (pos_ != text_.size()) return bad("has a ')' without '('");
    return sequence;
  }

 private:
  Error bad(const std::string& what) const {
    return {ErrorCode::kInvalidArgument,
            "pattern \"" + std::string(text_.substr(0, 200)) + "\" " + what + " (at byte " + std::to_string(pos_) + ")"};
  }
  Error unsupported(const std::string& what) const {
    return {ErrorCode::kUnsupported, "pattern \"" + std::string(text_.substr(0, 200)) + "\" uses " + what +
                                         ", which cannot be kept to exactly here (at byte " + std::to_string(pos_) + ")"};
  }
  bool at(char c) const { return pos_ < text_.size() && text_[pos_] == c; }
  bool eat(char c) {
    if (!at(c)) return false;
    ++pos_;
    return true;
  }
  GrammarSequence anything() { return builder_.repeat(write_(builder_, {{0, kMaxCodePoint}}), 0, -1); }

  Result<GrammarSequence> alternatives(int depth, bool is_top) {
    if (depth > kMaxDepth) return bad("is nested too deeply");
    std::vector<GrammarSequence> all;
    do {
      all.push_back(TANDEM_TRY(branch(depth, is_top)));
    } while (eat('|'));
    return builder_.any_of(std::move(all));
  }

  // At the top an alternative without anchors may stand anywhere in the string.
  Result<GrammarSequence> branch(int depth, bool is_top) {
    GrammarSequence sequence;
    const bool starts = is_top && eat('^');
    bool ends = false;
    if (is_top && !starts) sequence = anything();
    while (pos_ < text_.size() && !at('|') && !at(')')) {
      if (at('$')) {
        ++pos_;
        if (!is_top || (pos_ < text_.size() && !at('|'))) return unsupported("'$' before the end");
        ends = true;
        break;
      }
      if (at('^')) return unsupported("'^' after the start");
      append(sequence, TANDEM_TRY(quantified(depth)));
      if (builder_.num_rules() > kMaxRules) return bad("is too large when written out");
    }
    if (is_top && !ends) append(sequence, anything());
    return sequence;
  }

  Result<GrammarSequence> quantified(int depth) {
    const GrammarSequence item = TANDEM_TRY(atom(depth));
    std::int64_t min = 1;
    std::int64_t max = 1;
    if (eat('*')) {
      min = 0, max = -1;
    } else if (eat('+')) {
      max = -1;
    } else if (eat('?')) {
      min = 0;
    } else if (at('{')) {
      ++pos_;
      min = TANDEM_TRY(count());
      max = min;
      if (eat(',')) max = at('}') ? -1 : TANDEM_TRY(count());
      if (!eat('}')) return bad("has a broken {n,m}");
      if (max >= 0 && max < min) return bad("has a {n,m} with m below n");
    } else {
      return item;
    }
    eat('?');  // lazy: another preference, the same strings
    if (at('*') || at('+') || at('?') || at('{')) return bad("has two quantifiers in a row");
    return builder_.repeat(item, min, max);
  }

  Result<std::int64_t> count() {
    std::int64_t value = 0;
    const std::size_t start = pos_;
    for (; pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9'; ++pos_) {
      value = value * 10 + (text_[pos_] - '0');
      if (value > kMaxCount) return unsupported("a count above " + std::to_string(kMaxCount));
    }
    if (pos_ == start) return bad("has a broken {n,m}");
    return value;
  }

  Result<GrammarSequence> atom(int depth) {
    if (eat('(')) {
      if (eat('?')) {
        if (eat(':')) {
        } else if (at('<') && pos_ + 1 < text_.size() && text_[pos_ + 1] != '=' && text_[pos_ + 1] != '!') {
          while (pos_ < text_.size() && !at('>')) ++pos_;  // a named group is a group
          if (!eat('>')) return bad("has a group name without '>'");
        } else {
          return unsupported("look-around");
        }
      }
      auto inner = TANDEM_TRY(alternatives(depth + 1, false));
      if (!eat(')')) return bad("has a '(' without ')'");
      return inner;
    }
    if (at('[')) return write_(builder_, TANDEM_TRY(character_class()));
    if (eat('.')) return write_(builder_, complement(kLineEnds));
    if (at('*') || at('+') || at('?') || at('{')) return bad("has a quantifier with nothing before it");
    if (at('\\')) return write_(builder_, TANDEM_TRY(escape(false)));
    const std::uint32_t c = TANDEM_TRY(code_point());
    return write_(builder_, {{c, c}});
  }

  Result<CodePointRanges> character_class() {
    ++pos_;
    const bool negated = eat('^');
    CodePointRanges ranges;
    while (!at(']')) {
      if (pos_ >= text_.size()) return bad("has a '[' without ']'");
      const CodePointRanges first = TANDEM_TRY(class_item());
      const bool is_range = at('-') && pos_ + 1 < text_.size() && text_[pos_ + 1] != ']';
      if (!is_range) {
        ranges.insert(ranges.end(), first.begin(), first.end());
        continue;
      }
      ++pos_;
      const CodePointRanges last = TANDEM_TRY(class_item());
      const bool both_single =
          first.size() == 1 && last.size() == 1 && first[0].first == first[0].second && last[0].first == last[0].second;
      if (!both_single || last[0].first < first[0].first) return bad("has a broken range in a class");
      ranges.emplace_back(first[0].first, last[0].first);
    }
    ++pos_;
    ranges = normalised(std::move(ranges));
    return negated ? complement(std::move(ranges)) : ranges;
  }

  Result<CodePointRanges> class_item() {
    if (at('\\')) return escape(true);
    const std::uint32_t c = TANDEM_TRY(code_point());
    return CodePointRanges{{c, c}};
  }

  Result<CodePointRanges> escape(bool in_class) {
    ++pos_;
    if (pos_ >= text_.size()) return bad("ends in a backslash");
    const char c = text_[pos_++];
    const auto single = [](std::uint32_t value) { return CodePointRanges{{value, value}}; };
    switch (c) {
      case 'd': return kDigit;
      case 'D': return complement(kDigit);
      case 'w': return kWord;
      case 'W': return complement(kWord);
      case 's': return kSpace;
      case 'S': return complement(kSpace);
      case 'n': return single('\n');
      case 'r': return single('\r');
      case 't': return single('\t');
      case 'f': return single('\f');
      case 'v': return single('\v');
      case '0': return single(0);
      case 'x': return single(TANDEM_TRY(hex(2)));
      case 'u': {
        if (!at('{')) return single(TANDEM_TRY(hex(4)));
        ++pos_;
        const std::uint32_t value = TANDEM_TRY(hex(0));
        if (!eat('}')) return bad("has a broken \\u{…}");
        return single(value);
      }
      case 'b':
        if (in_class) return single(8);
        return unsupported("\\b");
      case 'B': return unsupported("\\B");
      case 'p':
      case 'P': return unsupported("a Unicode property escape");
      case 'k': return unsupported("a back reference");
      default: break;
    }
    if (c >= '1' && c <= '9') return unsupported("a back reference");
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return bad(std::string("has the unknown escape \\") + c);
    --pos_;
    return single(TANDEM_TRY(code_point()));
  }

  // `digits` hexadecimal digits, or as many as there are up to 6 for 0.
  Result<std::uint32_t> hex(int digits) {
    std::uint32_t value = 0;
    int n = 0;
    for (; pos_ < text_.size() && n < (digits == 0 ? 6 : digits); ++n, ++pos_) {
      const char c = text_[pos_];
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<std::uint32_t>(c - '0');
      } else if ((c | 32) >= 'a' && (c | 32) <= 'f') {
        value = value * 16 + static_cast<std::uint32_t>((c | 32) - 'a' + 10);
      } else {
        break;
      }
    }
    if (n == 0 || (digits > 0 && n != digits) || value > kMaxCodePoint) return bad("has a broken hexadecimal escape");
    return value;
  }

  Result<std::uint32_t> code_point() {
    const auto lead = static_cast<unsigned char>(text_[pos_]);
    const int size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (pos_ + static_cast<std::size_t>(size) > text_.size()) return bad("is not UTF-8");
    std::uint32_t value = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (int i = 1; i < size; ++i)
      value = (value << 6) | (static_cast<unsigned char>(text_[pos_ + static_cast<std::size_t>(i)]) & 63U);
    pos_ += static_cast<std::size_t>(size);
    return value;
  }

  GrammarBuilder& builder_;
  std::string_view text_;
  const CharacterWriter& write_;
  std::size_t pos_ = 0;
};

}  // namespace

CodePointRanges normalised(CodePointRanges ranges) {
  std::sort(ranges.begin(), ranges.end());
  CodePointRanges merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

CodePointRanges complement(CodePointRanges ranges) {
  CodePointRanges result;
  std::uint32_t next = 0;
  for (const auto& [first, last] : normalised(std::move(ranges))) {
    if (first > next) result.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kMaxCodePoint) result.emplace_back(next, kMaxCodePoint);
  return result;
}

Result<GrammarSequence> regex_grammar(GrammarBuilder& builder, std::string_view pattern, const CharacterWriter& write) {
  return RegexParser(builder, pattern, write).parse();
}

}  // namespace tandem::engine
