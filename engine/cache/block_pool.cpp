#include "engine/cache/block_pool.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::engine {

BlockPool::BlockPool(std::int32_t num_blocks) : num_blocks_(num_blocks), is_taken_(static_cast<std::size_t>(num_blocks)) {
  free_.reserve(static_cast<std::size_t>(num_blocks));
  for (std::int32_t block = num_blocks - 1; block >= 0; --block) free_.push_back(block);
}

std::int32_t BlockPool::take() {
  CHECK(!free_.empty(), "no free KV block");
  const std::int32_t block = free_.back();
  free_.pop_back();
  is_taken_[static_cast<std::size_t>(block)] = true;
  return block;
}

void BlockPool::give_back(std::int32_t block) {
  CHECK(block >= 0 && block < num_blocks_ && is_taken_[static_cast<std::size_t>(block)], "KV block given back twice");
  is_taken_[static_cast<std::size_t>(block)] = false;
  free_.push_back(block);
}

std::int32_t BlockTable::num_missing(std::int64_t num_tokens) const {
  const std::int64_t needed = (num_tokens + block_tokens_ - 1) / block_tokens_;
  return static_cast<std::int32_t>(std::max<std::int64_t>(0, needed - static_cast<std::int64_t>(blocks_.size())));
}

bool BlockTable::grow(std::int64_t num_tokens, BlockPool& pool) {
  const std::int32_t count = num_missing(num_tokens);
  if (count > pool.num_free()) return false;
  for (std::int32_t i = 0; i < count; ++i) blocks_.push_back(pool.take());
  return true;
}

void BlockTable::release(BlockPool& pool) {
  // In reverse, so that the next sequence gets them in the same order.
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) pool.give_back(*block);
  blocks_.clear();
}

}  // namespace tandem::engine
