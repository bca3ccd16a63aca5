// PipelineTokenizer: the one Tokenizer: added tokens, normalizer, pre-tokenizer and model one after the other. The loaders
// (gguf_loader.cpp, json_loader.cpp) fill TokenizerParts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/token_model.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {

// Ids above this are refused: every id below the largest one costs a table entry.
inline constexpr std::int32_t kMaxTokenId = (1 << 22) - 1;
inline constexpr std::size_t kMaxEncodeBytes = std::size_t{64} << 20;

struct TokenizerParts {
  struct Token {
    std::string text;   // as the file has it; what token_id() finds
    std::string bytes;  // what it stands for in decoded text
    bool exists = false;
    bool is_control = false;
  };
  std::vector<Token> tokens;  // by id; ids without a token stay empty
  std::vector<AddedToken> added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  std::int32_t bos_id = -1;
  std::int32_t eos_id = -1;
  bool adds_bos = false;
  std::int32_t leading_spaces_dropped = 0;
  std::vector<std::int32_t> end_of_generation_ids;
  std::vector<std::string> warnings;
};

class PipelineTokenizer final : public Tokenizer {
 public:
  // Errors: an added token's text that is empty or too long, after normalisation too.
  static Result<std::shared_ptr<const Tokenizer>> create(TokenizerParts parts);

  Result<std::vector<std::int32_t>> encode(std::string_view text, SpecialTokens special, bool add_bos) const override;
  std::string_view token_bytes(std::int32_t id) const override;
  std::string decode(const std::vector<std::int32_t>& ids, bool skip_special) const override;
  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(parts_.tokens.size()); }
  bool is_control(std::int32_t id) const override;
  std::int32_t token_id(std::string_view text) const override { return index_.find(text); }
  std::int32_t bos_id() const override { return parts_.bos_id; }
  std::int32_t eos_id() const override { return parts_.eos_id; }
  bool adds_bos() const override { return parts_.adds_bos; }
  const std::vector<std::int32_t>& end_of_generation_ids() const override { return parts_.end_of_generation_ids; }
  const std::vector<std::string>& warnings() const override { return parts_.warnings; }
  std::int32_t leading_spaces_dropped() const override { return parts_.leading_spaces_dropped; }

 private:
  explicit PipelineTokenizer(TokenizerParts parts);

  TokenizerParts parts_;
  StringIndex index_;  // from text to id, added tokens before vocabulary
  AddedTokenFinder raw_added_;
  AddedTokenFinder normalized_added_;
};

}  // namespace tandem::engine
