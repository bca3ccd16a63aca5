#include "engine/chat/jinja/lexer.h"

#include <charconv>
#include <cmath>

#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

bool is_ascii_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string with_unix_newlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
    } else {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

int hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(with_unix_newlines(source)) {}

  std::vector<Token> run() {
    while (offset_ < source_.size()) read_text_and_tag();
    add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail_here(const std::string& message) const {
    throw TemplateError(TemplateError::Kind::kSyntax, message, line_);
  }
  bool at(std::string_view text) const { return std::string_view(source_).substr(offset_, text.size()) == text; }
  char peek(std::size_t ahead = 0) const { return offset_ + ahead < source_.size() ? source_[offset_ + ahead] : '\0'; }

  void advance(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) line_ += source_[offset_ + i] == '\n' ? 1 : 0;
    offset_ += count;
  }
  void skip_spaces() {
    while (offset_ < source_.size() && is_ascii_space(source_[offset_])) advance(1);
  }
  // `-` takes all white space that follows, otherwise a block or comment end takes one newline.
  void after_tag(bool strip, bool trim_newline) {
    if (strip) {
      while (offset_ < source_.size()) {
        std::size_t next = offset_;
        if (!is_space(next_code_point(source_, next))) break;
        advance(next - offset_);
      }
    } else if (trim_newline && peek() == '\n') {
      advance(1);
    }
    line_start_ = offset_ > 0 && source_[offset_ - 1] == '\n';
  }

  void add(TokenKind kind, std::string text, Value value = Value()) {
    tokens_.push_back({kind, std::move(text), std::move(value), line_});
  }

  // Emits source_[begin, offset_), shortened as the tag that follows it asks.
  void add_text(std::size_t begin, int line, char sign, bool is_variable) {
    std::string_view text = std::string_view(source_).substr(begin, offset_ - begin);
    if (sign == '-') {
      text = strip(text, StripSide::kRight);
    } else if (sign != '+' && !is_variable) {
      const std::size_t newline = text.rfind('\n');
      const std::size_t tail = newline == std::string_view::npos ? 0 : newline + 1;
      if ((tail > 0 || line_start_) && strip(text.substr(tail), StripSide::kBoth).empty()) text = text.substr(0, tail);
    }
    if (!text.empty()) tokens_.push_back({TokenKind::kText, std::string(text), Value(), line});
  }

  void read_text_and_tag() {
    const std::size_t begin = offset_;
    const int line = line_;
    std::size_t tag = source_.find('{', offset_);
    while (tag != std::string::npos &&
           (tag + 1 >= source_.size() || (source_[tag + 1] != '{' && source_[tag + 1] != '%' && source_[tag + 1] != '#'))) {
      tag = source_.find('{', tag + 1);
    }
    if (tag == std::string::npos) {
      tokens_.push_back({TokenKind::kText, source_.substr(begin), Value(), line});
      advance(source_.size() - offset_);
      return;
    }
    advance(tag - begin);
    const char kind = source_[tag + 1];
    const char sign = peek(2) == '-' || peek(2) == '+' ? peek(2) : ' ';
    add_text(begin, line, sign, kind == '{');
    advance(sign == ' ' ? 2 : 3);
    if (kind == '#') {
      read_comment();
    } else if (kind == '{') {
      read_expression(TokenKind::kVariableBegin, "}}");
    } else if (!read_raw()) {
      read_expression(TokenKind::kBlockBegin, "%}");
    }
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", offset_);
    if (end == std::string::npos) fail_here("a comment is not closed: '#}' is missing");
    const char sign = end > offset_ ? source_[end - 1] : ' ';
    advance(end + 2 - offset_);
    after_tag(sign == '-', sign != '+');
  }

  // Behind "{%": whether this is a raw block; if so it is read whole.
  bool read_raw() {
    std::size_t i = offset_;
    while (i < source_.size() && is_ascii_space(source_[i])) ++i;
    if (source_.compare(i, 3, "raw") != 0) return false;
    i += 3;
    while (i < source_.size() && is_ascii_space(source_[i])) ++i;
    const bool strip_after = i < source_.size() && source_[i] == '-';
    if (source_.compare(i + (strip_after ? 1 : 0), 2, "%}") != 0) return false;
    const int begin_line = line_;
    advance(i + (strip_after ? 3 : 2) - offset_);
    after_tag(strip_after, false);
    const std::size_t begin = offset_;
    const int text_line = line_;
    for (std::size_t tag = source_.find("{%", begin); tag != std::string::npos; tag = source_.find("{%", tag + 2)) {
      std::size_t end = tag + 2;
      const char sign = end < source_.size() && (source_[end] == '-' || source_[end] == '+') ? source_[end] : ' ';
      if (sign != ' ') ++end;
      while (end < source_.size() && is_ascii_space(source_[end])) ++end;
      if (source_.compare(end, 6, "endraw") != 0) continue;
      end += 6;
      while (end < source_.size() && is_ascii_space(source_[end])) ++end;
      const char end_sign = end < source_.size() && (source_[end] == '-' || source_[end] == '+') ? source_[end] : ' ';
      if (end_sign != ' ') ++end;
      if (source_.compare(end, 2, "%}") != 0) continue;
      advance(tag - offset_);
      add_text(begin, text_line, sign, false);
      advance(end + 2 - offset_);
      after_tag(end_sign == '-', end_sign != '+');
      return true;
    }
    line_ = begin_line;
    fail_here("'raw' is not closed: 'endraw' is missing");
  }

  void read_expression(TokenKind begin, std::string_view close) {
    add(begin, "");
    const int begin_line = line_;
    std::string open;  // brackets not closed yet
    while (true) {
      skip_spaces();
      if (offset_ >= source_.size()) {
        line_ = begin_line;
        fail_here("a tag is not closed: '" + std::string(close) + "' is missing");
      }
      if (open.empty()) {
        const bool has_sign =
            (peek() == '-' || (peek() == '+' && close == "%}")) && std::string_view(source_).substr(offset_ + 1, 2) == close;
        if (has_sign || at(close)) {
          const char sign = has_sign ? peek() : ' ';
          add(close == "}}" ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, std::string(close));
          advance(has_sign ? 3 : 2);
          after_tag(sign == '-', close == "%}" && sign != '+');
          return;
        }
      }
      read_token(open);
    }
  }

  void read_token(std::string& open) {
    const char c = peek();
    if (c == '"' || c == '\'') return read_string(c);
    if (is_ascii_digit(c)) return read_number();
    std::size_t next = offset_;
    if (is_identifier_start(next_code_point(source_, next))) {
      while (next < source_.size()) {
        std::size_t after = next;
        if (!is_identifier_part(next_code_point(source_, after))) break;
        next = after;
      }
      add(TokenKind::kName, source_.substr(offset_, next - offset_));
      advance(next - offset_);
      return;
    }
    read_operator(open);
  }

  void read_operator(std::string& open) {
    for (const std::string_view two : {"//", "**", "==", "!=", ">=", "<="}) {
      if (at(two)) {
        add(TokenKind::kOperator, std::string(two));
        return advance(2);
      }
    }
    const char c = peek();
    if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) {
      std::size_t next = offset_;
      next_code_point(source_, next);
      fail_here("unexpected character " + quoted(source_.substr(offset_, next - offset_)));
    }
    if (c == '(') open += ')';
    if (c == '[') open += ']';
    if (c == '{') open += '}';
    if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) fail_here(std::string("unexpected '") + c + "'");
      if (open.back() != c) fail_here(std::string("unexpected '") + c + "', expected '" + open.back() + "'");
      open.pop_back();
    }
    add(TokenKind::kOperator, std::string(1, c));
    advance(1);
  }

  void read_number() {
    if (peek() == '0' && (peek(1) | 0x20) == 'x') return read_based_number(16);
    if (peek() == '0' && (peek(1) | 0x20) == 'o') return read_based_number(8);
    if (peek() == '0' && (peek(1) | 0x20) == 'b') return read_based_number(2);
    const std::size_t begin = offset_;
    std::string digits;
    std::size_t i = offset_;
    const auto read_digits = [&] {
      while (i < source_.size() && (is_ascii_digit(source_[i]) || (source_[i] == '_' && i + 1 < source_.size() &&
                                                                   is_ascii_digit(source_[i + 1]) && i > begin))) {
        if (source_[i] != '_') digits += source_[i];
        ++i;
      }
    };
    read_digits();
    bool is_float = false;
    // "a.0.5" reads .0 and .5 as indices, so no fraction starts behind a dot.
    const bool after_dot = begin > 0 && source_[begin - 1] == '.';
    if (!after_dot && i + 1 < source_.size() && source_[i] == '.' && is_ascii_digit(source_[i + 1])) {
      is_float = true;
      digits += source_[i++];
      read_digits();
    }
    if (!after_dot && i < source_.size() && (source_[i] | 0x20) == 'e') {
      std::size_t exponent = i + 1;
      if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-')) ++exponent;
      if (exponent < source_.size() && is_ascii_digit(source_[exponent])) {
        is_float = true;
        digits += 'e';
        if (source_[i + 1] == '-') digits += '-';
        i = exponent;
        read_digits();
      }
    }
    if (is_float) {
      double value = 0.0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (parsed.ec == std::errc::result_out_of_range) value = digits.find("e-") != std::string::npos ? 0.0 : HUGE_VAL;
      add(TokenKind::kNumber, digits, Value::real(value));
    } else {
      if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos) {
        fail_here("an integer may not start with 0: " + digits);
      }
      add(TokenKind::kNumber, digits, Value::integer(parse_digits(digits, 10)));
    }
    advance(i - begin);
  }

  void read_based_number(int base) {
    std::size_t i = offset_ + 2;
    std::string digits;
    while (i < source_.size()) {
      const int digit = hex_digit(source_[i]);
      if (digit >= 0 && digit < base) {
        digits += source_[i];
      } else if (source_[i] != '_') {
        break;
      }
      ++i;
    }
    if (digits.empty()) fail_here("a number has no digits: " + source_.substr(offset_, 2));
    add(TokenKind::kNumber, digits, Value::integer(parse_digits(digits, base)));
    advance(i - offset_);
  }

  Int parse_digits(std::string_view digits, int base) const {
    Int value = 0;
    for (const char c : digits) {
      if (__builtin_mul_overflow(value, Int{base}, &value) || __builtin_add_overflow(value, Int{hex_digit(c)}, &value)) {
        fail_here("the integer " + std::string(digits.substr(0, 50)) + " is too large");
      }
    }
    return value;
  }

  void read_string(char quote) {
    std::string text;
    std::size_t i = offset_ + 1;
    while (i < source_.size() && source_[i] != quote) {
      if (source_[i] != '\\') {
        text += source_[i++];
      } else {
        read_escape(text, i);
      }
    }
    if (i >= source_.size()) fail_here("a string is not closed");
    add(TokenKind::kString, "", Value::text(text));
    advance(i + 1 - offset_);
  }

  // At a backslash: appends what it stands for; an unknown escape stays as it is written, as in Python.
  void read_escape(std::string& text, std::size_t& i) const {
    const char c = i + 1 < source_.size() ? source_[i + 1] : '\0';
    const std::string_view simple = "\\'\"abfnrtv";
    const std::string_view meaning = "\\'\"\a\b\f\n\r\t\v";
    if (const std::size_t place = simple.find(c); c != '\0' && place != std::string_view::npos) {
      text += meaning[place];
      i += 2;
    } else if (c == '\n') {
      i += 2;
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      std::size_t end = i + 1;
      for (; end < i + 4 && end < source_.size() && source_[end] >= '0' && source_[end] <= '7'; ++end) {
        value = value * 8 + static_cast<unsigned>(source_[end] - '0');
      }
      append_utf8(text, value);
      i = end;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t length = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      char32_t value = 0;
      for (std::size_t k = 0; k < length; ++k) {
        const int digit = i + 2 + k < source_.size() ? hex_digit(source_[i + 2 + k]) : -1;
        if (digit < 0) fail_here(std::string("the escape \\") + c + " needs " + std::to_string(length) + " hex digits");
        value = value * 16 + static_cast<char32_t>(digit);
      }
      if (value > 0x10FFFF) fail_here("the escape \\U stands for no character");
      append_utf8(text, value);
      i += 2 + length;
    } else {
      text += source_[i++];
    }
  }

  std::string source_;
  std::size_t offset_ = 0;
  int line_ = 1;
  bool line_start_ = true;  // nothing but consumed white space between the last newline and offset_
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace tandem::engine::jinja
