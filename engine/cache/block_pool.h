// BlockPool and BlockTable: which KV blocks are free, and which ones a sequence owns. Host bookkeeping only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tandem::engine {

// Block numbers [0, num_blocks). Not thread-safe: the engine thread owns it.
class BlockPool {
 public:
  explicit BlockPool(std::int32_t num_blocks);

  std::int32_t num_blocks() const { return num_blocks_; }
  std::int32_t num_free() const { return static_cast<std::int32_t>(free_.size()); }
  std::int32_t num_used() const { return num_blocks_ - num_free(); }

  // A free block; there must be one. The one returned last comes first, which keeps the touched memory small.
  std::int32_t take();
  void give_back(std::int32_t block);

 private:
  std::int32_t num_blocks_;
  std::vector<std::int32_t> free_;
  std::vector<bool> is_taken_;
};

// The blocks of one sequence, in order of position.
class BlockTable {
 public:
  explicit BlockTable(std::int32_t block_tokens) : block_tokens_(block_tokens) {}

  std::span<const std::int32_t> blocks() const { return blocks_; }
  // Blocks to add before `num_tokens` tokens fit.
  std::int32_t num_missing(std::int64_t num_tokens) const;
  // Grows until `num_tokens` fit. False, and nothing is taken, when the pool has too few blocks.
  bool grow(std::int64_t num_tokens, BlockPool& pool);
  // Returns every block.
  void release(BlockPool& pool);

 private:
  std::int32_t block_tokens_;
  std::vector<std::int32_t> blocks_;
};

}  // namespace tandem::engine
