#include "engine/tokenizer/byte_alphabet.h"

#include <array>

#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

constexpr int kAlphabetEnd = 256 + 68;

struct Alphabet {
  std::array<char16_t, 256> char_of_byte{};
  std::array<std::int16_t, kAlphabetEnd> byte_of_char{};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  for (auto& byte : alphabet.byte_of_char) byte = -1;
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    const int code_point = is_printable ? byte : next++;
    alphabet.char_of_byte[static_cast<std::size_t>(byte)] = static_cast<char16_t>(code_point);
    alphabet.byte_of_char[static_cast<std::size_t>(code_point)] = static_cast<std::int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();
static_assert(kAlphabet.char_of_byte[' '] == 0x120 && kAlphabet.char_of_byte['\n'] == 0x10A);

}  // namespace

std::optional<std::string> bytes_from_alphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) {
    if (!utf8::step(text, pos).is_valid) return std::nullopt;
    std::size_t length = 0;
    const char32_t code_point = utf8::decode(text, pos, length);
    if (code_point >= kAlphabetEnd || kAlphabet.byte_of_char[code_point] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kAlphabet.byte_of_char[code_point]));
    pos += length;
  }
  return bytes;
}

std::string alphabet_from_bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) utf8::append(text, kAlphabet.char_of_byte[static_cast<unsigned char>(byte)]);
  return text;
}

}  // namespace tandem::engine
