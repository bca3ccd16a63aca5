#include "engine/model_file/file_reader.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tandem::engine {
namespace {

// Linux moves at most this much in one call; asking for more only returns a short count.
constexpr std::size_t kMaxReadBytes = 0x7ffff000;

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace

FileReader::FileReader(int fd, std::filesystem::path path, std::uint64_t bytes)
    : fd_(fd), path_(std::move(path)), bytes_(bytes) {}

FileReader::FileReader(FileReader&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), bytes_(other.bytes_) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileReader::~FileReader() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileReader> FileReader::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang; it changes nothing for regular files.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    const bool missing = error == ENOENT || error == ENOTDIR;
    return Error{missing ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot open " + path.string() + ": " + errno_text(error)};
  }
  FileReader reader(fd, path, 0);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return Error{ErrorCode::kIo, "cannot look at " + path.string() + ": " + errno_text(errno)};
  }
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::kInvalidArgument, path.string() + " is not a regular file"};
  reader.bytes_ = static_cast<std::uint64_t>(status.st_size);
  return reader;
}

Result<void> FileReader::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes_ || out.size() > bytes_ - offset) {
    return Error{ErrorCode::kIo, path_.string() + ": " + std::to_string(out.size()) + " bytes at byte " +
                                     std::to_string(offset) + " were asked for, but the file has " + std::to_string(bytes_)};
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), std::min(out.size(), kMaxReadBytes), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      return Error{ErrorCode::kIo, path_.string() + ": reading " + std::to_string(out.size()) + " bytes at byte " +
                                       std::to_string(offset) + " failed: " + errno_text(errno)};
    }
    if (got == 0) {
      return Error{ErrorCode::kIo, path_.string() + " ends at byte " + std::to_string(offset) + ", but had " +
                                       std::to_string(bytes_) + " bytes when it was opened: it was cut or replaced meanwhile"};
    }
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::string> FileReader::read_all(std::uint64_t max_bytes) const {
  if (bytes_ > max_bytes) {
    return Error{ErrorCode::kCorrupt, path_.string() + " has " + std::to_string(bytes_) + " bytes; at most " +
                                          std::to_string(max_bytes) + " are accepted for a file of this kind"};
  }
  std::string text(static_cast<std::size_t>(bytes_), '\0');
  TANDEM_TRY(read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace tandem::engine
