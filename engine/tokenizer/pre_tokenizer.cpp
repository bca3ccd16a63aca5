#include "engine/tokenizer/pre_tokenizer.h"

#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_match = false;
};

// Merges matches with their neighbours as the behaviour says; empty segments vanish.
class SegmentJoiner {
 public:
  using Emit = std::function<Result<void>(std::size_t begin, std::size_t end)>;
  SegmentJoiner(SplitBehavior behavior, const Emit& emit) : behavior_(behavior), emit_(emit) {}

  Result<void> add(Segment next) {
    if (behavior_ == SplitBehavior::kRemoved) return next.is_match ? Result<void>() : emit(next);
    if (behavior_ == SplitBehavior::kIsolated) return emit(next);
    if (has_held_ && joins(next)) {
      held_.end = next.end;
      held_.is_match = next.is_match;
      return {};
    }
    TANDEM_TRY(finish());
    held_ = next;
    has_held_ = true;
    return {};
  }
  Result<void> finish() {
    if (!has_held_) return {};
    has_held_ = false;
    return emit(held_);
  }

 private:
  bool joins(const Segment& next) const {
    switch (behavior_) {
      case SplitBehavior::kContiguous: return next.is_match == held_.is_match;
      case SplitBehavior::kMergedWithPrevious: return next.is_match && !held_.is_match;
      default: return held_.is_match && !next.is_match;  // kMergedWithNext
    }
  }
  Result<void> emit(const Segment& segment) {
    return segment.begin == segment.end ? Result<void>() : emit_(segment.begin, segment.end);
  }

  SplitBehavior behavior_;
  const Emit& emit_;
  Segment held_;
  bool has_held_ = false;
};

Result<bool> find_next(const PreTokenizer::Split& split, std::string_view text, std::size_t from, RegexScratch& scratch,
                       Regex::Match& match) {
  if (const auto* regex = std::get_if<Regex>(&split.pattern)) return regex->find(text, from, scratch, match);
  const std::string& literal = std::get<std::string>(split.pattern);
  const std::size_t found = literal.empty() ? std::string_view::npos : text.find(literal, from);
  if (found == std::string_view::npos) return false;
  match = {found, found + literal.size()};
  return true;
}

std::string replace_spaces(std::string_view text, std::string_view replacement) {
  std::string out;
  out.reserve(text.size() + replacement.size());
  for (const char c : text) {
    if (c == ' ') {
      out.append(replacement);
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

Result<void> PreTokenizer::split(std::string_view text, bool is_start, RegexScratch& scratch, const Sink& sink) const {
  if (text.empty()) return {};
  return run(0, text, is_start, scratch, sink);
}

Result<void> PreTokenizer::run(std::size_t step_idx, std::string_view text, bool is_start, RegexScratch& scratch,
                               const Sink& sink) const {
  if (step_idx == steps_.size()) return sink(text);
  const Step& step = steps_[step_idx];
  if (const auto* split = std::get_if<Split>(&step)) return run_split(*split, step_idx, text, is_start, scratch, sink);
  if (std::holds_alternative<PrefixSpace>(step)) {
    if (text.front() == ' ') return run(step_idx + 1, text, is_start, scratch, sink);
    return run(step_idx + 1, " " + std::string(text), is_start, scratch, sink);
  }
  const auto& metaspace = std::get<Metaspace>(step);
  std::string changed = replace_spaces(text, metaspace.replacement);
  const bool wants_prefix =
      metaspace.prepend == Metaspace::Prepend::kAlways || (metaspace.prepend == Metaspace::Prepend::kFirst && is_start);
  if (wants_prefix && !changed.starts_with(metaspace.replacement)) changed.insert(0, metaspace.replacement);
  if (!metaspace.split) return run(step_idx + 1, changed, is_start, scratch, sink);
  return run_split(Split{metaspace.replacement, SplitBehavior::kMergedWithNext, false}, step_idx, changed, is_start, scratch,
                   sink);
}

Result<void> PreTokenizer::run_split(const Split& split, std::size_t step_idx, std::string_view text, bool is_start,
                                     RegexScratch& scratch, const Sink& sink) const {
  const SegmentJoiner::Emit emit = [&](std::size_t begin, std::size_t end) {
    return run(step_idx + 1, text.substr(begin, end - begin), is_start && begin == 0, scratch, sink);
  };
  SegmentJoiner joiner(split.behavior, emit);
  std::size_t done = 0;
  std::size_t from = 0;
  while (from < text.size()) {
    Regex::Match match;
    if (!TANDEM_TRY(find_next(split, text, from, scratch, match))) break;
    if (match.begin > done) TANDEM_TRY(joiner.add({done, match.begin, split.invert}));
    TANDEM_TRY(joiner.add({match.begin, match.end, !split.invert}));
    done = match.end;
    from = match.end;
    // An empty match is a border; the search goes on behind the next character.
    if (match.begin == match.end) from += utf8::length_of_lead(static_cast<unsigned char>(text[from]));
  }
  if (done < text.size()) TANDEM_TRY(joiner.add({done, text.size(), split.invert}));
  return joiner.finish();
}

}  // namespace tandem::engine
