// TokenMask: a set of token ids, one bit each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::engine {

class TokenMask {
 public:
  explicit TokenMask(std::size_t num_tokens) : words_((num_tokens + 63) / 64, 0), num_tokens_(num_tokens) {}

  void set(std::int32_t id) { words_[word_of(id)] |= bit_of(id); }
  // Ids from num_tokens on are never in the set.
  bool test(std::int32_t id) const {
    return static_cast<std::size_t>(id) < num_tokens_ && (words_[word_of(id)] & bit_of(id)) != 0;
  }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word != 0; });
  }
  std::size_t num_tokens() const { return num_tokens_; }

 private:
  static std::size_t word_of(std::int32_t id) { return static_cast<std::size_t>(id) / 64; }
  static std::uint64_t bit_of(std::int32_t id) { return std::uint64_t{1} << (static_cast<std::size_t>(id) % 64); }

  std::vector<std::uint64_t> words_;
  std::size_t num_tokens_;
};

}  // namespace tandem::engine
