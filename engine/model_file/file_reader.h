// FileReader: bounded reads from one regular file by pread. Nothing is mapped, so that a file cut short while it is open
// gives an Error and never a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace tandem::engine {

// Owns the descriptor. read() may be called from any thread.
class FileReader {
 public:
  // Missing → kNotFound; a folder, pipe or device → kInvalidArgument; otherwise kIo with errno's text.
  static Result<FileReader> open(const std::filesystem::path& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }  // when it was opened

  // Fills `out` from `offset` on. Past the end, or the file has shrunk since: kIo with the numbers.
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const;
  // The whole file as text; larger than `max_bytes` → kCorrupt.
  Result<std::string> read_all(std::uint64_t max_bytes) const;

 private:
  FileReader(int fd, std::filesystem::path path, std::uint64_t bytes);
  int fd_ = -1;
  std::filesystem::path path_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tandem::engine
