#include "engine/model_file/safetensors_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <unistd.h>

#include "engine/model_file/checked_math.h"
#include "engine/model_file/quoted_name.h"
#include "engine/model_file/safetensors_types.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kHeaderAlignment = 8;
constexpr std::size_t kMaxWriteBytes = 0x7ffff000;  // Linux moves at most this much in one call

Result<std::string_view> type_name(const SafetensorsTensor& tensor) {
  for (const SafetensorsType& type : kSafetensorsTypes) {
    if (type.dtype == tensor.dtype) return type.name;
  }
  return Error{ErrorCode::kInvalidArgument, "tensor " + quoted_name(tensor.name) + ": safetensors has no dtype for " +
                                                std::string(kernels::dtype_info(tensor.dtype).name)};
}

Result<void> check_tensor(const SafetensorsTensor& tensor) {
  auto bytes = std::optional(static_cast<std::uint64_t>(kernels::dtype_info(tensor.dtype).block_bytes));
  for (const std::int64_t dim : tensor.shape) {
    bytes = dim < 0 || !bytes ? std::nullopt : checked_mul(*bytes, static_cast<std::uint64_t>(dim));
  }
  if (bytes != tensor.data.size()) {
    return Error{ErrorCode::kInvalidArgument, "tensor " + quoted_name(tensor.name) + ": " + std::to_string(tensor.data.size()) +
                                                  " bytes do not match its shape"};
  }
  return {};
}

// The header with its length before it, padded so that the data start at a multiple of 8.
Result<std::string> make_header(std::span<const SafetensorsTensor* const> tensors,
                                const std::map<std::string, std::string>& metadata) {
  ordered_json json = ordered_json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  std::set<std::string_view> names{"__metadata__"};
  std::uint64_t offset = 0;
  for (const SafetensorsTensor* tensor : tensors) {
    TANDEM_TRY(check_tensor(*tensor));
    if (tensor->name.empty() || !names.insert(tensor->name).second) {
      return Error{ErrorCode::kInvalidArgument,
                   "tensor name " + quoted_name(tensor->name) + " is empty, reserved or used twice"};
    }
    const std::uint64_t end = offset + tensor->data.size();
    const std::string_view dtype = TANDEM_TRY(type_name(*tensor));
    ordered_json entry = {{"dtype", dtype}, {"shape", tensor->shape}, {"data_offsets", {offset, end}}};
    json.push_back({tensor->name, std::move(entry)});
    offset = end;
  }
  std::string text = json.dump();
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

// A file under a temporary name that is removed unless rename_to() has succeeded.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = target.string() + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
    open_error_ = fd_ < 0 ? errno : 0;
  }
  ~TemporaryFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int open_error() const { return open_error_; }
  int fd() const { return fd_; }

  // Makes the data durable, then gives the file its name. 0, or errno.
  int rename_to(const fs::path& target) {
    if (::fsync(fd_) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) return errno;
    renamed_ = true;
    return 0;
  }

 private:
  std::string path_;
  int fd_ = -1;
  int open_error_ = 0;
  bool renamed_ = false;
};

Error write_error(const fs::path& path, int error, std::uint64_t written, std::uint64_t total) {
  std::string detail = "cannot write " + path.string() + ": " + std::generic_category().message(error) + " (" +
                       std::to_string(written) + " of " + std::to_string(total) + " bytes written";
  if (error == ENOSPC || error == EDQUOT) {
    std::error_code ignored;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const fs::space_info space = fs::space(folder, ignored);
    if (!ignored) detail += ", " + std::to_string(space.available) + " bytes free after removing them";
  }
  return Error{ErrorCode::kIo, detail + ")"};
}

// 0, or errno.
int write_all(int fd, std::span<const std::byte> data, std::uint64_t& written) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd, data.data(), std::min(data.size(), kMaxWriteBytes));
    if (put < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    written += static_cast<std::uint64_t>(put);
    data = data.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

Result<void> write_safetensors(const fs::path& path, std::span<const SafetensorsTensor> tensors,
                               const std::map<std::string, std::string>& metadata) {
  std::vector<const SafetensorsTensor*> order;
  for (const SafetensorsTensor& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const SafetensorsTensor* a, const SafetensorsTensor* b) {
    return kernels::dtype_info(a->dtype).block_bytes > kernels::dtype_info(b->dtype).block_bytes;
  });
  std::string header;
  try {
    header = TANDEM_TRY(make_header(order, metadata));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInvalidArgument, "cannot make the header of " + path.string() + ": " + error.what()};
  }
  std::uint64_t total = header.size();
  for (const SafetensorsTensor* tensor : order) total += tensor->data.size();

  std::uint64_t written = 0;
  int error = 0;
  {
    TemporaryFile file(path);
    error = file.open_error();
    if (error == 0) error = write_all(file.fd(), std::as_bytes(std::span(header)), written);
    for (std::size_t i = 0; error == 0 && i < order.size(); ++i) error = write_all(file.fd(), order[i]->data, written);
    if (error == 0) error = file.rename_to(path);
  }
  if (error != 0) return write_error(path, error, written, total);
  return {};
}

}  // namespace tandem::engine
