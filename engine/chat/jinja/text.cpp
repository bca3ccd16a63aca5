#include "engine/chat/jinja/text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utf8proc.h>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"

namespace tandem::engine::jinja {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

// Upper case of one code point; the few that become several letters are those of ordinary text.
void append_upper(std::string& out, char32_t c) {
  if (c == U'ß') {
    out += "SS";
  } else if (c == U'ŉ') {
    out += "ʼN";
  } else if (c >= U'ﬀ' && c <= U'ﬆ') {
    constexpr std::string_view kLigatures[] = {"FF", "FI", "FL", "FFI", "FFL", "ST", "ST"};
    out += kLigatures[c - U'ﬀ'];
  } else {
    append_utf8(out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))));
  }
}

void append_title(std::string& out, char32_t c) {
  if (c == U'ß') {
    out += "Ss";
  } else {
    append_utf8(out, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))));
  }
}

bool is_cased(char32_t c) {
  return is_upper(c) || is_lower(c) || is_titlecase(c);
}

// A capital sigma ends a word as ς.
void append_lower(std::string& out, std::u32string_view text, std::size_t idx) {
  const char32_t c = text[idx];
  if (c == U'Σ' && idx > 0 && is_cased(text[idx - 1]) && (idx + 1 == text.size() || !is_cased(text[idx + 1]))) {
    out += "ς";
  } else if (c == U'İ') {
    out += "i̇";
  } else {
    append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Start of the code point that ends before `end`.
std::size_t previous_start(std::string_view utf8, std::size_t end) {
  std::size_t start = end - 1;
  while (start > 0 && (static_cast<unsigned char>(utf8[start]) & 0xC0) == 0x80) --start;
  return start;
}

template <class InSet>
std::string_view strip_if(std::string_view utf8, StripSide side, InSet in_set) {
  std::size_t begin = 0;
  std::size_t end = utf8.size();
  if (side != StripSide::kRight) {
    while (begin < end) {
      std::size_t next = begin;
      if (!in_set(next_code_point(utf8, next))) break;
      begin = next;
    }
  }
  if (side != StripSide::kLeft) {
    while (end > begin) {
      const std::size_t start = previous_start(utf8, end);
      std::size_t next = start;
      if (!in_set(next_code_point(utf8, next))) break;
      end = start;
    }
  }
  return utf8.substr(begin, end - begin);
}

void append_hex(std::string& out, const char* format, unsigned value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, value);
  out += buffer;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  if (is_ascii(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size());
  std::size_t i = 0;
  while (i < bytes.size()) {
    utf8proc_int32_t c = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data() + i),
                                         static_cast<utf8proc_ssize_t>(bytes.size() - i), &c);
    if (length > 0) {
      out.append(bytes.substr(i, static_cast<std::size_t>(length)));
      i += static_cast<std::size_t>(length);
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  return out;
}

std::size_t count_code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

char32_t next_code_point(std::string_view utf8, std::size_t& offset) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(utf8[offset + i])); };
  const char32_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (offset + length > utf8.size()) {
    ++offset;
    return U'\uFFFD';
  }
  char32_t c = length == 1 ? lead : length == 2 ? lead & 0x1F : length == 3 ? lead & 0x0F : lead & 0x07;
  for (std::size_t i = 1; i < length; ++i) c = (c << 6) | (byte(i) & 0x3F);
  offset += length;
  return c;
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::u32string decode(std::string_view utf8) {
  std::u32string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size();) out += next_code_point(utf8, i);
  return out;
}

std::string encode(std::u32string_view code_points) {
  std::string out;
  out.reserve(code_points.size());
  for (const char32_t c : code_points) append_utf8(out, c);
  return out;
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || category(c) == UTF8PROC_CATEGORY_ZS || category(c) == UTF8PROC_CATEGORY_ZL ||
         category(c) == UTF8PROC_CATEGORY_ZP;
}
bool is_alpha(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}
bool is_decimal(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_ND;
}
bool is_digit(char32_t c) {
  // Superscripts, subscripts and circled digits are digits without being decimals.
  return is_decimal(c) || c == U'²' || c == U'³' || c == U'¹' || c == U'⁰' || (c >= U'⁴' && c <= U'⁹') ||
         (c >= U'₀' && c <= U'₉') || (c >= U'①' && c <= U'⑨');
}
bool is_numeric(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_NO;
}
bool is_upper(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU;
}
bool is_lower(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL;
}
bool is_titlecase(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LT;
}

bool is_printable(char32_t c) {
  if (c == U' ') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return false;
    default: return true;
  }
}

bool is_identifier_start(char32_t c) {
  return c == U'_' || is_alpha(c) || category(c) == UTF8PROC_CATEGORY_NL;
}
bool is_identifier_part(char32_t c) {
  const auto kind = category(c);
  return is_identifier_start(c) || kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_MN ||
         kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_PC;
}

std::string to_upper(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size();) append_upper(out, next_code_point(utf8, i));
  return out;
}

std::string to_lower(std::string_view utf8) {
  const std::u32string text = decode(utf8);
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < text.size(); ++i) append_lower(out, text, i);
  return out;
}

std::string to_casefold(std::string_view utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = next_code_point(utf8, i);
    if (c == U'ß' || c == U'ẞ') {
      out += "ss";
    } else if (c == U'ς') {
      out += "σ";
    } else {
      append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    }
  }
  return out;
}

std::string to_title(std::string_view utf8) {
  const std::u32string text = decode(utf8);
  std::string out;
  bool previous_is_cased = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (previous_is_cased) {
      append_lower(out, text, i);
    } else {
      append_title(out, text[i]);
    }
    previous_is_cased = is_cased(text[i]);
  }
  return out;
}

std::string to_capitalized(std::string_view utf8) {
  const std::u32string text = decode(utf8);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 0) {
      append_title(out, text[i]);
    } else {
      append_lower(out, text, i);
    }
  }
  return out;
}

std::string to_swapped_case(std::string_view utf8) {
  const std::u32string text = decode(utf8);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_upper(text[i])) {
      append_lower(out, text, i);
    } else {
      append_upper(out, text[i]);
    }
  }
  return out;
}

std::string_view strip(std::string_view utf8, StripSide side) {
  return strip_if(utf8, side, is_space);
}

std::string_view strip(std::string_view utf8, StripSide side, std::string_view chars) {
  std::u32string set = decode(chars);
  std::sort(set.begin(), set.end());
  return strip_if(utf8, side, [&](char32_t c) { return std::binary_search(set.begin(), set.end(), c); });
}

std::string quoted(std::string_view utf8) {
  const bool use_double = utf8.find('\'') != std::string_view::npos && utf8.find('"') == std::string_view::npos;
  const char quote = use_double ? '"' : '\'';
  std::string out(1, quote);
  out.reserve(utf8.size() + 2);
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t start = i;
    const char32_t c = next_code_point(utf8, i);
    if (c == static_cast<unsigned char>(quote) || c == U'\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\r') {
      out += "\\r";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (is_printable(c)) {
      out += utf8.substr(start, i - start);
    } else if (c < 0x100) {
      append_hex(out, "\\x%02x", static_cast<unsigned>(c));
    } else if (c < 0x10000) {
      append_hex(out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      append_hex(out, "\\U%08x", static_cast<unsigned>(c));
    }
  }
  return out + quote;
}

std::string html_escaped(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (const char c : utf8) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::size_t find_text(std::string_view haystack, std::string_view needle, std::size_t from) {
  if (from > haystack.size()) return std::string_view::npos;
  const void* const place = memmem(haystack.data() + from, haystack.size() - from, needle.data(), needle.size());
  return place == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(place) - haystack.data());
}

std::size_t rfind_text(std::string_view haystack, std::string_view needle) {
  const std::string back(haystack.rbegin(), haystack.rend());
  const std::string wanted(needle.rbegin(), needle.rend());
  const std::size_t place = find_text(back, wanted);
  return place == std::string_view::npos ? place : haystack.size() - place - needle.size();
}

std::string replace_all(std::string_view utf8, std::string_view from, std::string_view to, std::int64_t max_count) {
  std::string out;
  const auto append = [&out](std::string_view part) {
    out += part;
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  };
  std::int64_t left = max_count < 0 ? INT64_MAX : max_count;
  std::size_t offset = 0;
  if (from.empty()) {  // Python puts `to` before each code point and at the end
    while (left > 0) {
      append(to);
      --left;
      if (offset >= utf8.size()) break;
      const std::size_t start = offset;
      next_code_point(utf8, offset);
      append(utf8.substr(start, offset - start));
    }
    if (offset < utf8.size()) append(utf8.substr(offset));
    return out;
  }
  while (left > 0) {
    const std::size_t place = find_text(utf8, from, offset);
    if (place == std::string_view::npos) break;
    append(utf8.substr(offset, place - offset));
    append(to);
    offset = place + from.size();
    --left;
  }
  append(utf8.substr(offset));
  return out;
}

std::vector<std::string> split_lines(std::string_view utf8, bool keep_ends) {
  std::vector<std::string> lines;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t start = i;
    const char32_t c = next_code_point(utf8, i);
    const bool is_break = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
    if (!is_break) continue;
    if (c == U'\r' && i < utf8.size() && utf8[i] == '\n') ++i;
    if (lines.size() >= kMaxSequenceItems) fail_limit("a text has more than " + std::to_string(kMaxSequenceItems) + " lines");
    lines.emplace_back(utf8.substr(line_start, (keep_ends ? i : start) - line_start));
    line_start = i;
  }
  if (line_start < utf8.size()) lines.emplace_back(utf8.substr(line_start));
  return lines;
}

}  // namespace tandem::engine::jinja
