// TokenModel: a piece of text → ids. One implementation per kind of vocabulary.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::engine {

// Immutable; any thread.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // Appends the ids of `piece` (valid UTF-8, not empty). Errors: a character that the vocabulary cannot express.
  virtual Result<void> encode(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;
};

}  // namespace tandem::engine
