// Splits normalised text into the pieces that are tokenised on their own, as tokenizer.json's "pre_tokenizer" describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/regex.h"

namespace tandem::engine {

enum class SplitBehavior : std::uint8_t { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

// Immutable once built; any thread.
class PreTokenizer {
 public:
  // Pieces at matches of a pattern; `invert` swaps matches and gaps.
  struct Split {
    std::variant<std::string, Regex> pattern;
    SplitBehavior behavior = SplitBehavior::kIsolated;
    bool invert = false;
  };
  // Spaces become `replacement`, one is put before the text, and pieces begin at it.
  struct Metaspace {
    enum class Prepend : std::uint8_t { kNever, kFirst, kAlways };
    std::string replacement;
    Prepend prepend = Prepend::kAlways;
    bool split = true;
  };
  // A space before every piece that has none.
  struct PrefixSpace {};
  using Step = std::variant<Split, Metaspace, PrefixSpace>;

  void add(Step step) { steps_.push_back(std::move(step)); }

  using Sink = std::function<Result<void>(std::string_view)>;
  // Calls `sink` with every non-empty piece in order; pieces are valid only during the call. `is_start`: the text is the
  // start of what the caller tokenises. Errors: those of the sink, or a limit of a regular expression.
  Result<void> split(std::string_view text, bool is_start, RegexScratch& scratch, const Sink& sink) const;

 private:
  Result<void> run(std::size_t step_idx, std::string_view text, bool is_start, RegexScratch& scratch, const Sink& sink) const;
  Result<void> run_split(const Split& split, std::size_t step_idx, std::string_view text, bool is_start, RegexScratch& scratch,
                         const Sink& sink) const;
  std::vector<Step> steps_;
};

}  // namespace tandem::engine
