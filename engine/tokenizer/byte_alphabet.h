// The printable alphabet in which byte-level BPE vocabularies write bytes (GPT-2's): bytes 33–126, 161–172 and 174–255 are
// the code points of the same value; the other 68, in increasing order, are U+0100, U+0101, …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::engine {

// The bytes that a vocabulary text stands for; nullopt when a character is not of the alphabet.
std::optional<std::string> bytes_from_alphabet(std::string_view text);
// The other way.
std::string alphabet_from_bytes(std::string_view bytes);

}  // namespace tandem::engine
