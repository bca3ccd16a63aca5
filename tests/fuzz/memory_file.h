// MemoryFile: fuzz input under a path that readers of files can open, without touching a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tandem::testing {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t num_bytes) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (fd_ < 0) std::abort();
    while (num_bytes > 0) {
      const ssize_t put = ::write(fd_, data, num_bytes);
      if (put <= 0) std::abort();
      data += put;
      num_bytes -= static_cast<std::size_t>(put);
    }
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace tandem::testing
