#include "engine/cache/block_pool.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::engine {

BlockPool::BlockPool(std::int32_t num_blocks) : num_blocks_(num_blocks), blocks_(static_cast<std::size_t>(num_blocks)) {
  free_.reserve(static_cast<std::size_t>(num_blocks));
  for (std::int32_t block = num_blocks - 1; block >= 0; --block) free_.push_back(block);
}

std::size_t BlockPool::ContentHash::operator()(const Content& content) const {
  // FNV-1a over words: only a bucket choice, equality is checked on the tokens.
  std::uint64_t hash = 14695981039346656037ULL ^ content.parent;
  for (const std::int32_t token : content.tokens) hash = (hash ^ static_cast<std::uint32_t>(token)) * 1099511628211ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

void BlockPool::forget(Block& block) {
  if (block.remembered != nullptr) {
    by_content_.erase(by_content_.find(*block.remembered));
    block.remembered = nullptr;
  }
  block.content_id = 0;
}

std::int32_t BlockPool::take() {
  CHECK(num_free() > 0, "no free KV block");
  std::int32_t block = 0;
  if (!free_.empty()) {
    block = free_.back();
    free_.pop_back();
  } else {
    block = unused_.front();
    unused_.pop_front();
  }
  Block& state = blocks_[static_cast<std::size_t>(block)];
  forget(state);
  state.num_holders = 1;
  return block;
}

void BlockPool::give_back(std::int32_t block) {
  CHECK(block >= 0 && block < num_blocks_ && blocks_[static_cast<std::size_t>(block)].num_holders > 0,
        "KV block given back twice");
  Block& state = blocks_[static_cast<std::size_t>(block)];
  if (--state.num_holders > 0) return;
  if (state.remembered != nullptr) {
    state.unused_at = unused_.insert(unused_.end(), block);
  } else {
    state.content_id = 0;
    free_.push_back(block);
  }
}

std::vector<std::int32_t> BlockPool::take_prefix(std::span<const std::int32_t> tokens, std::int32_t block_tokens,
                                                 std::int32_t max_blocks) {
  std::vector<std::int32_t> found;
  Content content;
  const auto size = static_cast<std::size_t>(block_tokens);
  while (static_cast<std::int32_t>(found.size()) < max_blocks && (found.size() + 1) * size <= tokens.size()) {
    const auto piece = tokens.subspan(found.size() * size, size);
    content.tokens.assign(piece.begin(), piece.end());
    const auto it = by_content_.find(content);
    if (it == by_content_.end()) break;
    Block& state = blocks_[static_cast<std::size_t>(it->second.block)];
    if (state.num_holders++ == 0) unused_.erase(state.unused_at);
    found.push_back(it->second.block);
    content.parent = it->second.id;
  }
  return found;
}

void BlockPool::remember(std::int32_t block, std::int32_t previous, std::span<const std::int32_t> tokens) {
  Block& state = blocks_[static_cast<std::size_t>(block)];
  CHECK(state.num_holders > 0, "a block nobody holds has nothing to remember");
  if (state.content_id != 0) return;  // found by this sequence, or told already
  Content content;
  if (previous >= 0) {
    content.parent = blocks_[static_cast<std::size_t>(previous)].content_id;
    if (content.parent == 0) return;  // what lies before is not known any more
  }
  content.tokens.assign(tokens.begin(), tokens.end());
  const auto [it, is_new] = by_content_.try_emplace(std::move(content), Remembered{next_content_id_, block});
  state.content_id = it->second.id;  // another block may hold the same already: this one only knows its name
  if (is_new) {
    ++next_content_id_;
    state.remembered = &it->first;
  }
}

void BlockPool::forget_all() {
  for (const std::int32_t block : unused_) free_.push_back(block);
  unused_.clear();
  by_content_.clear();
  for (Block& block : blocks_) {
    block.remembered = nullptr;
    block.content_id = 0;
  }
}

std::int32_t BlockTable::num_missing(std::int64_t num_tokens) const {
  const std::int64_t needed = (num_tokens + block_tokens_ - 1) / block_tokens_;
  return static_cast<std::int32_t>(std::max<std::int64_t>(0, needed - static_cast<std::int64_t>(blocks_.size())));
}

void BlockTable::adopt(std::vector<std::int32_t> blocks) {
  CHECK(blocks_.empty(), "a sequence adopts blocks before it has any");
  blocks_ = std::move(blocks);
}

bool BlockTable::grow(std::int64_t num_tokens, BlockPool& pool) {
  const std::int32_t count = num_missing(num_tokens);
  if (count > pool.num_free()) return false;
  for (std::int32_t i = 0; i < count; ++i) blocks_.push_back(pool.take());
  return true;
}

void BlockTable::release(BlockPool& pool) {
  // From the back: the start of a conversation, which others are likelier to share, is kept for longest.
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) pool.give_back(*block);
  blocks_.clear();
}

}  // namespace tandem::engine
