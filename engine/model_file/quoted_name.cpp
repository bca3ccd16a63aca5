#include "engine/model_file/quoted_name.h"

namespace tandem::engine {

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 120;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : name.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + (name.size() > kMaxShown ? "\"…" : "\"");
}

}  // namespace tandem::engine
