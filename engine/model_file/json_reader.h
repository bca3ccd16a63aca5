// JSON from files nobody vouches for.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace tandem::engine {

// Parses `text` (UTF-8) in time linear to its length. `file_name` is for messages. Refused as kCorrupt, besides what is not
// JSON: a key twice in one object, nesting deeper than 64, an integer that does not fit 64 bits, text after the value.
Result<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view file_name);

}  // namespace tandem::engine
