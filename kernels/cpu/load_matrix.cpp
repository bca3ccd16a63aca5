// load_matrix: from a file's bytes to a weight in its final place. Rows keep the file's order and layout: the kernels read
// blocks in place, so loading is one copy and runs at the speed of the disk.
#include <algorithm>

#include "kernels/cpu/cpu_backend.h"

namespace tandem::kernels::cpu {
namespace {

// Large enough for the disk to run at full speed, small enough for a cancel to be felt at once.
constexpr std::uint64_t kPieceBytes = 4 << 20;

Result<std::uint64_t> matrix_bytes(const MatrixSpec& spec) {
  const std::string shape = std::to_string(spec.num_matrices) + " x " + std::to_string(spec.num_rows) + " x " +
                            std::to_string(spec.num_cols) + " " + std::string(dtype_info(spec.dtype).name);
  if (!is_matrix_dtype(spec.dtype)) {
    return Error{ErrorCode::kUnsupported, spec.name + ": no matrix product for " + shape};
  }
  const DTypeInfo& info = dtype_info(spec.dtype);
  if (spec.num_rows <= 0 || spec.num_cols <= 0 || spec.num_matrices <= 0 || spec.num_cols % info.block_elements != 0) {
    return Error{ErrorCode::kInvalidArgument, spec.name + ": " + shape +
                                                  " is not a matrix; every dimension must be positive "
                                                  "and the last one a multiple of " +
                                                  std::to_string(info.block_elements)};
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(spec.num_cols / info.block_elements, std::int64_t{info.block_bytes}, &bytes) ||
      __builtin_mul_overflow(bytes, spec.num_rows, &bytes) || __builtin_mul_overflow(bytes, spec.num_matrices, &bytes)) {
    return Error{ErrorCode::kOutOfMemory, spec.name + ": " + shape + " has more bytes than can be addressed"};
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Result<std::unique_ptr<Matrix>> CpuBackend::load_matrix(const MatrixSpec& spec, ByteSource& source,
                                                        const std::function<bool(std::uint64_t)>& read_so_far) {
  const std::uint64_t bytes = TANDEM_TRY(matrix_bytes(spec));
  if (source.bytes() != bytes) {
    return Error{ErrorCode::kCorrupt, spec.name + ": the source holds " + std::to_string(source.bytes()) +
                                          " bytes, its shape and type need " + std::to_string(bytes)};
  }
  std::unique_ptr<Buffer> buffer = TANDEM_TRY(allocate_buffer(bytes, spec.name));
  std::byte* data = static_cast<std::byte*>(buffer->data());
  for (std::uint64_t offset = 0; offset < bytes; offset += kPieceBytes) {
    const std::uint64_t size = std::min(kPieceBytes, bytes - offset);
    TANDEM_TRY(source.read(offset, std::span(data + offset, size)));
    if (read_so_far && !read_so_far(size)) {
      return Error{ErrorCode::kCancelled, spec.name + ": loading cancelled after " + std::to_string(offset + size) + " of " +
                                              std::to_string(bytes) + " bytes"};
    }
  }
  return std::unique_ptr<Matrix>(std::make_unique<CpuMatrix>(spec, std::move(buffer)));
}

}  // namespace tandem::kernels::cpu
