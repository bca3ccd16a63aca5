// NoTokenizer: stands in for the tokenizer of a model that has none. Such a model still computes logits and takes token ids.
#pragma once

#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {

class NoTokenizer final : public Tokenizer {
 public:
  explicit NoTokenizer(std::int32_t vocab_size) : vocab_size_(vocab_size) {}

  Result<std::vector<std::int32_t>> encode(std::string_view, SpecialTokens, bool) const override {
    return Error{ErrorCode::kUnsupported, "The model has no tokenizer, so it takes token ids only"};
  }
  std::string_view token_bytes(std::int32_t) const override { return {}; }
  std::string decode(const std::vector<std::int32_t>&, bool) const override { return {}; }
  std::int32_t vocab_size() const override { return vocab_size_; }
  bool is_control(std::int32_t) const override { return false; }
  std::int32_t token_id(std::string_view) const override { return -1; }
  std::int32_t bos_id() const override { return -1; }
  std::int32_t eos_id() const override { return -1; }
  bool adds_bos() const override { return false; }
  const std::vector<std::int32_t>& end_of_generation_ids() const override { return no_ids_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

 private:
  std::int32_t vocab_size_;
  std::vector<std::int32_t> no_ids_;
  std::vector<std::string> warnings_{"The model has no tokenizer: it takes token ids only."};
};

}  // namespace tandem::engine
