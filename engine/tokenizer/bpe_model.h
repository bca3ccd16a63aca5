// BpeModel: byte-pair encoding by ranked merges, over bytes (GPT-2 and its successors) or over characters with byte
// fallback (what tokenizer.json makes of SentencePiece vocabularies).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/piece_cache.h"
#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/token_model.h"

namespace tandem::engine {

struct BpeOptions {
  bool byte_level = true;      // symbols are bytes, else characters
  bool ignore_merges = false;  // a piece that is a token as a whole is that token
  bool byte_fallback = false;  // character symbols only: unknown characters become their <0xHH> tokens
  bool fuse_unk = false;       // neighbouring unknown characters become one unk
  std::int32_t unk_id = -1;    // -1: an unknown character is an Error
};

class BpeModel final : public TokenModel {
 public:
  // A token text with its id: raw bytes when byte_level, UTF-8 otherwise.
  struct Token {
    std::string text;
    std::int32_t id = -1;
  };
  struct Merge {
    std::string left, right;
  };
  // Errors: a merge whose parts or result are no tokens; no token for a byte that UTF-8 text can hold, without an unk.
  static Result<std::unique_ptr<BpeModel>> create(std::vector<Token> tokens, const std::vector<Merge>& merges,
                                                  const BpeOptions& options);

  Result<void> encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  // Open addressing, power-of-two capacity, from a pair of ids to the merge's rank and result.
  class MergeTable {
   public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    struct Entry {
      std::uint64_t pair = ~std::uint64_t{0};
      std::uint32_t rank = kNone;
      std::int32_t result = -1;
    };
    void reserve(std::size_t num_merges);
    void insert(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t result);  // the first one stays
    const Entry& find(std::int32_t left, std::int32_t right) const { return entries_[slot(key(left, right))]; }

   private:
    static std::uint64_t key(std::int32_t left, std::int32_t right) {
      return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) | static_cast<std::uint32_t>(right);
    }
    std::size_t slot(std::uint64_t pair) const {
      std::size_t i = static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15ULL) >> shift_);
      while (entries_[i].pair != pair && entries_[i].rank != kNone) i = (i + 1) & (entries_.size() - 1);
      return i;
    }
    std::vector<Entry> entries_;
    int shift_ = 60;
  };

  BpeModel(std::vector<Token> tokens, const BpeOptions& options);
  Result<void> to_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const;
  void merge_short(std::vector<std::int32_t>& symbols) const;
  void merge_long(std::vector<std::int32_t>& symbols) const;

  BpeOptions options_;
  std::vector<Token> tokens_;  // owns the texts of index_
  StringIndex index_;
  MergeTable merges_;
  std::array<std::int32_t, 256> byte_ids_{};  // of single bytes (byte_level) or <0xHH> tokens; -1: none
  mutable PieceCache cache_;
};

// The byte of a token text that is exactly "<0xHH>", two hexadecimal digits; -1 otherwise.
int byte_of_byte_token(std::string_view text);

}  // namespace tandem::engine
