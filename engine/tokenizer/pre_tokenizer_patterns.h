// Pre-tokenizer patterns by the name a GGUF header gives them ("tokenizer.ggml.pre"). The patterns are data of the model
// families, verbatim as their tokenizer.json files have them.
#pragma once

#include <span>
#include <string_view>

namespace tandem::engine {

struct PreTokenizerSpec {
  std::span<const std::string_view> patterns;  // applied one after the other, each isolating its matches
  bool ignore_merges = false;                  // a piece that is a token as a whole is not built from merges
  bool adds_bos = false;                       // where the header does not say
  bool nfc = false;                            // text is brought to NFC first
};

// Null for a name this version does not know.
const PreTokenizerSpec* find_pre_tokenizer(std::string_view name);
// The pattern of tokenizer.json's ByteLevel with use_regex.
std::string_view gpt2_pattern();

}  // namespace tandem::engine
