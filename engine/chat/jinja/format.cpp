// "…" % arguments and "…".format(arguments).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/number_format.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

bool is_digit_char(char c) {
  return c >= '0' && c <= '9';
}

int read_number(const std::string& text, std::size_t& i) {
  int value = 0;
  for (; i < text.size() && is_digit_char(text[i]); ++i) {
    value = value * 10 + (text[i] - '0');
    if (value > kMaxFormatWidth) fail_limit("a format width beyond " + std::to_string(kMaxFormatWidth));
  }
  return value;
}

std::string cut(const std::string& text, std::optional<int> precision) {
  if (!precision || static_cast<std::size_t>(*precision) >= count_code_points(text)) return text;
  std::size_t end = 0;
  for (int i = 0; i < *precision; ++i) next_code_point(text, end);
  return text.substr(0, end);
}

void check_size(const std::string& out) {
  if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
}

std::string ascii_repr(const Value& value) {
  std::string out;
  const std::string repr = to_repr(value);
  for (std::size_t i = 0; i < repr.size();) {
    const char32_t c = next_code_point(repr, i);
    char buffer[16];
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    std::snprintf(buffer, sizeof buffer, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", static_cast<unsigned>(c));
    out += buffer;
  }
  return out;
}

// One conversion of a % format.
std::string percent_item(const Value& value, FormatSpec spec) {
  switch (spec.type) {
    case 's': return pad("", cut(to_text(value), spec.precision), spec, '>');
    case 'r': return pad("", cut(to_repr(value), spec.precision), spec, '>');
    case 'a': return pad("", cut(ascii_repr(value), spec.precision), spec, '>');
    case 'c': {
      value.require_defined();
      if (value.is_text() && value.as_text().num_code_points == 1) return pad("", value.as_string(), spec, '>');
      if (!value.is_int() || value.as_int() < 0 || value.as_int() > 0x10FFFF) fail("%c requires an integer or one character");
      std::string text;
      append_utf8(text, static_cast<char32_t>(value.as_int()));
      return pad("", text, spec, '>');
    }
    default: break;
  }
  value.require_defined();
  if (!value.is_number()) fail(std::string("%") + spec.type + " format: a number is required, not " + value.type_name());
  const bool is_whole_type = std::string_view("diuxXo").find(spec.type) != std::string_view::npos;
  if (is_whole_type && value.is_float()) {
    if (spec.type == 'x' || spec.type == 'X' || spec.type == 'o') {
      fail(std::string("%") + spec.type + " format: an integer is required, not float");
    }
    if (!(std::abs(value.as_double()) < 0x1p126)) fail("cannot convert this float to an integer");
    return format_number(Value::integer(static_cast<Int>(value.as_double())), spec);
  }
  return format_number(value, spec);
}

// "{a.b[0]!r:>5}" without the braces, split.
struct Field {
  std::string path;
  char conversion = 0;
  std::string spec;
};

class BraceFormatter {
 public:
  BraceFormatter(Evaluator& evaluator, CallArgs& args) : evaluator_(evaluator), args_(args) {}

  std::string format(const std::string& text, int nesting) {
    if (nesting > 2) fail("format: replacement fields nest too deeply");
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      check_size(out);
      if (text[i] != '{' && text[i] != '}') {
        out += text[i++];
      } else if (i + 1 < text.size() && text[i + 1] == text[i]) {
        out += text[i];
        i += 2;
      } else if (text[i] == '}') {
        fail("format: single '}' in the format string");
      } else {
        out += field(text, i, nesting);
      }
    }
    return out;
  }

 private:
  std::string field(const std::string& text, std::size_t& i, int nesting) {
    const std::size_t begin = ++i;
    int open = 1;
    while (i < text.size() && open > 0) open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0, ++i;
    if (open > 0) fail("format: '}' is missing");
    const Field parts = split_field(text.substr(begin, i - 1 - begin));
    Value value = look_up(parts.path);
    if (parts.conversion == 's') value = Value::text(to_text(value));
    if (parts.conversion == 'r') value = Value::text(to_repr(value));
    if (parts.conversion == 'a') value = Value::text(ascii_repr(value));
    return layout(value, parts.spec.find('{') == std::string::npos ? parts.spec : format(parts.spec, nesting + 1));
  }

  static Field split_field(const std::string& text) {
    Field parts;
    std::size_t end = 0;
    int open = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '[') ++open;
      if (text[end] == ']') --open;
      if (open <= 0 && (text[end] == '!' || text[end] == ':')) break;
    }
    parts.path = text.substr(0, end);
    if (end < text.size() && text[end] == '!') {
      parts.conversion = end + 1 < text.size() ? text[end + 1] : 0;
      if (parts.conversion != 's' && parts.conversion != 'r' && parts.conversion != 'a') {
        fail("format: the conversion must be !s, !r or !a");
      }
      end += 2;
      if (end < text.size() && text[end] != ':') fail("format: expected ':' after the conversion");
    }
    if (end < text.size()) parts.spec = text.substr(end + 1);
    return parts;
  }

  Value look_up(const std::string& path) {
    std::size_t i = std::min(path.find_first_of(".["), path.size());
    Value value = first_value(path.substr(0, i));
    while (i < path.size()) {
      if (path[i] == '.') {
        const std::size_t end = std::min(path.find_first_of(".[", i + 1), path.size());
        value = get_attribute(value, path.substr(i + 1, end - i - 1));
        i = end;
      } else {
        const std::size_t end = path.find(']', i);
        if (path[i] != '[' || end == std::string::npos) fail("format: the field '" + path.substr(0, 100) + "' is malformed");
        const std::string key = path.substr(i + 1, end - i - 1);
        const bool is_index = !key.empty() && key.size() < 10 && std::all_of(key.begin(), key.end(), is_digit_char);
        value = get_item(evaluator_, value, is_index ? Value::integer(std::stoi(key)) : Value::text(key));
        i = end + 1;
      }
      value.require_defined();
    }
    return value;
  }

  Value first_value(const std::string& name) {
    const bool is_number = std::all_of(name.begin(), name.end(), is_digit_char);
    if (is_number) {
      if (name.size() > 6) fail("format: the index " + name.substr(0, 20) + " is out of range");
      const std::size_t idx = name.empty() ? next_idx_++ : static_cast<std::size_t>(std::stoi(name));
      if (idx >= args_.positional.size()) fail("format: there is no argument " + std::to_string(idx));
      return args_.positional[idx];
    }
    for (const auto& [key, value] : args_.named) {
      if (key == name) return value;
    }
    fail("format: there is no argument '" + name.substr(0, 100) + "'");
  }

  static FormatSpec parse_spec(const std::string& text) {
    FormatSpec spec;
    std::size_t i = 0;
    const auto is_align = [&](std::size_t at) {
      return at < text.size() && std::string_view("<>^=").find(text[at]) != std::string_view::npos;
    };
    if (!text.empty()) {
      std::size_t after_fill = 0;
      next_code_point(text, after_fill);
      if (is_align(after_fill)) {
        spec.fill = text.substr(0, after_fill);
        i = after_fill;
      }
    }
    if (is_align(i)) spec.align = text[i++];
    if (i < text.size() && (text[i] == '+' || text[i] == '-' || text[i] == ' ')) spec.sign = text[i++];
    if (i < text.size() && text[i] == '#') spec.alternate = true, ++i;
    if (i < text.size() && text[i] == '0') spec.zero_pad = true, ++i;
    spec.width = read_number(text, i);
    if (i < text.size() && (text[i] == ',' || text[i] == '_')) spec.grouping = text[i++];
    if (i < text.size() && text[i] == '.') {
      if (++i >= text.size() || !is_digit_char(text[i])) fail("format: a precision is missing behind '.'");
      spec.precision = read_number(text, i);
    }
    if (i < text.size()) spec.type = text[i++];
    if (i < text.size()) fail("format: invalid format specifier '" + text.substr(0, 100) + "'");
    return spec;
  }

  std::string layout(const Value& value, const std::string& spec_text) {
    if (spec_text.empty()) return to_text(value);
    FormatSpec spec = parse_spec(spec_text);
    value.require_defined();
    if (value.is_number() && !(value.is_bool() && spec.type == 0)) {
      if (!value.is_float() && spec.precision && std::string_view("fFeEgG%").find(spec.type) == std::string_view::npos) {
        fail("format: a precision is not allowed for an integer");
      }
      return format_number(value, spec);
    }
    if (!value.is_text() && !value.is_bool()) {
      fail("unsupported format string for a value of type '" + value.type_name() + "'");
    }
    if (spec.type != 0 && spec.type != 's') fail(std::string("unknown format code '") + spec.type + "' for a string");
    if (spec.align == '=') fail("'=' alignment not allowed for strings");
    return pad("", cut(to_text(value), spec.precision), spec, '<');
  }

  Evaluator& evaluator_;
  CallArgs& args_;
  std::size_t next_idx_ = 0;
};

}  // namespace

std::string percent_format(Evaluator& evaluator, const std::string& format, const Value& arguments) {
  const bool is_tuple = arguments.is_sequence() && arguments.as_sequence().kind() == Sequence::Kind::kTuple;
  const std::vector<Value> values = is_tuple ? arguments.as_sequence().items() : std::vector<Value>{arguments};
  std::size_t next_value = 0;
  bool used_name = false;
  const auto take_value = [&]() -> const Value& {
    if (next_value >= values.size()) fail("not enough arguments for the format string");
    return values[next_value++];
  };
  std::string out;
  for (std::size_t i = 0; i < format.size();) {
    check_size(out);
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    ++i;
    std::optional<Value> named;
    if (i < format.size() && format[i] == '(') {
      const std::size_t end = format.find(')', i);
      if (end == std::string::npos) fail("incomplete format key");
      if (!arguments.is_dict()) fail("the format requires a mapping");
      const Value* found = arguments.as_dict().find(format.substr(i + 1, end - i - 1));
      if (found == nullptr)
        fail("the format key '" + format.substr(i + 1, std::min<std::size_t>(end - i - 1, 100)) + "' is not there");
      named = *found;
      used_name = true;
      i = end + 1;
    }
    FormatSpec spec;
    bool left = false;
    for (; i < format.size() && std::string_view("-+ #0").find(format[i]) != std::string_view::npos; ++i) {
      if (format[i] == '-') left = true;
      if (format[i] == '+') spec.sign = '+';
      if (format[i] == ' ' && spec.sign != '+') spec.sign = ' ';
      if (format[i] == '#') spec.alternate = true;
      if (format[i] == '0') spec.zero_pad = true;
    }
    const auto star_or_number = [&] {
      if (i >= format.size() || format[i] != '*') return read_number(format, i);
      ++i;
      const Value& value = take_value();
      if (!value.is_int() || value.as_int() > kMaxFormatWidth || value.as_int() < -kMaxFormatWidth) fail("* wants an int");
      return static_cast<int>(value.as_int());
    };
    spec.width = star_or_number();
    if (spec.width < 0) left = true, spec.width = -spec.width;
    if (left) spec.align = '<';
    if (i < format.size() && format[i] == '.') {
      ++i;
      spec.precision = std::max(0, star_or_number());
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h' || format[i] == 'L')) ++i;
    if (i >= format.size()) fail("incomplete format");
    spec.type = format[i++];
    if (spec.type == '%') {
      out += '%';
      continue;
    }
    if (std::string_view("sracdiuxXofFeEgG").find(spec.type) == std::string_view::npos) {
      fail(std::string("unsupported format character '") + spec.type + "'");
    }
    const bool is_text_type = std::string_view("srac").find(spec.type) != std::string_view::npos;
    if (is_text_type) spec.zero_pad = false;
    out += percent_item(named ? *named : take_value(), spec);
  }
  if (!used_name && next_value < values.size() && !arguments.is_dict()) {
    fail("not all arguments converted during string formatting");
  }
  evaluator.charge_text(out.size());
  return out;
}

std::string brace_format(Evaluator& evaluator, const std::string& format, CallArgs& args) {
  std::string out = BraceFormatter(evaluator, args).format(format, 0);
  evaluator.charge_text(out.size());
  return out;
}

}  // namespace tandem::engine::jinja
