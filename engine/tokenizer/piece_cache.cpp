#include "engine/tokenizer/piece_cache.h"

#include <cstring>

#include "engine/tokenizer/string_index.h"

namespace tandem::engine {

bool PieceCache::find(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece.size() > kMaxBytes) return false;
  const std::size_t slot_idx = hash_bytes(piece) % kNumSlots;
  const std::lock_guard lock(locks_[slot_idx % kNumLocks]);
  const Slot& slot = slots_[slot_idx];
  if (slot.num_bytes != piece.size() || std::memcmp(slot.bytes.data(), piece.data(), piece.size()) != 0) return false;
  ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.num_ids);
  return true;
}

void PieceCache::insert(std::string_view piece, std::span<const std::int32_t> ids) {
  if (piece.empty() || piece.size() > kMaxBytes || ids.size() > kMaxIds) return;
  const std::size_t slot_idx = hash_bytes(piece) % kNumSlots;
  const std::lock_guard lock(locks_[slot_idx % kNumLocks]);
  Slot& slot = slots_[slot_idx];
  slot.num_bytes = static_cast<std::uint8_t>(piece.size());
  slot.num_ids = static_cast<std::uint8_t>(ids.size());
  std::memcpy(slot.bytes.data(), piece.data(), piece.size());
  std::memcpy(slot.ids.data(), ids.data(), ids.size() * sizeof(std::int32_t));
}

}  // namespace tandem::engine
