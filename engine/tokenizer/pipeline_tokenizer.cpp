#include "engine/tokenizer/pipeline_tokenizer.h"

#include <algorithm>

#include "base/check.h"
#include "engine/tokenizer/utf8.h"

namespace tandem::engine {

PipelineTokenizer::PipelineTokenizer(TokenizerParts parts) : parts_(std::move(parts)), index_(parts_.tokens.size()) {
  for (const AddedToken& token : parts_.added) index_.insert(parts_.tokens[static_cast<std::size_t>(token.id)].text, token.id);
  for (std::size_t id = 0; id < parts_.tokens.size(); ++id) {
    if (parts_.tokens[id].exists) index_.insert(parts_.tokens[id].text, static_cast<std::int32_t>(id));
  }
}

Result<std::shared_ptr<const Tokenizer>> PipelineTokenizer::create(TokenizerParts parts) {
  CHECK(parts.model != nullptr, "a tokenizer needs a model");
  std::sort(parts.end_of_generation_ids.begin(), parts.end_of_generation_ids.end());
  const auto last = std::unique(parts.end_of_generation_ids.begin(), parts.end_of_generation_ids.end());
  parts.end_of_generation_ids.erase(last, parts.end_of_generation_ids.end());

  std::shared_ptr<PipelineTokenizer> tokenizer(new PipelineTokenizer(std::move(parts)));
  RegexScratch scratch;
  for (const AddedToken& token : tokenizer->parts_.added) {
    std::string storage;
    std::string_view text = token.content;
    // A token of the second search is met in normalised text, so that is the form to look for.
    if (token.normalized) text = TANDEM_TRY(tokenizer->parts_.normalizer.apply(text, storage, scratch, kMaxEncodeBytes));
    if (text.empty() || text.size() > AddedTokenFinder::kMaxTokenBytes) {
      return Error{ErrorCode::kCorrupt, "added token " + std::to_string(token.id) + " has a text of " +
                                            std::to_string(text.size()) + " bytes; 1 to " +
                                            std::to_string(AddedTokenFinder::kMaxTokenBytes) + " are allowed"};
    }
    (token.normalized ? tokenizer->normalized_added_ : tokenizer->raw_added_).add(text, token);
  }
  return std::shared_ptr<const Tokenizer>(std::move(tokenizer));
}

Result<std::vector<std::int32_t>> PipelineTokenizer::encode(std::string_view text, SpecialTokens special, bool add_bos) const {
  if (text.size() > kMaxEncodeBytes) {
    return Error{ErrorCode::kInvalidArgument, "the text has " + std::to_string(text.size()) + " bytes, limit " +
                                                  std::to_string(kMaxEncodeBytes) + "; shorten it"};
  }
  std::string repaired;
  if (!utf8::is_valid(text)) {
    repaired = utf8::replace_invalid(text);
    text = repaired;
  }
  const bool with_special = special == SpecialTokens::kParse;
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 4 + 8);
  RegexScratch scratch;
  const auto on_token = [&](std::int32_t id) { ids.push_back(id); };
  const PreTokenizer::Sink on_piece = [&](std::string_view piece) { return parts_.model->encode(piece, ids); };
  const AddedTokenFinder::OnText on_raw_text = [&](std::string_view raw) -> Result<void> {
    const bool is_start = raw.data() == text.data();
    std::string storage;
    const std::string_view normalized = TANDEM_TRY(parts_.normalizer.apply(raw, storage, scratch, kMaxEncodeBytes));
    return normalized_added_.split(
        normalized, with_special,
        [&](std::string_view part) {
          return parts_.pre_tokenizer.split(part, is_start && part.data() == normalized.data(), scratch, on_piece);
        },
        on_token);
  };
  TANDEM_TRY(raw_added_.split(text, with_special, on_raw_text, on_token));
  if (add_bos && parts_.adds_bos && (ids.empty() || ids.front() != parts_.bos_id)) ids.insert(ids.begin(), parts_.bos_id);
  return ids;
}

std::string_view PipelineTokenizer::token_bytes(std::int32_t id) const {
  if (id < 0 || id >= vocab_size()) return {};
  return parts_.tokens[static_cast<std::size_t>(id)].bytes;
}

bool PipelineTokenizer::is_control(std::int32_t id) const {
  return id >= 0 && id < vocab_size() && parts_.tokens[static_cast<std::size_t>(id)].is_control;
}

std::string PipelineTokenizer::decode(const std::vector<std::int32_t>& ids, bool skip_special) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    if (skip_special && is_control(id)) continue;
    bytes.append(token_bytes(id));
  }
  std::size_t drop = 0;
  while (drop < bytes.size() && drop < static_cast<std::size_t>(parts_.leading_spaces_dropped) && bytes[drop] == ' ') ++drop;
  return utf8::replace_invalid(std::string_view(bytes).substr(drop));
}

}  // namespace tandem::engine
