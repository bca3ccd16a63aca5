// Added tokens: texts that are cut out of the input before anything else happens to it (<|im_end|>, <tool_call>, …).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::engine {

struct AddedToken {
  std::int32_t id = -1;
  std::string content;
  bool single_word = false;  // only between characters that are no part of a word
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and behind it
  bool normalized = false;   // searched in the normalised text instead of the raw one
  bool special = false;      // a control token
};

// Finds added tokens from left to right, the longest one at each place. Immutable after the last add(); any thread.
class AddedTokenFinder {
 public:
  static constexpr std::size_t kMaxTokenBytes = 1024;  // bounds the work per byte of text

  // `text` is what to look for: 1 to kMaxTokenBytes bytes. The first of two equal texts stays.
  void add(std::string_view text, const AddedToken& token);
  bool is_empty() const { return tokens_.empty(); }

  using OnText = std::function<Result<void>(std::string_view)>;
  using OnToken = std::function<void(std::int32_t id)>;
  // Calls back for the pieces of valid UTF-8 `text` in order. Control tokens count as text unless `with_special`.
  Result<void> split(std::string_view text, bool with_special, const OnText& on_text, const OnToken& on_token) const;

 private:
  struct Node {  // of a trie over bytes; children are linked through `sibling`
    std::int32_t child = -1;
    std::int32_t sibling = -1;
    std::int32_t token_idx = -1;
    unsigned char byte = 0;
  };
  std::int32_t find_child(std::int32_t node, unsigned char byte) const;
  // Longest token at text[pos] as an index into tokens_, and its length; -1: none.
  std::int32_t longest_at(std::string_view text, std::size_t pos, std::size_t& length) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_ = std::vector<Node>(1);  // the root
  std::array<bool, 256> first_bytes_{};
};

}  // namespace tandem::engine
