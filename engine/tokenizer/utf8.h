// UTF-8 on byte strings: validation, decoding, and replacement of ill-formed bytes by the maximal-subpart rule (the one of
// WHATWG decoders and Python's "replace": each longest prefix of a possible sequence becomes one U+FFFD).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::engine::utf8 {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Step {
  std::uint8_t length = 0;  // bytes of the sequence, or of the ill-formed subpart
  bool is_valid = false;
  bool is_cut = false;  // ill-formed only because the text ends: more bytes could complete it
};

// What starts at text[pos]; pos < text.size().
Step step(std::string_view text, std::size_t pos);

bool is_valid(std::string_view text);
// `text` with every ill-formed subpart replaced by U+FFFD.
std::string replace_invalid(std::string_view text);
// Moves everything from `pending` that later bytes cannot change to the result, ill-formed subparts as U+FFFD. At most
// 3 bytes, the start of an unfinished sequence, stay behind.
std::string take_complete(std::string& pending);

// The code point at text[pos] and its length; text must be valid there.
char32_t decode(std::string_view text, std::size_t pos, std::size_t& length);
void append(std::string& out, char32_t code_point);

// Bytes of the sequence that a valid lead byte starts.
inline std::size_t length_of_lead(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace tandem::engine::utf8
