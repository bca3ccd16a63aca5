// GgufCursor: walks through the header of a GGUF file, never past its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model_file/file_reader.h"

namespace tandem::engine {

class GgufCursor {
 public:
  // Reads end at `end_offset`, or at the end of the file if that comes first.
  GgufCursor(const FileReader& file, std::uint64_t end_offset);

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return end_ - position_; }

  // What is being read, for messages: "key 3", "tensor \"output.weight\"".
  void set_context(std::string context) { context_ = std::move(context); }

  Result<void> read(void* out, std::size_t num_bytes);
  template <class T>
  Result<T> number() {
    T value{};
    TANDEM_TRY(read(&value, sizeof value));
    return value;
  }
  // A length and that many bytes; longer than `max_bytes` → kCorrupt, before anything is allocated.
  Result<std::string> string(std::uint64_t max_bytes, std::string_view what);
  // Refuses `count` items of at least `min_bytes` each when the rest of the header cannot hold them.
  Result<void> check_count(std::uint64_t count, std::uint64_t min_bytes, std::string_view what) const;

  // An Error that starts with file and context.
  Error error(ErrorCode code, std::string_view message) const;
  Error corrupt(std::string_view message) const { return error(ErrorCode::kCorrupt, message); }

 private:
  Error past_end(std::uint64_t num_bytes) const;

  const FileReader& file_;
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;
  std::string context_;
  std::vector<std::byte> buffer_;  // bytes [buffer_offset_, + size) of the file
  std::uint64_t buffer_offset_ = 0;
};

}  // namespace tandem::engine
