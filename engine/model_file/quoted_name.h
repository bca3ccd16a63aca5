// Names from files, as they may stand in messages.
#pragma once

#include <string>
#include <string_view>

namespace tandem::engine {

// In quotes, cut after 120 bytes, with control characters, quotes and bytes outside ASCII as \xHH: a hostile name must not be
// able to steer a terminal or a log.
std::string quoted_name(std::string_view name);

}  // namespace tandem::engine
