// BlockPool and BlockTable: which KV blocks are free, which sequences hold them, and what the unused ones still remember. Host
// bookkeeping only.
//
// A full block whose tokens are known can be found again by a later sequence that starts with the same tokens (prefix cache,
// as in vLLM). Blocks are looked up by the very tokens they hold and the block before them, not by a hash alone, so that two
// prompts are never taken for each other. A block nobody holds keeps its content until its place is needed; the one that has
// been unused for longest goes first.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

namespace tandem::engine {

// Block numbers [0, num_blocks). Not thread-safe: the engine thread owns it.
class BlockPool {
 public:
  explicit BlockPool(std::int32_t num_blocks);

  std::int32_t num_blocks() const { return num_blocks_; }
  // Blocks that can be taken: empty ones and those that only remember.
  std::int32_t num_free() const { return static_cast<std::int32_t>(free_.size() + unused_.size()); }
  std::int32_t num_used() const { return num_blocks_ - num_free(); }
  std::int32_t num_cached() const { return static_cast<std::int32_t>(by_content_.size()); }

  // A block of one's own; there must be one. Forgets what the block held.
  std::int32_t take();
  // One holder less. The last one leaves the content behind when it is remembered.
  void give_back(std::int32_t block);

  // The blocks that hold the longest remembered run of whole blocks at the start of `tokens`, at most `max_blocks`; the caller
  // holds each of them now, together with whoever else does, and must not write to them.
  std::vector<std::int32_t> take_prefix(std::span<const std::int32_t> tokens, std::int32_t block_tokens,
                                        std::int32_t max_blocks);
  // `block` is full and holds the keys and values of `tokens`; `previous` is the block before it in its sequence, -1 for none.
  void remember(std::int32_t block, std::int32_t previous, std::span<const std::int32_t> tokens);
  // Nothing is found again: the memory behind the blocks has been written over.
  void forget_all();

 private:
  // What a block holds: its tokens, after the content named by `parent` (0: at the start of a sequence).
  struct Content {
    std::uint64_t parent = 0;
    std::vector<std::int32_t> tokens;
    bool operator==(const Content&) const = default;
  };
  struct ContentHash {
    std::size_t operator()(const Content& content) const;
  };
  struct Block {
    std::int32_t num_holders = 0;
    std::uint64_t content_id = 0;                 // 0: not known; the same content has the same id in every block
    const Content* remembered = nullptr;          // key in by_content_ when this block is the one that is found
    std::list<std::int32_t>::iterator unused_at;  // valid while num_holders is 0 and remembered is set
  };
  struct Remembered {
    std::uint64_t id = 0;
    std::int32_t block = -1;
  };
  void forget(Block& block);

  std::int32_t num_blocks_;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> free_;  // empty blocks; the one returned last is taken first
  std::list<std::int32_t> unused_;  // remembered and held by nobody, longest unused first
  std::unordered_map<Content, Remembered, ContentHash> by_content_;
  std::uint64_t next_content_id_ = 1;
};

// The blocks of one sequence, in order of position.
class BlockTable {
 public:
  explicit BlockTable(std::int32_t block_tokens) : block_tokens_(block_tokens) {}

  std::span<const std::int32_t> blocks() const { return blocks_; }
  std::int32_t block_tokens() const { return block_tokens_; }
  // Blocks to add before `num_tokens` tokens fit.
  std::int32_t num_missing(std::int64_t num_tokens) const;
  // Starts with blocks the pool has found; the table must be empty.
  void adopt(std::vector<std::int32_t> blocks);
  // Grows until `num_tokens` fit. False, and nothing is taken, when the pool has too few blocks.
  bool grow(std::int64_t num_tokens, BlockPool& pool);
  // Returns every block.
  void release(BlockPool& pool);

 private:
  std::int32_t block_tokens_;
  std::vector<std::int32_t> blocks_;
};

}  // namespace tandem::engine
