#include "base/system_memory.h"

#include <fstream>
#include <sstream>

namespace tandem {

Result<SystemMemory> read_system_memory(const std::filesystem::path& root) {
  const auto path = root / "proc/meminfo";
  std::ifstream file(path);
  if (!file) {
    return Error{ErrorCode::kIo, path.string() + ": cannot be opened"};
  }
  SystemMemory memory;
  bool has_total = false;
  bool has_available = false;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string key;
    std::uint64_t kib = 0;
    if (!(fields >> key >> kib)) {
      continue;
    }
    if (key == "MemTotal:") {
      memory.total_bytes = kib * 1024;
      has_total = true;
    } else if (key == "MemAvailable:") {
      memory.available_bytes = kib * 1024;
      has_available = true;
    }
  }
  if (!has_total || !has_available) {
    return Error{ErrorCode::kCorrupt, path.string() + ": has no MemTotal or MemAvailable line"};
  }
  return memory;
}

}  // namespace tandem
