// A tokenizer.json small enough to be written by hand in a test.
#pragma once

#include <nlohmann/json.hpp>

namespace tandem::engine::testing {

// Byte-level: all bytes as ids 0 to 255, then "He", "ll", "llo", "Hello", " w" (256 to 260); added <s> and </s> (261, 262).
nlohmann::json small_byte_level();
// Character-level with byte fallback: <unk>, <s>, </s>, 256 byte tokens (3 to 258), then U+2581, H, e, l, o, He, ll, llo, Hello
// (259 to 267).
nlohmann::json small_sentencepiece();

}  // namespace tandem::engine::testing
