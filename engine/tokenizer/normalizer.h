// Text normalisation before pre-tokenisation, as tokenizer.json's "normalizer" describes it. Immutable; any thread.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/regex.h"

namespace tandem::engine {

enum class NormalForm : std::uint8_t { kNfc, kNfd, kNfkc, kNfkd };

// `text` (valid UTF-8) in a Unicode normal form. O(n log n) whatever the text: runs of marks are sorted, not inserted one
// by one.
std::string to_normal_form(std::string_view text, NormalForm form);
// True when NFC certainly leaves the text as it is; false: it may change. Linear and cheap.
bool is_surely_nfc(std::string_view text);

class Normalizer {
 public:
  struct Unicode {
    NormalForm form = NormalForm::kNfc;
  };
  struct Prepend {
    std::string prefix;
  };
  struct Replace {
    std::variant<std::string, Regex> pattern;
    std::string content;
  };
  struct Lowercase {};
  using Step = std::variant<Unicode, Prepend, Replace, Lowercase>;

  void add(Step step) { steps_.push_back(std::move(step)); }
  bool is_empty() const { return steps_.empty(); }

  // The normalised text: `text` itself where nothing changes, else a view of `storage`. Text must be valid UTF-8 and
  // outlive the result. Errors: a limit of a regular expression; a text that grows past `max_bytes`.
  Result<std::string_view> apply(std::string_view text, std::string& storage, RegexScratch& scratch,
                                 std::size_t max_bytes) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace tandem::engine
