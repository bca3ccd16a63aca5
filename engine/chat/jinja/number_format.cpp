#include "engine/chat/jinja/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

constexpr int kMaxPrecision = 1000;

std::string based_digits(unsigned __int128 value, unsigned base, bool upper) {
  std::string digits;
  do {
    const unsigned digit = static_cast<unsigned>(value % base);
    digits += digit < 10 ? static_cast<char>('0' + digit) : static_cast<char>((upper ? 'A' : 'a') + digit - 10);
    value /= base;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string grouped(const std::string& digits, char separator, std::size_t group) {
  const std::size_t whole = std::min(digits.find_first_of(".eE"), digits.size());
  std::string out;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % group == 0) out += separator;
    out += digits[i];
  }
  return out + digits.substr(whole);
}

std::string to_chars_text(double value, std::chars_format format, int precision) {
  std::string buffer(static_cast<std::size_t>(precision) + 400, '\0');
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  buffer.resize(static_cast<std::size_t>(end.ptr - buffer.data()));
  return buffer;
}

// Type g, which keeps trailing zeros only in the alternate form.
std::string general_digits(double value, int precision, bool alternate) {
  if (precision == 0) precision = 1;
  const std::string scientific = to_chars_text(value, std::chars_format::scientific, precision - 1);
  const std::size_t mark = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(mark + 1));
  std::string digits = exponent < -4 || exponent >= precision
                           ? scientific.substr(0, mark)
                           : to_chars_text(value, std::chars_format::fixed, std::max(0, precision - 1 - exponent));
  if (!alternate && digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return exponent < -4 || exponent >= precision ? digits + scientific.substr(mark) : digits;
}

}  // namespace

std::string float_digits(double magnitude, const FormatSpec& spec) {
  const char type = static_cast<char>(spec.type | 0x20);
  const bool upper = spec.type == 'F' || spec.type == 'E' || spec.type == 'G';
  if (spec.precision.value_or(0) > kMaxPrecision) fail_limit("a precision beyond " + std::to_string(kMaxPrecision));
  std::string digits;
  if (std::isnan(magnitude) || std::isinf(magnitude)) {
    digits = std::isnan(magnitude) ? "nan" : "inf";
  } else if (spec.type == '%') {
    digits = to_chars_text(magnitude * 100.0, std::chars_format::fixed, spec.precision.value_or(6));
  } else if (type == 'f') {
    digits = to_chars_text(magnitude, std::chars_format::fixed, spec.precision.value_or(6));
  } else if (type == 'e') {
    digits = to_chars_text(magnitude, std::chars_format::scientific, spec.precision.value_or(6));
  } else if (type == 'g' || spec.precision) {
    digits = general_digits(magnitude, spec.precision.value_or(6), spec.alternate);
    if (spec.type == 0 && digits.find_first_of(".e") == std::string::npos) digits += ".0";
  } else {
    digits = float_text(magnitude);
  }
  if (upper)
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return spec.type == '%' ? digits + "%" : digits;
}

std::string pad(const std::string& sign, const std::string& text, const FormatSpec& spec, char own_align) {
  if (spec.width > kMaxFormatWidth) fail_limit("a format width beyond " + std::to_string(kMaxFormatWidth));
  const std::size_t length = count_code_points(sign) + count_code_points(text);
  const std::size_t space = static_cast<std::size_t>(spec.width) > length ? static_cast<std::size_t>(spec.width) - length : 0;
  const char align = spec.align != 0 ? spec.align : spec.zero_pad && own_align == '>' ? '=' : own_align;
  const std::string fill = spec.align == 0 && spec.zero_pad ? "0" : spec.fill;
  std::string before, between, after;
  for (std::size_t i = 0; i < space; ++i) {
    std::string& place = align == '<'   ? after
                         : align == '=' ? between
                         : align == '^' ? (i < space / 2 ? before : after)
                                        : before;
    place += fill;
  }
  return before + sign + between + text + after;
}

std::string format_number(const Value& value, const FormatSpec& spec) {
  const std::string_view float_types = "fFeEgG%";
  const bool as_float = value.is_float() || (spec.type != 0 && float_types.find(spec.type) != std::string_view::npos);
  std::string sign = spec.sign == '-' ? "" : std::string(1, spec.sign);
  std::string digits;
  if (as_float) {
    if (spec.type != 0 && float_types.find(spec.type) == std::string_view::npos) {
      fail(std::string("unknown format code '") + spec.type + "' for a float");
    }
    const double real = value.as_double();
    if (std::signbit(real) && !std::isnan(real)) sign = "-";
    digits = float_digits(std::abs(real), spec);
  } else {
    const Int whole = value.as_int();
    if (whole < 0) sign = "-";
    const auto magnitude = whole < 0 ? -static_cast<unsigned __int128>(whole) : static_cast<unsigned __int128>(whole);
    switch (spec.type) {
      case 0:
      case 'd':
      case 'i':
      case 'u':
      case 'n': digits = based_digits(magnitude, 10, false); break;
      case 'x':
      case 'X':
        digits = based_digits(magnitude, 16, spec.type == 'X');
        if (spec.alternate) sign += spec.type == 'X' ? "0X" : "0x";
        break;
      case 'o':
        digits = based_digits(magnitude, 8, false);
        if (spec.alternate) sign += "0o";
        break;
      case 'b':
        digits = based_digits(magnitude, 2, false);
        if (spec.alternate) sign += "0b";
        break;
      default: fail(std::string("unknown format code '") + spec.type + "' for an integer");
    }
    // "%.3d": at least three digits.
    if (spec.precision.value_or(0) > kMaxPrecision) fail_limit("a precision beyond " + std::to_string(kMaxPrecision));
    const auto wanted = static_cast<std::size_t>(spec.precision.value_or(0));
    if (digits.size() < wanted) digits.insert(0, wanted - digits.size(), '0');
  }
  if (spec.grouping != 0) digits = grouped(digits, spec.grouping, 3);
  return pad(sign, digits, spec, '>');
}

}  // namespace tandem::engine::jinja
