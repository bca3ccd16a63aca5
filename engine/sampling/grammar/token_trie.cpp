#include "engine/sampling/grammar/token_trie.h"

#include <algorithm>

#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

constexpr std::size_t kMaxTokenBytes = 65535;  // a node's depth has 16 bits

}  // namespace

TokenTrie::TokenTrie(const Tokenizer& tokenizer) : num_tokens_(static_cast<std::size_t>(tokenizer.vocab_size())) {
  std::vector<std::pair<std::string_view, std::int32_t>> texts;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (!tokenizer.is_control(id)) texts.emplace_back(tokenizer.token_bytes(id), id);
  }
  build(std::move(texts));
}

TokenTrie::TokenTrie(std::span<const std::string_view> texts) : num_tokens_(texts.size()) {
  std::vector<std::pair<std::string_view, std::int32_t>> pairs;
  for (std::size_t i = 0; i < texts.size(); ++i) pairs.emplace_back(texts[i], static_cast<std::int32_t>(i));
  build(std::move(pairs));
}

void TokenTrie::build(std::vector<std::pair<std::string_view, std::int32_t>> texts) {
  std::erase_if(texts, [](const auto& entry) { return entry.first.empty() || entry.first.size() > kMaxTokenBytes; });
  std::sort(texts.begin(), texts.end());
  std::vector<std::uint32_t> path;  // nodes of the current text, by depth
  std::string_view previous;
  const auto close_to = [&](std::size_t depth) {
    while (path.size() > depth) {
      nodes_[path.back()].skip = static_cast<std::uint32_t>(nodes_.size() - path.back());
      path.pop_back();
    }
  };
  for (const auto& [text, id] : texts) {
    const auto shared = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), previous.begin(), previous.end()).first - text.begin());
    close_to(shared);
    for (std::size_t depth = path.size(); depth < text.size(); ++depth) {
      Node node;
      node.depth = static_cast<std::uint16_t>(depth);
      node.byte = static_cast<std::uint8_t>(text[depth]);
      path.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back(node);
    }
    Node& leaf = nodes_[path.back()];
    if (leaf.first_token < 0) leaf.first_token = static_cast<std::int32_t>(tokens_.size());
    ++leaf.num_tokens;
    tokens_.push_back(id);
    previous = text;
  }
  close_to(0);
}

void TokenTrie::allowed_tokens(GrammarMatcher& matcher, GrammarMatcher::State state, TokenMask& mask) const {
  std::vector<GrammarMatcher::State> states{state};  // before the byte of depth i
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    states.resize(node.depth + 1U);
    const GrammarMatcher::State after = matcher.next(states.back(), node.byte);
    if (after == GrammarMatcher::kDead) {
      i += node.skip;
      continue;
    }
    for (std::int32_t t = 0; t < node.num_tokens; ++t) mask.set(tokens_[static_cast<std::size_t>(node.first_token + t)]);
    states.push_back(after);
    ++i;
  }
}

}  // namespace tandem::engine
