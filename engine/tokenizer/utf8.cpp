#include "engine/tokenizer/utf8.h"

#include <cstring>

namespace tandem::engine::utf8 {

Step step(std::string_view text, std::size_t pos) {
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[pos + offset]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true, false};
  // The range of the second byte rules out overlong forms, surrogates and values above U+10FFFF.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  std::uint8_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false, false};
  }
  for (std::uint8_t i = 1; i < length; ++i) {
    if (pos + i >= text.size()) return {i, false, true};
    if (byte(i) < low || byte(i) > high) return {i, false, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true, false};
}

namespace {

// First position at or after `pos` whose byte is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t pos) {
  while (pos + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + pos, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
    pos += 8;
  }
  while (pos < text.size() && static_cast<unsigned char>(text[pos]) < 0x80) ++pos;
  return pos;
}

// Length of the valid prefix.
std::size_t valid_prefix(std::string_view text) {
  std::size_t pos = skip_ascii(text, 0);
  while (pos < text.size()) {
    const Step s = step(text, pos);
    if (!s.is_valid) return pos;
    pos += s.length;
    if (pos < text.size() && static_cast<unsigned char>(text[pos]) < 0x80) pos = skip_ascii(text, pos);
  }
  return pos;
}

}  // namespace

bool is_valid(std::string_view text) {
  return valid_prefix(text) == text.size();
}

std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = valid_prefix(text);
    out.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    out.append(kReplacement);
    text.remove_prefix(step(text, 0).length);
  }
  return out;
}

std::string take_complete(std::string& pending) {
  std::string out;
  std::size_t pos = 0;
  while (pos < pending.size()) {
    const Step s = step(pending, pos);
    if (s.is_cut) break;
    if (s.is_valid) {
      out.append(pending, pos, s.length);
    } else {
      out.append(kReplacement);
    }
    pos += s.length;
  }
  pending.erase(0, pos);
  return out;
}

char32_t decode(std::string_view text, std::size_t pos, std::size_t& length) {
  const auto byte = [&](std::size_t offset) { return static_cast<char32_t>(static_cast<unsigned char>(text[pos + offset])); };
  const char32_t lead = byte(0);
  length = length_of_lead(static_cast<unsigned char>(lead));
  switch (length) {
    case 1: return lead;
    case 2: return ((lead & 0x1F) << 6) | (byte(1) & 0x3F);
    case 3: return ((lead & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
    default: return ((lead & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F);
  }
}

void append(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace tandem::engine::utf8
