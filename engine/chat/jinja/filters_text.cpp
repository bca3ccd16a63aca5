// Filters whose result is a text or a number.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

bool is_markup(const Value& value) {
  return value.is_text() && value.as_text().is_markup;
}

// str() of a filter's input. The text of a list can be long however small the list is.
std::string text_of(Evaluator& evaluator, const Value& value) {
  if (!value.is_text()) evaluator.charge(value.weight());
  return to_text(value);
}

template <std::string (*kConvert)(std::string_view)>
Value convert_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return Value::text(kConvert(text_of(evaluator, self)), is_markup(self));
}

// Jinja's own rule, other than str.title: a word starts behind white space, "-" or an opening bracket.
Value title_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  const std::string text = text_of(evaluator, self);
  std::string out;
  std::string word;
  const auto finish_word = [&] {
    std::size_t first = 0;
    if (word.empty()) return;
    next_code_point(word, first);
    out += to_upper(std::string_view(word).substr(0, first)) + to_lower(std::string_view(word).substr(first));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const char32_t c = next_code_point(text, i);
    word += text.substr(start, i - start);
    if (is_space(c) || std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos) {
      // A separator is part of the word before it only when that word is the separator itself.
      word.resize(word.size() - (i - start));
      finish_word();
      out += text.substr(start, i - start);
    }
  }
  finish_word();
  return Value::text(out, is_markup(self));
}

Value trim_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("trim", args, {"chars"});
  const std::string text = text_of(evaluator, self);
  if (!reader.has(0) || reader.required(0).is_none()) {
    return Value::text(std::string(strip(text, StripSide::kBoth)), is_markup(self));
  }
  return Value::text(std::string(strip(text, StripSide::kBoth, reader.text(0, ""))), is_markup(self));
}

Value string_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return self.is_text() ? self : Value::text(text_of(evaluator, self));
}
Value escape_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return is_markup(self) ? self : Value::text(html_escaped(text_of(evaluator, self)), true);
}
Value forceescape_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return Value::text(html_escaped(text_of(evaluator, self)), true);
}
Value safe_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return Value::text(text_of(evaluator, self), true);
}

Value replace_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("replace", args, {"old", "new", "count"});
  const std::string text = text_of(evaluator, self);
  const std::string from = text_of(evaluator, reader.required(0));
  evaluator.charge_text(text.size() + from.size());
  return Value::text(replace_all(text, from, text_of(evaluator, reader.required(1)), reader.integer(2, -1)));
}

// The lines after the first get `width` spaces, or the text given, before them.
Value indent_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("indent", args, {"width", "first", "blank"});
  std::string indention;
  if (reader.has(0) && reader.required(0).is_text()) {
    indention = reader.required(0).as_string();
  } else {
    indention.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(reader.integer(0, 4), 0, kMaxFormatWidth)), ' ');
  }
  const bool blank = reader.flag(2, false);
  std::string out = reader.flag(1, false) ? indention : "";
  const std::string text = text_of(evaluator, self);
  const auto check = [&] {
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  };
  const std::vector<std::string> lines = split_lines(text + "\n", false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += '\n';
    if (i > 0 && (blank || !lines[i].empty())) out += indention;
    out += lines[i];
    check();
  }
  return Value::text(out, is_markup(self));
}

Value join_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("join", args, {"d", "attribute"});
  const std::string separator = reader.has(0) ? text_of(evaluator, reader.required(0)) : "";
  std::string out;
  bool is_first = true;
  for (const Value& item : evaluator.iterate(self)) {
    if (!is_first) out += separator;
    is_first = false;
    const Value part = reader.has(1) ? attribute_path(evaluator, item, reader.required(1)) : item;
    out += to_text(part);
    evaluator.charge(part.weight());
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  }
  return Value::text(std::move(out));
}

Value wordcount_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  const std::string text = text_of(evaluator, self);
  Int count = 0;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    const bool is_word = is_alpha(c) || is_numeric(c) || c == U'_';
    count += is_word && !in_word ? 1 : 0;
    in_word = is_word;
  }
  return Value::integer(count);
}

Value truncate_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("truncate", args, {"length", "killwords", "end", "leeway"});
  const std::string end_text = reader.text(2, "...");
  const std::u32string text = decode(text_of(evaluator, self));
  const std::u32string end = decode(end_text);
  const std::int64_t length = reader.integer(0, 255);
  const std::int64_t leeway = reader.integer(3, 5);
  if (length < static_cast<std::int64_t>(end.size())) fail("truncate: the length is shorter than the end text");
  if (leeway < 0) fail("truncate: the leeway is negative");
  if (length > INT32_MAX || static_cast<std::int64_t>(text.size()) <= length + std::min<std::int64_t>(leeway, INT32_MAX)) {
    return self.is_text() ? self : Value::text(text_of(evaluator, self));
  }
  std::u32string head = text.substr(0, static_cast<std::size_t>(length) - end.size());
  if (!reader.flag(1, false)) head = head.substr(0, head.rfind(U' '));
  return Value::text(encode(head) + end_text);
}

Value center_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("center", args, {"width"});
  const std::string text = text_of(evaluator, self);
  const std::int64_t width = reader.integer(0, 80);
  if (width > kMaxFormatWidth) fail_limit("center: a width beyond " + std::to_string(kMaxFormatWidth));
  const std::int64_t space = std::max<std::int64_t>(0, width - static_cast<std::int64_t>(count_code_points(text)));
  const std::int64_t left = space / 2 + (space & width & 1);
  return Value::text(std::string(static_cast<std::size_t>(left), ' ') + text +
                     std::string(static_cast<std::size_t>(space - left), ' '));
}

Value format_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  if (!args.named.empty() && !args.positional.empty()) fail("format takes positional or named arguments, not both");
  Value arguments;
  if (!args.named.empty()) {
    const auto dict = std::make_shared<Dict>();
    for (auto& [name, value] : args.named) dict->set(Value::text(name), value);
    arguments = Value::dict(dict);
  } else {
    arguments = Value::tuple(args.positional);
  }
  return Value::text(percent_format(evaluator, text_of(evaluator, self), arguments));
}

Value tojson_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = reader.flag(0, false);
  style.sort_keys = reader.flag(3, false);
  if (reader.has(1) && reader.required(1).is_text()) {
    style.indent = reader.required(1).as_string();
  } else if (reader.has(1) && !reader.required(1).is_none()) {
    style.indent = std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(reader.integer(1, 0), 0, 100)), ' ');
  }
  if (reader.has(2) && !reader.required(2).is_none()) {
    const std::vector<Value> separators = evaluator.iterate(reader.required(2));
    if (separators.size() != 2 || !separators[0].is_text() || !separators[1].is_text()) {
      fail("tojson: separators must be two strings");
    }
    style.item_separator = separators[0].as_string();
    style.key_separator = separators[1].as_string();
  }
  return Value::text(to_json(evaluator, self, style));
}

// The digits of a Python integer literal, white space and single underscores allowed; nullopt when it is none.
std::optional<Int> parse_int(std::string_view text, int base) {
  std::string digits(strip(text, StripSide::kBoth));
  bool negative = false;
  std::size_t i = 0;
  if (i < digits.size() && (digits[i] == '-' || digits[i] == '+')) negative = digits[i++] == '-';
  if (base != 10 && i + 1 < digits.size() && digits[i] == '0') {
    const char mark = static_cast<char>(digits[i + 1] | 0x20);
    if ((base == 16 && mark == 'x') || (base == 8 && mark == 'o') || (base == 2 && mark == 'b')) i += 2;
  }
  if (i >= digits.size()) return std::nullopt;
  Int value = 0;
  bool after_digit = false;
  for (; i < digits.size(); ++i) {
    if (digits[i] == '_' && after_digit && i + 1 < digits.size()) {
      after_digit = false;
      continue;
    }
    const char c = static_cast<char>(digits[i] | 0x20);
    const int digit = digits[i] >= '0' && digits[i] <= '9' ? digits[i] - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
    if (digit >= base) return std::nullopt;
    if (__builtin_mul_overflow(value, Int{base}, &value) || __builtin_add_overflow(value, Int{digit}, &value)) {
      fail_limit("an integer grows beyond 127 bits");
    }
    after_digit = true;
  }
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
  std::string digits(strip(text, StripSide::kBoth));
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  const bool has_plus = digits.starts_with('+');
  const std::string_view number = std::string_view(digits).substr(has_plus ? 1 : 0);
  if (number.empty() || (has_plus && number[0] == '-')) return std::nullopt;
  double value = 0.0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ptr != number.data() + number.size()) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    const bool is_tiny = number.find("e-") != std::string_view::npos || number.find("E-") != std::string_view::npos;
    value = (is_tiny ? 0.0 : HUGE_VAL) * (number[0] == '-' ? -1.0 : 1.0);
  } else if (parsed.ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

std::optional<Int> whole_part(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::abs(value) >= 0x1p126) fail_limit("an integer grows beyond 127 bits");
  return static_cast<Int>(value);
}

Value int_filter(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("int", args, {"default", "base"});
  const Value fallback = reader.value_or(0, Value::integer(0));
  const std::int64_t base = reader.integer(1, 10);
  if (base < 2 || base > 36) fail("int: the base must be 2 to 36");
  self.require_defined();
  if (self.is_bool() || self.is_int()) return Value::integer(self.as_int());
  if (self.is_float()) {
    const std::optional<Int> whole = whole_part(self.as_double());
    return whole ? Value::integer(*whole) : fallback;
  }
  if (!self.is_text()) return fallback;
  if (const std::optional<Int> parsed = parse_int(self.as_string(), static_cast<int>(base))) return Value::integer(*parsed);
  const std::optional<double> real = parse_float(self.as_string());
  const std::optional<Int> whole = real ? whole_part(*real) : std::nullopt;
  return whole ? Value::integer(*whole) : fallback;
}

Value float_filter(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("float", args, {"default"});
  const Value fallback = reader.value_or(0, Value::real(0.0));
  self.require_defined();
  if (self.is_number()) return Value::real(self.as_double());
  if (!self.is_text()) return fallback;
  const std::optional<double> real = parse_float(self.as_string());
  return real ? Value::real(*real) : fallback;
}

Value abs_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  self.require_defined();
  if (!self.is_number()) fail("abs needs a number, not " + self.type_name());
  if (self.is_float()) return Value::real(std::abs(self.as_double()));
  return self.as_int() < 0 ? arithmetic(evaluator, "-", Value::integer(0), self) : Value::integer(self.as_int());
}

Value round_filter(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("round", args, {"precision", "method"});
  const std::int64_t precision = std::clamp<std::int64_t>(reader.integer(0, 0), -300, 300);
  const std::string method = reader.text(1, "common");
  self.require_defined();
  if (!self.is_number()) fail("round needs a number, not " + self.type_name());
  const double value = self.as_double();
  if (method == "ceil" || method == "floor") {
    const double scale = std::pow(10.0, static_cast<double>(precision));
    return Value::real((method == "ceil" ? std::ceil(value * scale) : std::floor(value * scale)) / scale);
  }
  if (method != "common") fail("round: the method must be common, ceil or floor");
  if (!self.is_float() && precision >= 0) return Value::integer(self.as_int());
  if (!std::isfinite(value)) return self;
  if (precision < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-precision));
    const double rounded = std::nearbyint(value / scale) * scale;
    return self.is_float() ? Value::real(rounded) : Value::integer(whole_part(rounded).value_or(0));
  }
  // Printing rounds the exact binary value half to even, as Python's round does.
  char buffer[700];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, static_cast<int>(precision));
  double rounded = value;
  if (end.ec == std::errc()) std::from_chars(buffer, end.ptr, rounded);
  return Value::real(rounded);
}

}  // namespace

Function find_text_filter(std::string_view name) {
  static const std::map<std::string_view, Function> kFilters = {
      {"upper", convert_filter<to_upper>},
      {"lower", convert_filter<to_lower>},
      {"capitalize", convert_filter<to_capitalized>},
      {"title", title_filter},
      {"trim", trim_filter},
      {"string", string_filter},
      {"escape", escape_filter},
      {"e", escape_filter},
      {"forceescape", forceescape_filter},
      {"safe", safe_filter},
      {"replace", replace_filter},
      {"indent", indent_filter},
      {"join", join_filter},
      {"wordcount", wordcount_filter},
      {"truncate", truncate_filter},
      {"center", center_filter},
      {"format", format_filter},
      {"tojson", tojson_filter},
      {"int", int_filter},
      {"float", float_filter},
      {"abs", abs_filter},
      {"round", round_filter},
  };
  const auto place = kFilters.find(name);
  return place == kFilters.end() ? nullptr : place->second;
}

}  // namespace tandem::engine::jinja
