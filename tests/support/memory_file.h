// MemoryFile: bytes under a path that readers of files can open, without touching a disk: for fuzzers and damage tests.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tandem::testing {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : MemoryFile(bytes.data(), bytes.size()) {}
  MemoryFile(const void* data, std::size_t num_bytes) : fd_(::memfd_create("test", MFD_CLOEXEC)) {
    const auto* from = static_cast<const char*>(data);
    if (fd_ < 0) std::abort();
    while (num_bytes > 0) {
      const ssize_t put = ::write(fd_, from, num_bytes);
      if (put <= 0) std::abort();
      from += put;
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
