#include "engine/tokenizer/bpe_model.h"

#include <algorithm>
#include <queue>

#include "engine/model_file/quoted_name.h"
#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

// Up to here scanning all neighbouring pairs for the best one beats a heap.
constexpr std::size_t kMaxShortSymbols = 48;

std::string hex_byte(int byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {kDigits[static_cast<std::size_t>(byte) / 16], kDigits[static_cast<std::size_t>(byte) % 16]};
}

bool occurs_in_utf8(int byte) {
  return byte != 0xC0 && byte != 0xC1 && byte <= 0xF4;
}

}  // namespace

int byte_of_byte_token(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + (c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + (c - 'A' + 10);
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + (c - 'a' + 10);
    } else {
      return -1;
    }
  }
  return value;
}

void BpeModel::MergeTable::reserve(std::size_t num_merges) {
  std::size_t capacity = 16;
  shift_ = 60;
  while (capacity * 5 < num_merges * 8) {
    capacity *= 2;
    --shift_;
  }
  entries_.assign(capacity, Entry{});
}

void BpeModel::MergeTable::insert(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t result) {
  Entry& entry = entries_[slot(key(left, right))];
  if (entry.rank == kNone) entry = {key(left, right), rank, result};
}

BpeModel::BpeModel(std::vector<Token> tokens, const BpeOptions& options)
    : options_(options), tokens_(std::move(tokens)), index_(tokens_.size()) {
  byte_ids_.fill(-1);
  for (const Token& token : tokens_) {
    index_.insert(token.text, token.id);
    const int byte = options_.byte_level ? (token.text.size() == 1 ? static_cast<unsigned char>(token.text[0]) : -1)
                                         : byte_of_byte_token(token.text);
    if (byte >= 0 && byte_ids_[static_cast<std::size_t>(byte)] < 0) byte_ids_[static_cast<std::size_t>(byte)] = token.id;
  }
}

Result<std::unique_ptr<BpeModel>> BpeModel::create(std::vector<Token> tokens, const std::vector<Merge>& merges,
                                                   const BpeOptions& options) {
  std::unique_ptr<BpeModel> model(new BpeModel(std::move(tokens), options));
  model->merges_.reserve(merges.size());
  std::string joined;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Merge& merge = merges[rank];
    joined.assign(merge.left).append(merge.right);
    const std::int32_t left = model->index_.find(merge.left);
    const std::int32_t right = model->index_.find(merge.right);
    const std::int32_t result = model->index_.find(joined);
    if (left < 0 || right < 0 || result < 0) {
      const std::string_view missing = left < 0 ? merge.left : right < 0 ? merge.right : std::string_view(joined);
      return Error{ErrorCode::kCorrupt, "merge " + std::to_string(rank) + " (" + quoted_name(merge.left) + " + " +
                                            quoted_name(merge.right) + "): " + quoted_name(missing) +
                                            " is not in the vocabulary"};
    }
    model->merges_.insert(left, right, static_cast<std::uint32_t>(rank), result);
  }
  if (options.byte_level && options.unk_id < 0) {
    for (int byte = 0; byte < 256; ++byte) {
      if (occurs_in_utf8(byte) && model->byte_ids_[static_cast<std::size_t>(byte)] < 0) {
        return Error{ErrorCode::kCorrupt, "the byte-level vocabulary has no token for byte 0x" + hex_byte(byte)};
      }
    }
  }
  return model;
}

Result<void> BpeModel::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (cache_.find(piece, ids)) return {};
  if (options_.ignore_merges) {
    if (const std::int32_t id = index_.find(piece); id >= 0) {
      ids.push_back(id);
      return {};
    }
  }
  std::vector<std::int32_t> symbols;
  symbols.reserve(piece.size());
  TANDEM_TRY(to_symbols(piece, symbols));
  if (symbols.size() <= kMaxShortSymbols) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
  cache_.insert(piece, symbols);
  ids.insert(ids.end(), symbols.begin(), symbols.end());
  return {};
}

Result<void> BpeModel::to_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const {
  bool previous_is_unk = false;
  const auto push_unk = [&](std::string_view what) -> Result<void> {
    if (options_.unk_id < 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "the vocabulary has no token for " + quoted_name(what) + " and none for unknown text"};
    }
    if (!(previous_is_unk && options_.fuse_unk)) symbols.push_back(options_.unk_id);
    previous_is_unk = true;
    return {};
  };
  if (options_.byte_level) {
    for (const char c : piece) {
      const std::int32_t id = byte_ids_[static_cast<unsigned char>(c)];
      if (id < 0) {
        TANDEM_TRY(push_unk({&c, 1}));
      } else {
        symbols.push_back(id);
        previous_is_unk = false;
      }
    }
    return {};
  }
  for (std::size_t pos = 0, length = 0; pos < piece.size(); pos += length) {
    length = utf8::length_of_lead(static_cast<unsigned char>(piece[pos]));
    const std::string_view character = piece.substr(pos, length);
    if (const std::int32_t id = index_.find(character); id >= 0) {
      symbols.push_back(id);
      previous_is_unk = false;
      continue;
    }
    const bool has_all_bytes = options_.byte_fallback && std::all_of(character.begin(), character.end(), [&](char c) {
                                 return byte_ids_[static_cast<unsigned char>(c)] >= 0;
                               });
    if (!has_all_bytes) {
      TANDEM_TRY(push_unk(character));
      continue;
    }
    for (const char c : character) symbols.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    previous_is_unk = false;
  }
  return {};
}

void BpeModel::merge_short(std::vector<std::int32_t>& symbols) const {
  std::array<const MergeTable::Entry*, kMaxShortSymbols> pairs;  // pairs[i]: the merge of symbols i and i + 1
  std::size_t count = symbols.size();
  if (count < 2) return;
  for (std::size_t i = 0; i + 1 < count; ++i) pairs[i] = &merges_.find(symbols[i], symbols[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i]->rank < pairs[best]->rank) best = i;
    }
    if (pairs[best]->rank == MergeTable::kNone) break;
    symbols[best] = pairs[best]->result;
    for (std::size_t i = best + 1; i + 1 < count; ++i) {
      symbols[i] = symbols[i + 1];
      pairs[i - 1] = pairs[i];
    }
    --count;
    if (best > 0) pairs[best - 1] = &merges_.find(symbols[best - 1], symbols[best]);
    if (best + 1 < count) pairs[best] = &merges_.find(symbols[best], symbols[best + 1]);
  }
  symbols.resize(count);
}

void BpeModel::merge_long(std::vector<std::int32_t>& symbols) const {
  // A linked list of symbols and a heap of (rank, position). A position whose pair changed leaves a stale entry behind,
  // known by its rank, since a rank belongs to one pair only.
  struct Node {
    std::int32_t previous, next;
    std::uint32_t rank;  // of the pair with the next node
    std::int32_t result;
  };
  const auto count = static_cast<std::int32_t>(symbols.size());
  std::vector<Node> nodes(symbols.size());
  std::vector<std::uint64_t> heap_storage;
  heap_storage.reserve(symbols.size());
  const auto update = [&](std::int32_t i) {
    Node& node = nodes[static_cast<std::size_t>(i)];
    if (node.next >= count) {
      node.rank = MergeTable::kNone;
      return false;
    }
    const MergeTable::Entry& entry =
        merges_.find(symbols[static_cast<std::size_t>(i)], symbols[static_cast<std::size_t>(node.next)]);
    node.rank = entry.rank;
    node.result = entry.result;
    return entry.rank != MergeTable::kNone;
  };
  const auto heap_entry = [&](std::int32_t i) {
    return (std::uint64_t{nodes[static_cast<std::size_t>(i)].rank} << 32) | static_cast<std::uint32_t>(i);
  };
  for (std::int32_t i = 0; i < count; ++i) nodes[static_cast<std::size_t>(i)] = {i - 1, i + 1, MergeTable::kNone, -1};
  for (std::int32_t i = 0; i < count; ++i) {
    if (update(i)) heap_storage.push_back(heap_entry(i));
  }
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heap(std::greater<>{},
                                                                                      std::move(heap_storage));
  while (!heap.empty()) {
    const std::uint64_t top = heap.top();
    heap.pop();
    const auto i = static_cast<std::int32_t>(top & 0xFFFFFFFFU);
    Node& node = nodes[static_cast<std::size_t>(i)];
    if (node.rank != static_cast<std::uint32_t>(top >> 32)) continue;
    symbols[static_cast<std::size_t>(i)] = node.result;
    Node& gone = nodes[static_cast<std::size_t>(node.next)];
    gone.rank = MergeTable::kNone;
    node.next = gone.next;
    if (node.next < count) nodes[static_cast<std::size_t>(node.next)].previous = i;
    if (update(i)) heap.push(heap_entry(i));
    if (node.previous >= 0 && update(node.previous)) heap.push(heap_entry(node.previous));
  }
  std::size_t kept = 0;
  for (std::int32_t i = 0; i < count; i = nodes[static_cast<std::size_t>(i)].next) {
    symbols[kept++] = symbols[static_cast<std::size_t>(i)];
  }
  symbols.resize(kept);
}

}  // namespace tandem::engine
