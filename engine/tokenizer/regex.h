// Regular expressions of pre-tokenizers and normalizers: PCRE2 with Unicode properties, made to mean what the reference
// tokenizers mean (Oniguruma's Ruby syntax). Patterns come from model files, so every match is bounded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::engine {

// Working memory of matches. One per thread at a time.
class RegexScratch {
 public:
  RegexScratch();
  ~RegexScratch();
  RegexScratch(const RegexScratch&) = delete;
  RegexScratch& operator=(const RegexScratch&) = delete;

 private:
  friend class Regex;
  struct State;
  std::unique_ptr<State> state_;
};

// Immutable after compile(); any thread.
class Regex {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // Errors: a syntax error with its position; kUnsupported for constructs that mean something else in PCRE2.
  static Result<Regex> compile(std::string_view pattern);

  // The first match that starts at or after `from`; false: none. `text` must be valid UTF-8 (it is not checked again: that
  // would make a scan quadratic) and `from` a character border. Errors: a limit of the matcher reached.
  Result<bool> find(std::string_view text, std::size_t from, RegexScratch& scratch, Match& match) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace tandem::engine
