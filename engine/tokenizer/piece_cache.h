// PieceCache: the ids of short pieces seen before. Words repeat, so most pieces of a prompt come from here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace tandem::engine {

// A fixed table, one possible place per piece, the newest wins: memory is bounded by construction. Any thread.
class PieceCache {
 public:
  static constexpr std::size_t kMaxBytes = 30;
  static constexpr std::size_t kMaxIds = 8;

  PieceCache() : slots_(kNumSlots) {}

  // Appends the ids of `piece` and returns true, or returns false.
  bool find(std::string_view piece, std::vector<std::int32_t>& ids) const;
  // Does nothing for pieces or results that are too long to keep.
  void insert(std::string_view piece, std::span<const std::int32_t> ids);

 private:
  static constexpr std::size_t kNumSlots = 32768;  // 64 bytes each: 2 MiB
  static constexpr std::size_t kNumLocks = 64;
  struct Slot {
    std::uint8_t num_bytes = 0;  // 0: empty
    std::uint8_t num_ids = 0;
    std::array<char, kMaxBytes> bytes{};
    std::array<std::int32_t, kMaxIds> ids{};
  };
  static_assert(sizeof(Slot) == 64, "a slot is one cache line");

  mutable std::array<std::mutex, kNumLocks> locks_;  // locks_[i % kNumLocks] guards slots_[i]
  std::vector<Slot> slots_;
};

}  // namespace tandem::engine
