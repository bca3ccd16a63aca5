#include "engine/model_file/gguf_cursor.h"

#include <algorithm>
#include <cstring>

namespace tandem::engine {
namespace {

constexpr std::uint64_t kBufferBytes = 256 * 1024;

}  // namespace

GgufCursor::GgufCursor(const FileReader& file, std::uint64_t end_offset)
    : file_(file), end_(std::min(file.bytes(), end_offset)) {}

Error GgufCursor::error(ErrorCode code, std::string_view message) const {
  std::string detail = file_.path().string();
  if (!context_.empty()) detail += ": " + context_;
  return Error{code, detail.append(": ").append(message)};
}

Error GgufCursor::past_end(std::uint64_t num_bytes) const {
  if (end_ < file_.bytes()) {
    return corrupt("the header is larger than " + std::to_string(end_) + " bytes, which no model needs");
  }
  return corrupt(std::to_string(num_bytes) + " bytes are needed at byte " + std::to_string(position_) +
                 ", but the file ends at byte " + std::to_string(end_) + ": it is damaged or incomplete, so download it again");
}

Result<void> GgufCursor::read(void* out, std::size_t num_bytes) {
  if (num_bytes > remaining()) return past_end(num_bytes);
  auto* to = static_cast<std::byte*>(out);
  while (num_bytes > 0) {
    const std::uint64_t in_buffer = position_ - buffer_offset_;
    if (in_buffer >= buffer_.size()) {
      buffer_.resize(static_cast<std::size_t>(std::min(kBufferBytes, remaining())));
      buffer_offset_ = position_;
      const Result<void> filled = file_.read(position_, buffer_);
      if (!filled) {
        buffer_.clear();
        return filled.error();
      }
      continue;
    }
    const std::size_t count = std::min(num_bytes, buffer_.size() - static_cast<std::size_t>(in_buffer));
    std::memcpy(to, buffer_.data() + in_buffer, count);
    to += count;
    position_ += count;
    num_bytes -= count;
  }
  return {};
}

Result<std::string> GgufCursor::string(std::uint64_t max_bytes, std::string_view what) {
  const std::uint64_t length = TANDEM_TRY(number<std::uint64_t>());
  if (length > max_bytes) {
    return corrupt(std::string(what) + " has " + std::to_string(length) + " bytes; at most " + std::to_string(max_bytes) +
                   " are allowed");
  }
  if (length > remaining()) return past_end(length);
  std::string text(static_cast<std::size_t>(length), '\0');
  TANDEM_TRY(read(text.data(), text.size()));
  return text;
}

Result<void> GgufCursor::check_count(std::uint64_t count, std::uint64_t min_bytes, std::string_view what) const {
  if (count > remaining() / min_bytes) {
    return corrupt("the header announces " + std::to_string(count) + " " + std::string(what) + ", but the " +
                   std::to_string(remaining()) + " bytes left can hold at most " + std::to_string(remaining() / min_bytes));
  }
  return {};
}

}  // namespace tandem::engine
