// Tokenizer: text ↔ token ids, built from a GGUF header or a tokenizer.json. Immutable, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::engine {

class ModelFile;

enum class SpecialTokens : bool {
  kAsText,  // "<|im_end|>" in the text is plain text; user-defined (non-control) added tokens still match
  kParse,   // added tokens in the text become their ids
};

class Tokenizer {
 public:
  static Result<std::shared_ptr<const Tokenizer>> create(const ModelFile& file);
  // From tokenizer.json's text and, where present, tokenizer_config.json's.
  static Result<std::shared_ptr<const Tokenizer>> from_tokenizer_json(std::string_view tokenizer_json,
                                                                      std::string_view tokenizer_config_json);
  virtual ~Tokenizer() = default;

  // Ids of `text`. Invalid UTF-8 is read as U+FFFD (maximal subparts). `add_bos` adds BOS only where the tokenizer is one
  // that adds it, and never a second one. Errors: a pre-tokenizer limit exceeded.
  virtual Result<std::vector<std::int32_t>> encode(std::string_view text, SpecialTokens special, bool add_bos) const = 0;
  // Text bytes of one token: may be part of a code point. Special tokens give their literal text.
  virtual std::string_view token_bytes(std::int32_t id) const = 0;
  // Text of ids; skip_special drops control tokens. Incomplete UTF-8 becomes U+FFFD.
  virtual std::string decode(const std::vector<std::int32_t>& ids, bool skip_special) const = 0;

  virtual std::int32_t vocab_size() const = 0;         // ids that have a token; the model's logits may have more rows
  virtual bool is_control(std::int32_t id) const = 0;  // hidden by skip_special
  virtual std::int32_t token_id(std::string_view text) const = 0;  // exact added or vocabulary token text; -1: none
  virtual std::int32_t bos_id() const = 0;                         // -1: none
  virtual std::int32_t eos_id() const = 0;                         // -1: none
  virtual bool adds_bos() const = 0;
  virtual const std::vector<std::int32_t>& end_of_generation_ids() const = 0;  // sorted
  // Score-based vocabularies put a space before the first word: decode() drops this many from the start of a text.
  virtual std::int32_t leading_spaces_dropped() const { return 0; }
  // What a user should know: missing pre-tokenizer key, …
  virtual const std::vector<std::string>& warnings() const = 0;
};

// Turns generated ids into text that only ever ends at a whole code point (at most 3 bytes are held back). The texts of all
// calls together are what Tokenizer::decode gives for all ids. The tokenizer must outlive it; one thread at a time.
class IncrementalDetokenizer {
 public:
  IncrementalDetokenizer(const Tokenizer& tokenizer, bool skip_special)
      : tokenizer_(tokenizer), skip_special_(skip_special), spaces_to_drop_(tokenizer.leading_spaces_dropped()) {}
  std::string push(std::int32_t id);
  std::string flush();  // at the end: what was held back, as U+FFFD

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_;
  std::int32_t spaces_to_drop_;
  std::string pending_;
};

}  // namespace tandem::engine
