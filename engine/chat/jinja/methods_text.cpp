// Methods of strings, with the meaning of Python's str.
#include <algorithm>
#include <map>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

Value like(const Value& self, std::string text) {
  return Value::text(std::move(text), self.as_text().is_markup);
}

template <std::string (*kConvert)(std::string_view)>
Value convert_method(Evaluator& evaluator, const Value& self, CallArgs&) {
  evaluator.charge(self.weight());
  return like(self, kConvert(self.as_string()));
}

template <StripSide kSide>
Value strip_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("strip", args, {"chars"});
  evaluator.charge(self.weight());
  const bool has_chars = reader.has(0) && !reader.required(0).is_none();
  return like(self,
              std::string(has_chars ? strip(self.as_string(), kSide, reader.text(0, "")) : strip(self.as_string(), kSide)));
}

// Before one more part: a text of separators alone would need many times its own memory.
void check_num_parts(const std::vector<std::string>& parts) {
  if (parts.size() >= kMaxSequenceItems) fail_limit("a split gives more than " + std::to_string(kMaxSequenceItems) + " parts");
}

// Words between runs of white space; the last of `max_splits` + 1 parts keeps the rest.
std::vector<std::string> split_words(std::string_view text, std::int64_t max_splits, bool from_right) {
  std::vector<std::string> parts;
  text = strip(text, from_right ? StripSide::kRight : StripSide::kLeft);
  while (!text.empty()) {
    check_num_parts(parts);
    if (max_splits >= 0 && static_cast<std::int64_t>(parts.size()) == max_splits) {
      parts.emplace_back(text);  // its far end keeps its white space
      break;
    }
    if (from_right) {
      std::size_t start = text.size();
      while (start > 0) {
        std::size_t before = start - 1;
        while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
        std::size_t offset = before;
        if (is_space(next_code_point(text, offset))) break;
        start = before;
      }
      parts.emplace_back(text.substr(start));
      text = strip(text.substr(0, start), StripSide::kRight);
    } else {
      std::size_t end = 0;
      while (end < text.size()) {
        std::size_t next = end;
        if (is_space(next_code_point(text, next))) break;
        end = next;
      }
      parts.emplace_back(text.substr(0, end));
      text = strip(text.substr(end), StripSide::kLeft);
    }
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_at(std::string_view text, std::string_view separator, std::int64_t max_splits) {
  std::vector<std::string> parts;
  while (max_splits < 0 || static_cast<std::int64_t>(parts.size()) < max_splits) {
    const std::size_t place = find_text(text, separator);
    if (place == std::string_view::npos) break;
    check_num_parts(parts);
    parts.emplace_back(text.substr(0, place));
    text = text.substr(place + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

// From the right is from the left with everything reversed, bytes included; this keeps the search linear.
std::vector<std::string> rsplit_at(std::string_view text, std::string_view separator, std::int64_t max_splits) {
  const std::string back(text.rbegin(), text.rend());
  const std::string wanted(separator.rbegin(), separator.rend());
  std::vector<std::string> parts = split_at(back, wanted, max_splits);
  std::reverse(parts.begin(), parts.end());
  for (std::string& part : parts) std::reverse(part.begin(), part.end());
  return parts;
}

template <bool kFromRight>
Value split_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("split", args, {"sep", "maxsplit"});
  const std::int64_t max_splits = reader.integer(1, -1);
  const bool by_words = !reader.has(0) || reader.required(0).is_none();
  const std::string separator = by_words ? "" : reader.text(0, "");
  if (!by_words && separator.empty()) fail("split: empty separator");
  evaluator.charge_text(self.as_string().size() + separator.size());
  std::vector<Value> parts;
  std::vector<std::string> texts = by_words     ? split_words(self.as_string(), max_splits, kFromRight)
                                   : kFromRight ? rsplit_at(self.as_string(), separator, max_splits)
                                                : split_at(self.as_string(), separator, max_splits);
  for (std::string& part : texts) {
    parts.push_back(like(self, std::move(part)));
  }
  evaluator.charge(static_cast<std::int64_t>(parts.size()));
  return Value::list(std::move(parts));
}

Value splitlines_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("splitlines", args, {"keepends"});
  std::vector<Value> lines;
  for (std::string& line : split_lines(self.as_string(), reader.flag(0, false))) lines.push_back(like(self, std::move(line)));
  evaluator.charge(self.weight() + static_cast<std::int64_t>(lines.size()));
  return Value::list(std::move(lines));
}

template <bool kFromRight>
Value partition_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("partition", args, {"sep"});
  evaluator.charge(reader.required(0).weight());
  const std::string separator = to_text(reader.required(0));
  if (separator.empty()) fail("partition: empty separator");
  const std::string& text = self.as_string();
  evaluator.charge_text(text.size() + separator.size());
  const std::size_t place = kFromRight ? rfind_text(text, separator) : find_text(text, separator);
  if (place == std::string::npos) {
    const Value empty = like(self, "");
    return kFromRight ? Value::tuple({empty, empty, self}) : Value::tuple({self, empty, empty});
  }
  return Value::tuple(
      {like(self, text.substr(0, place)), like(self, separator), like(self, text.substr(place + separator.size()))});
}

// The part that `start` and `end` (in code points, as in a slice) select; nullopt when they select less than nothing.
struct Window {
  std::string_view text;
  std::size_t start_idx = 0;  // in code points
};
std::optional<Window> window(const Value& self, const ArgReader& reader, std::size_t start_arg) {
  const Int length = static_cast<Int>(self.as_text().num_code_points);
  const auto bound = [&](std::size_t arg, std::int64_t fallback) {
    Int index = reader.integer(arg, fallback);
    if (index < 0) index = std::max<Int>(0, index + length);
    return index;
  };
  const Int start = bound(start_arg, 0);
  const Int end = std::min(length, bound(start_arg + 1, INT64_MAX));
  if (start > end) return std::nullopt;
  const std::string& text = self.as_string();
  const auto byte_offset = [&](Int index) {
    if (self.as_text().is_ascii()) return static_cast<std::size_t>(index);
    std::size_t offset = 0;
    for (Int i = 0; i < index; ++i) next_code_point(text, offset);
    return offset;
  };
  const std::size_t first = byte_offset(start);
  return Window{std::string_view(text).substr(first, byte_offset(end) - first), static_cast<std::size_t>(start)};
}

std::string needed_text(const ArgReader& reader, std::size_t i) {
  reader.required(i).require_defined();
  if (!reader.required(i).is_text()) fail("must be a string, not " + reader.required(i).type_name());
  return reader.required(i).as_string();
}

Int find_in(Evaluator& evaluator, const Value& self, const CallArgs& args, bool from_right) {
  const ArgReader reader(from_right ? "rfind" : "find", args, {"sub", "start", "end"});
  const std::string wanted = needed_text(reader, 0);
  evaluator.charge_text(self.as_string().size() + wanted.size());
  const std::optional<Window> part = window(self, reader, 1);
  if (!part) return -1;
  const std::size_t place = from_right ? rfind_text(part->text, wanted) : find_text(part->text, wanted);
  if (place == std::string_view::npos) return -1;
  return static_cast<Int>(part->start_idx + count_code_points(part->text.substr(0, place)));
}
template <bool kFromRight>
Value find_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return Value::integer(find_in(evaluator, self, args, kFromRight));
}
template <bool kFromRight>
Value index_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const Int place = find_in(evaluator, self, args, kFromRight);
  if (place < 0) fail("substring not found");
  return Value::integer(place);
}

Value count_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("count", args, {"sub", "start", "end"});
  const std::string wanted = needed_text(reader, 0);
  evaluator.charge_text(self.as_string().size() + wanted.size());
  const std::optional<Window> part = window(self, reader, 1);
  if (!part) return Value::integer(0);
  if (wanted.empty()) return Value::integer(static_cast<Int>(count_code_points(part->text)) + 1);
  Int count = 0;
  for (std::size_t at = find_text(part->text, wanted); at != std::string_view::npos;
       at = find_text(part->text, wanted, at + wanted.size())) {
    ++count;
  }
  return Value::integer(count);
}

template <bool kAtEnd>
Value affix_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader(kAtEnd ? "endswith" : "startswith", args, {"affix", "start", "end"});
  const Value& affix = reader.required(0);
  affix.require_defined();
  const bool is_tuple = affix.is_sequence() && affix.as_sequence().kind() == Sequence::Kind::kTuple;
  const std::vector<Value> choices = is_tuple ? affix.as_sequence().items() : std::vector<Value>{affix};
  evaluator.charge(static_cast<std::int64_t>(choices.size()));
  const std::optional<Window> part = window(self, reader, 1);
  for (const Value& choice : choices) {
    if (!choice.is_text()) {
      fail((kAtEnd ? "endswith" : "startswith") + std::string(" needs a string or a tuple of strings, not ") +
           choice.type_name());
    }
    evaluator.charge(choice.weight());
    if (!part) continue;
    if (kAtEnd ? part->text.ends_with(choice.as_string()) : part->text.starts_with(choice.as_string())) {
      return Value::boolean(true);
    }
  }
  return Value::boolean(false);
}

template <bool kAtEnd>
Value remove_affix_method(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader(kAtEnd ? "removesuffix" : "removeprefix", args, {"affix"});
  const std::string affix = needed_text(reader, 0);
  const std::string& text = self.as_string();
  if (kAtEnd ? !text.ends_with(affix) : !text.starts_with(affix)) return self;
  return like(self, kAtEnd ? text.substr(0, text.size() - affix.size()) : text.substr(affix.size()));
}

Value replace_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("replace", args, {"old", "new", "count"});
  const std::string from = needed_text(reader, 0);
  evaluator.charge_text(self.as_string().size() + from.size());
  return like(self, replace_all(self.as_string(), from, needed_text(reader, 1), reader.integer(2, -1)));
}

Value join_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("join", args, {"iterable"});
  std::string out;
  bool is_first = true;
  reader.required(0).require_defined();
  for (const Value& item : evaluator.iterate(reader.required(0))) {
    if (!item.is_text()) fail("join: every item must be a string, not " + item.type_name());
    if (!is_first) out += self.as_string();
    is_first = false;
    out += item.as_string();
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  }
  return like(self, std::move(out));
}

Value format_method(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return like(self, brace_format(evaluator, self.as_string(), args));
}

enum class Align { kLeft, kRight, kCenter };
template <Align kAlign>
Value justify_method(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("justify", args, {"width", "fillchar"});
  reader.required(0);
  const std::int64_t width = reader.integer(0, 0);
  const std::string fill = reader.text(1, " ");
  if (count_code_points(fill) != 1) fail("the fill character must be exactly one character long");
  if (width > kMaxFormatWidth) fail_limit("a width beyond " + std::to_string(kMaxFormatWidth));
  const std::int64_t space = std::max<std::int64_t>(0, width - static_cast<std::int64_t>(self.as_text().num_code_points));
  const std::int64_t left = kAlign == Align::kLeft ? 0 : kAlign == Align::kRight ? space : space / 2 + (space & width & 1);
  std::string out;
  for (std::int64_t i = 0; i < left; ++i) out += fill;
  out += self.as_string();
  for (std::int64_t i = left; i < space; ++i) out += fill;
  return like(self, std::move(out));
}

Value zfill_method(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("zfill", args, {"width"});
  reader.required(0);
  const std::int64_t width = reader.integer(0, 0);
  if (width > kMaxFormatWidth) fail_limit("a width beyond " + std::to_string(kMaxFormatWidth));
  const std::int64_t space = std::max<std::int64_t>(0, width - static_cast<std::int64_t>(self.as_text().num_code_points));
  std::string out = self.as_string();
  out.insert(out.starts_with('-') || out.starts_with('+') ? 1 : 0, std::string(static_cast<std::size_t>(space), '0'));
  return like(self, std::move(out));
}

template <bool (*kIs)(char32_t)>
Value all_method(Evaluator& evaluator, const Value& self, CallArgs&) {
  const std::string& text = self.as_string();
  evaluator.charge(self.weight());
  for (std::size_t i = 0; i < text.size();) {
    if (!kIs(next_code_point(text, i))) return Value::boolean(false);
  }
  return Value::boolean(!text.empty());
}
bool is_alphanumeric(char32_t c) {
  return is_alpha(c) || is_numeric(c);
}
Value isascii_method(Evaluator&, const Value& self, CallArgs&) {
  return Value::boolean(self.as_text().is_ascii());
}

template <bool kUpper>
Value is_case_method(Evaluator& evaluator, const Value& self, CallArgs&) {
  const std::string& text = self.as_string();
  evaluator.charge(self.weight());
  bool has_cased = false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (is_titlecase(c) || (kUpper ? is_lower(c) : is_upper(c))) return Value::boolean(false);
    has_cased = has_cased || (kUpper ? is_upper(c) : is_lower(c));
  }
  return Value::boolean(has_cased);
}

Value istitle_method(Evaluator& evaluator, const Value& self, CallArgs&) {
  const std::string& text = self.as_string();
  evaluator.charge(self.weight());
  bool previous_is_cased = false;
  bool has_cased = false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    const bool starts = is_upper(c) || is_titlecase(c);
    if (starts ? previous_is_cased : is_lower(c) && !previous_is_cased) return Value::boolean(false);
    previous_is_cased = starts || is_lower(c);
    has_cased = has_cased || previous_is_cased;
  }
  return Value::boolean(has_cased);
}

}  // namespace

Function find_text_method(std::string_view name) {
  static const std::map<std::string_view, Function> kMethods = {
      {"upper", convert_method<to_upper>},
      {"lower", convert_method<to_lower>},
      {"title", convert_method<to_title>},
      {"capitalize", convert_method<to_capitalized>},
      {"swapcase", convert_method<to_swapped_case>},
      {"casefold", convert_method<to_casefold>},
      {"strip", strip_method<StripSide::kBoth>},
      {"lstrip", strip_method<StripSide::kLeft>},
      {"rstrip", strip_method<StripSide::kRight>},
      {"split", split_method<false>},
      {"rsplit", split_method<true>},
      {"splitlines", splitlines_method},
      {"partition", partition_method<false>},
      {"rpartition", partition_method<true>},
      {"find", find_method<false>},
      {"rfind", find_method<true>},
      {"index", index_method<false>},
      {"rindex", index_method<true>},
      {"count", count_method},
      {"startswith", affix_method<false>},
      {"endswith", affix_method<true>},
      {"removeprefix", remove_affix_method<false>},
      {"removesuffix", remove_affix_method<true>},
      {"replace", replace_method},
      {"join", join_method},
      {"format", format_method},
      {"ljust", justify_method<Align::kLeft>},
      {"rjust", justify_method<Align::kRight>},
      {"center", justify_method<Align::kCenter>},
      {"zfill", zfill_method},
      {"isalpha", all_method<is_alpha>},
      {"isdigit", all_method<is_digit>},
      {"isdecimal", all_method<is_decimal>},
      {"isnumeric", all_method<is_numeric>},
      {"isalnum", all_method<is_alphanumeric>},
      {"isspace", all_method<is_space>},
      {"isascii", isascii_method},
      {"isupper", is_case_method<true>},
      {"islower", is_case_method<false>},
      {"istitle", istitle_method},
  };
  const auto place = kMethods.find(name);
  return place == kMethods.end() ? nullptr : place->second;
}

}  // namespace tandem::engine::jinja
