#include "kernels/cpu/memory.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <sys/mman.h>

#include "base/system_memory.h"

namespace tandem::kernels::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Smaller requests are not worth reading /proc/meminfo.
constexpr std::size_t kCheckedBytes = std::size_t{16} << 20;

class MappedBuffer : public Buffer {
 public:
  MappedBuffer(void* data, std::size_t bytes, std::size_t mapped_bytes) : data_(data), bytes_(bytes), mapped_(mapped_bytes) {}
  ~MappedBuffer() override { munmap(data_, mapped_); }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  void* data() const override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  void* data_;
  std::size_t bytes_, mapped_;
};

Error out_of_memory(std::string_view purpose, std::size_t bytes, const std::string& why) {
  return Error{ErrorCode::kOutOfMemory, std::string(purpose) + " needs " + std::to_string(bytes) + " bytes; " + why};
}

}  // namespace

Result<std::unique_ptr<Buffer>> allocate_buffer(std::size_t bytes, std::string_view purpose) {
  const std::string lower_it = "; choose a smaller model, context or number of sequences";
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) {
    return out_of_memory(purpose, bytes, "no machine can address that" + lower_it);
  }
  // The kernel promises more memory than it has, and a process that touches the promise is killed: ask first.
  if (bytes >= kCheckedBytes) {
    const auto memory = read_system_memory();
    if (memory && bytes > memory->available_bytes) {
      return out_of_memory(purpose, bytes, std::to_string(memory->available_bytes) + " bytes are available" + lower_it);
    }
  }
  const std::size_t unit = bytes >= kHugePage ? kHugePage : 4096;
  const std::size_t mapped = (bytes == 0 ? 1 : bytes) / unit * unit + unit;
  void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return out_of_memory(purpose, bytes, std::string("the system refused it (") + std::strerror(errno) + ")" + lower_it);
  }
  // Advice only: without huge pages everything works, with about 10 % less bandwidth.
  if (bytes >= kHugePage) madvise(data, mapped, MADV_HUGEPAGE);
  try {
    return std::unique_ptr<Buffer>(std::make_unique<MappedBuffer>(data, bytes, mapped));
  } catch (const std::bad_alloc&) {
    munmap(data, mapped);
    return out_of_memory(purpose, bytes, "nothing is left even for its handle");
  }
}

}  // namespace tandem::kernels::cpu
