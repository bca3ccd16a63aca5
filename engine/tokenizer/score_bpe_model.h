// ScoreBpeModel: SentencePiece's BPE (GGUF tokenizer model "llama"): characters are joined as long as the joined text is a
// token, the highest score first; what is no token in the end becomes byte tokens.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/token_model.h"

namespace tandem::engine {

class ScoreBpeModel final : public TokenModel {
 public:
  struct Token {
    std::string text;  // with U+2581 for spaces
    std::int32_t id = -1;
    float score = 0.0F;
  };
  // `byte_ids`: the <0xHH> token of each byte or -1; `unk_id` stands for a character without byte tokens (-1: an Error).
  ScoreBpeModel(std::vector<Token> tokens, const std::array<std::int32_t, 256>& byte_ids, std::int32_t unk_id);

  Result<void> encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  std::vector<Token> tokens_;  // owns the texts of index_, whose values are positions here
  StringIndex index_;
  std::array<std::int32_t, 256> byte_ids_;
  std::int32_t unk_id_;
};

}  // namespace tandem::engine
