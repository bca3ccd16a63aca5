// Tokenizer files for tests: the reduced tokenizer.json files of tests/golden/tokenizer, and the same as GGUF metadata.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/model_file/model_file.h"

namespace tandem::engine::testing {

std::string read_file(const std::string& path);

// The keys a converter writes for a byte-level tokenizer.json ("gpt2" model). Ids without a token become unused [PADi].
GgufMetadata byte_level_metadata(const nlohmann::json& tokenizer_json, std::string_view pre);
// For a SentencePiece one ("llama" model): the score of a token is minus the rank of the first merge that makes it, the order
// in which tokenizer.json's merges were made from the scores.
GgufMetadata score_based_metadata(const nlohmann::json& tokenizer_json);

// Hexadecimal SHA-256.
std::string sha256(std::string_view data);

}  // namespace tandem::engine::testing
