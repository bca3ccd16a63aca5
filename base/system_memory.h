// How much memory this machine has and has left.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace tandem {

struct SystemMemory {
  std::uint64_t total_bytes = 0;      // MemTotal
  std::uint64_t available_bytes = 0;  // MemAvailable: free plus what the kernel can take back without swapping
};

// Reads /proc/meminfo below `root`. On unified-memory machines this, and never the GPU driver's figure, says what can still
// be allocated: the driver counts the page cache as used. Any thread.
Result<SystemMemory> read_system_memory(const std::filesystem::path& root = "/");

}  // namespace tandem
