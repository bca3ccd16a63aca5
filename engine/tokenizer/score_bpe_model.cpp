#include "engine/tokenizer/score_bpe_model.h"

#include <queue>

#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

struct Symbol {
  std::int32_t previous, next;
  std::uint32_t begin, length;  // in the piece; length 0: joined into the one before
};

struct Candidate {
  float score;
  std::int32_t left, right;
  std::uint32_t length;  // of both together: other than now means that one of them has grown or gone
  bool operator<(const Candidate& other) const { return score < other.score || (score == other.score && left > other.left); }
};

}  // namespace

ScoreBpeModel::ScoreBpeModel(std::vector<Token> tokens, const std::array<std::int32_t, 256>& byte_ids, std::int32_t unk_id)
    : tokens_(std::move(tokens)), index_(tokens_.size()), byte_ids_(byte_ids), unk_id_(unk_id) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) index_.insert(tokens_[i].text, static_cast<std::int32_t>(i));
}

Result<void> ScoreBpeModel::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  std::vector<Symbol> symbols;
  for (std::size_t pos = 0; pos < piece.size();) {
    const std::size_t length = utf8::length_of_lead(static_cast<unsigned char>(piece[pos]));
    const auto i = static_cast<std::int32_t>(symbols.size());
    symbols.push_back({i - 1, i + 1, static_cast<std::uint32_t>(pos), static_cast<std::uint32_t>(length)});
    pos += length;
  }
  const auto count = static_cast<std::int32_t>(symbols.size());
  const auto at = [&](std::int32_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };

  std::priority_queue<Candidate> queue;
  const auto consider = [&](std::int32_t left, std::int32_t right) {
    if (left < 0 || right >= count) return;
    const std::uint32_t length = at(left).length + at(right).length;
    const std::int32_t token = index_.find(piece.substr(at(left).begin, length));
    if (token >= 0) queue.push({tokens_[static_cast<std::size_t>(token)].score, left, right, length});
  };
  for (std::int32_t i = 0; i + 1 < count; ++i) consider(i, i + 1);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = at(best.left);
    Symbol& right = at(best.right);
    if (left.length == 0 || right.length == 0 || left.length + right.length != best.length) continue;
    left.length = best.length;
    left.next = right.next;
    right.length = 0;
    if (left.next < count) at(left.next).previous = best.left;
    consider(left.previous, best.left);
    consider(best.left, left.next);
  }

  for (std::int32_t i = 0; i < count; i = at(i).next) {
    const std::string_view text = piece.substr(at(i).begin, at(i).length);
    if (const std::int32_t token = index_.find(text); token >= 0) {
      ids.push_back(tokens_[static_cast<std::size_t>(token)].id);
      continue;
    }
    bool has_all_bytes = true;
    for (const char c : text) has_all_bytes = has_all_bytes && byte_ids_[static_cast<unsigned char>(c)] >= 0;
    if (has_all_bytes) {
      for (const char c : text) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    } else if (unk_id_ >= 0) {
      ids.push_back(unk_id_);
    } else {
      return Error{ErrorCode::kInvalidArgument,
                   "the vocabulary has no token for \"" + std::string(text) + "\" and none for unknown text"};
    }
  }
  return {};
}

}  // namespace tandem::engine
