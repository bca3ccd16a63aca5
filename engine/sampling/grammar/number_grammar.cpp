#include "engine/sampling/grammar/number_grammar.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tandem::engine {
namespace {

// Fraction digits written without a bound: more than a double can tell apart, and an end to it.
constexpr std::int64_t kMaxFraction = 17;
constexpr std::int64_t kMaxWhole = 18;

// Magnitudes within [low, high], either absent for open, as digit automata. A sign is put before by the caller.
class MagnitudeGrammar {
 public:
  MagnitudeGrammar(GrammarBuilder& builder, bool integer) : builder_(builder), integer_(integer) {}

  GrammarSequence digits(std::int64_t min, std::int64_t max) {
    return builder_.repeat(builder_.one_of("0123456789"), min, max);
  }
  GrammarSequence digit_range(char first, char last) {
    std::string characters;
    for (int c = first; c <= last; ++c) characters.push_back(static_cast<char>(c));
    return builder_.one_of(characters);
  }

  GrammarSequence any_fraction() {
    if (integer_) return {};
    return builder_.optional(concat({builder_.literal("."), digits(1, kMaxFraction)}));
  }
  GrammarSequence any_whole() {
    return builder_.any_of({builder_.literal("0"), concat({digit_range('1', '9'), digits(0, kMaxWhole - 1)})});
  }

  // Whole part above `text` (a whole number), any fraction.
  void wholes_above(const std::string& text, std::vector<GrammarSequence>& out) {
    const auto size = static_cast<std::int64_t>(text.size());
    if (text == "0") {
      out.push_back(concat({digit_range('1', '9'), digits(0, kMaxWhole - 1), any_fraction()}));
      return;
    }
    // Longer numbers are larger.
    const std::int64_t more = std::max(size, kMaxWhole);
    out.push_back(concat({digit_range('1', '9'), digits(size, more), any_fraction()}));
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '9') continue;
      out.push_back(
          concat({builder_.literal(text.substr(0, i)), digit_range(static_cast<char>(text[i] + 1), '9'),
                  digits(size - 1 - static_cast<std::int64_t>(i), size - 1 - static_cast<std::int64_t>(i)), any_fraction()}));
    }
  }

  // Whole part below `text`, any fraction.
  void wholes_below(const std::string& text, std::vector<GrammarSequence>& out) {
    if (text == "0") return;
    const auto size = static_cast<std::int64_t>(text.size());
    if (size > 1) {
      out.push_back(concat({builder_.literal("0"), any_fraction()}));
      if (size > 1) out.push_back(concat({digit_range('1', '9'), digits(0, size - 2), any_fraction()}));
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char lowest = i == 0 && size > 1 ? '1' : '0';
      if (text[i] <= lowest) continue;
      out.push_back(
          concat({builder_.literal(text.substr(0, i)), digit_range(lowest, static_cast<char>(text[i] - 1)),
                  digits(size - 1 - static_cast<std::int64_t>(i), size - 1 - static_cast<std::int64_t>(i)), any_fraction()}));
    }
  }

  // What may follow the whole part `low.whole` so that the number is >= low (or > low).
  void fractions_from(const std::string& fraction, bool exclusive, std::vector<GrammarSequence>& out) {
    if (integer_) {
      if (fraction.empty() && !exclusive) out.push_back({});
      return;
    }
    const GrammarSequence point = builder_.literal(".");
    const auto room = [](std::size_t used) {
      return std::max<std::int64_t>(0, kMaxFraction - static_cast<std::int64_t>(used));
    };
    if (fraction.empty() && !exclusive) out.push_back({});
    // A larger digit at place i, then anything.
    for (std::size_t i = 0; i < fraction.size(); ++i) {
      if (fraction[i] == '9') continue;
      out.push_back(concat({point, builder_.literal(fraction.substr(0, i)),
                            digit_range(static_cast<char>(fraction[i] + 1), '9'), digits(0, room(i + 1))}));
    }
    // All its digits, then anything; something above zero when it must be larger.
    const GrammarSequence prefix = concat({point, builder_.literal(fraction)});
    if (exclusive) {
      out.push_back(concat({prefix, digits(0, room(fraction.size())), digit_range('1', '9'), digits(0, 4)}));
    } else if (fraction.empty()) {
      out.push_back(concat({prefix, digits(1, kMaxFraction)}));
    } else {
      out.push_back(concat({prefix, digits(0, room(fraction.size()))}));
    }
  }

  // What may follow `high.whole` so that the number is <= high (or < high).
  void fractions_to(const std::string& fraction, bool exclusive, std::vector<GrammarSequence>& out) {
    if (integer_) {
      if (!fraction.empty() || !exclusive) out.push_back({});
      return;
    }
    const GrammarSequence point = builder_.literal(".");
    const GrammarSequence zeros = builder_.repeat(builder_.literal("0"), 1, kMaxFraction);
    if (!fraction.empty() || !exclusive) {
      out.push_back({});
      out.push_back(concat({point, zeros}));
    }
    for (std::size_t i = 0; i < fraction.size(); ++i) {
      const GrammarSequence prefix = concat({point, builder_.literal(fraction.substr(0, i))});
      if (fraction[i] > '0') {
        out.push_back(concat({prefix, digit_range('0', static_cast<char>(fraction[i] - 1)), digits(0, 4)}));
      }
      // Stopping early leaves zeros: smaller than the bound, since its last digit is not 0.
      if (i > 0) out.push_back(prefix);
    }
    if (!fraction.empty() && !exclusive) {
      out.push_back(concat({point, builder_.literal(fraction), builder_.repeat(builder_.literal("0"), 0, 4)}));
    }
  }

  // Magnitudes in [low, high]; absent bounds are 0 and infinity.
  GrammarSequence range(const Decimal& low, bool low_exclusive, const std::optional<Decimal>& high, bool high_exclusive) {
    std::vector<GrammarSequence> out;
    if (!high) {
      wholes_above(low.whole, out);
      add_with_whole(low.whole, out, [&](auto& tails) { fractions_from(low.fraction, low_exclusive, tails); });
      return builder_.any_of(std::move(out));
    }
    const int order = compare(low.whole, high->whole);
    if (order > 0) return builder_.any_of({});
    if (order < 0) {
      between(low.whole, high->whole, out);
      add_with_whole(low.whole, out, [&](auto& tails) { fractions_from(low.fraction, low_exclusive, tails); });
      add_with_whole(high->whole, out, [&](auto& tails) { fractions_to(high->fraction, high_exclusive, tails); });
      return builder_.any_of(std::move(out));
    }
    fractions_between(low, low_exclusive, *high, high_exclusive, out);
    return builder_.any_of(std::move(out));
  }

 private:
  static int compare(const std::string& a, const std::string& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b) < 0 ? -1 : a.compare(b) > 0 ? 1 : 0;
  }

  template <class F>
  void add_with_whole(const std::string& whole, std::vector<GrammarSequence>& out, F&& fill) {
    std::vector<GrammarSequence> tails;
    fill(tails);
    if (!tails.empty()) out.push_back(concat({builder_.literal(whole), builder_.any_of(std::move(tails))}));
  }

  // Wholes strictly between two of them, any fraction.
  void between(const std::string& low, const std::string& high, std::vector<GrammarSequence>& out) {
    if (low.size() == high.size()) {
      same_size_between(low, high, out);
      return;
    }
    // Of low's length and above it, of lengths between, of high's length and below it.
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (low[i] == '9') continue;
      const auto rest = static_cast<std::int64_t>(low.size() - 1 - i);
      out.push_back(concat({builder_.literal(low.substr(0, i)), digit_range(static_cast<char>(low[i] + 1), '9'),
                            digits(rest, rest), any_fraction()}));
    }
    for (std::size_t size = low.size() + 1; size < high.size(); ++size) {
      const auto rest = static_cast<std::int64_t>(size - 1);
      out.push_back(concat({digit_range('1', '9'), digits(rest, rest), any_fraction()}));
    }
    for (std::size_t i = 0; i < high.size(); ++i) {
      const char lowest = i == 0 ? '1' : '0';
      if (high[i] <= lowest) continue;
      const auto rest = static_cast<std::int64_t>(high.size() - 1 - i);
      out.push_back(concat({builder_.literal(high.substr(0, i)), digit_range(lowest, static_cast<char>(high[i] - 1)),
                            digits(rest, rest), any_fraction()}));
    }
  }

  void same_size_between(const std::string& low, const std::string& high, std::vector<GrammarSequence>& out) {
    std::size_t same = 0;
    while (same < low.size() && low[same] == high[same]) ++same;
    if (same == low.size()) return;
    const std::string prefix = low.substr(0, same);
    const auto rest = static_cast<std::int64_t>(low.size() - 1 - same);
    if (high[same] - low[same] > 1) {
      out.push_back(
          concat({builder_.literal(prefix), digit_range(static_cast<char>(low[same] + 1), static_cast<char>(high[same] - 1)),
                  digits(rest, rest), any_fraction()}));
    }
    for (std::size_t i = same + 1; i < low.size(); ++i) {
      const auto tail = static_cast<std::int64_t>(low.size() - 1 - i);
      if (low[i] < '9') {
        out.push_back(concat({builder_.literal(low.substr(0, i)), digit_range(static_cast<char>(low[i] + 1), '9'),
                              digits(tail, tail), any_fraction()}));
      }
      if (high[i] > '0') {
        out.push_back(concat({builder_.literal(high.substr(0, i)), digit_range('0', static_cast<char>(high[i] - 1)),
                              digits(tail, tail), any_fraction()}));
      }
    }
  }

  // Equal whole parts: the fraction decides. Written with as many digits as the longer bound, then open ends inside.
  void fractions_between(const Decimal& low, bool low_exclusive, const Decimal& high, bool high_exclusive,
                         std::vector<GrammarSequence>& out) {
    const std::string& whole = low.whole;
    if (integer_) {
      const bool above = low.fraction.empty() && !low_exclusive;
      const bool below = !high.fraction.empty() || !high_exclusive;
      if (above && below) out.push_back(builder_.literal(whole));
      return;
    }
    const std::size_t size = std::max({low.fraction.size(), high.fraction.size(), std::size_t{1}});
    const auto pad = [&](std::string text) { return text + std::string(size - text.size(), '0'); };
    const std::string a = pad(low.fraction);
    const std::string b = pad(high.fraction);
    if (a > b) return;
    const GrammarSequence start = builder_.literal(whole + ".");
    const GrammarSequence tail = digits(0, 4);
    if (!low_exclusive && (a < b || !high_exclusive)) {
      if (low.fraction.empty()) out.push_back(builder_.literal(whole));
      out.push_back(concat({start, builder_.literal(a), a < b ? tail : builder_.repeat(builder_.literal("0"), 0, 4)}));
    } else if (low_exclusive && a < b) {
      out.push_back(concat({start, builder_.literal(a), digits(0, 3), digit_range('1', '9'), digits(0, 3)}));
    }
    if (a < b) {
      std::vector<GrammarSequence> strictly;
      digits_between(a, b, strictly);
      for (const GrammarSequence& sequence : strictly) out.push_back(concat({start, sequence, tail}));
      if (!high_exclusive) out.push_back(concat({start, builder_.literal(b), builder_.repeat(builder_.literal("0"), 0, 4)}));
    }
  }

  // Digit strings of one length strictly between two.
  void digits_between(const std::string& a, const std::string& b, std::vector<GrammarSequence>& out) {
    std::size_t same = 0;
    while (a[same] == b[same]) ++same;
    const auto rest = static_cast<std::int64_t>(a.size() - 1 - same);
    if (b[same] - a[same] > 1) {
      out.push_back(concat({builder_.literal(a.substr(0, same)),
                            digit_range(static_cast<char>(a[same] + 1), static_cast<char>(b[same] - 1)), digits(rest, rest)}));
    }
    for (std::size_t i = same + 1; i < a.size(); ++i) {
      const auto tail = static_cast<std::int64_t>(a.size() - 1 - i);
      if (a[i] < '9')
        out.push_back(
            concat({builder_.literal(a.substr(0, i)), digit_range(static_cast<char>(a[i] + 1), '9'), digits(tail, tail)}));
      if (b[i] > '0')
        out.push_back(
            concat({builder_.literal(b.substr(0, i)), digit_range('0', static_cast<char>(b[i] - 1)), digits(tail, tail)}));
    }
  }

  GrammarBuilder& builder_;
  bool integer_;
};

bool is_zero(const Decimal& d) {
  return d.whole == "0" && d.fraction.empty();
}

}  // namespace

Result<Decimal> to_decimal(const nlohmann::ordered_json& number) {
  Decimal decimal;
  std::string text;
  if (number.is_number_integer()) {
    text = number.dump();
  } else {
    const double value = number.get<double>();
    if (!std::isfinite(value) || std::abs(value) > 1e30 || (value != 0.0 && std::abs(value) < 1e-30)) {
      return Error{ErrorCode::kUnsupported, "the bound " + number.dump() + " is too large or too small to be kept to exactly"};
    }
    std::array<char, 128> buffer{};
    const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
    text.assign(buffer.data(), done.ptr);
  }
  if (text.front() == '-') {
    decimal.negative = true;
    text.erase(0, 1);
  }
  const auto point = text.find('.');
  decimal.whole = text.substr(0, point);
  if (point != std::string::npos) decimal.fraction = text.substr(point + 1);
  while (!decimal.fraction.empty() && decimal.fraction.back() == '0') decimal.fraction.pop_back();
  if (is_zero(decimal)) decimal.negative = false;
  return decimal;
}

GrammarSequence number_grammar(GrammarBuilder& builder, bool integer, const NumberBounds& bounds) {
  MagnitudeGrammar grammar(builder, integer);
  const GrammarSequence minus = builder.literal("-");
  if (!bounds.min && !bounds.max) {
    const GrammarSequence exponent =
        integer
            ? GrammarSequence{}
            : builder.optional(concat({builder.one_of("eE"), builder.optional(builder.one_of("+-")), grammar.digits(1, 2)}));
    return concat({builder.optional(minus), grammar.any_whole(), grammar.any_fraction(), exponent});
  }
  const Decimal zero;
  std::vector<GrammarSequence> alternatives;
  // At and above zero.
  const bool max_allows_positive = !bounds.max || !bounds.max->negative;
  if (max_allows_positive) {
    const bool from_min = bounds.min && !bounds.min->negative;
    alternatives.push_back(
        grammar.range(from_min ? *bounds.min : zero, from_min && bounds.min_exclusive, bounds.max, bounds.max_exclusive));
  }
  // Below zero: magnitudes mirrored. "-0" is left out.
  if (!bounds.min || bounds.min->negative) {
    std::optional<Decimal> high = bounds.min;
    if (high) high->negative = false;
    const bool from_max = bounds.max && bounds.max->negative;
    Decimal low = from_max ? *bounds.max : zero;
    low.negative = false;
    alternatives.push_back(
        concat({minus, grammar.range(low, from_max ? bounds.max_exclusive : true, high, bounds.min_exclusive)}));
  }
  return builder.any_of(std::move(alternatives));
}

}  // namespace tandem::engine
