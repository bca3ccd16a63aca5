// verify_tensors: scans weights for scales and values that are not finite.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "engine/model_file/model_file.h"

namespace tandem::engine {
namespace {

using kernels::DType;

constexpr std::size_t kPieceBytes = 4u << 20;

std::uint16_t load_u16(const std::byte* bytes) {
  std::uint16_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool half_is_finite(const std::byte* bytes) {
  return (load_u16(bytes) & 0x7c00) != 0x7c00;
}
bool bfloat_is_finite(const std::byte* bytes) {
  return (load_u16(bytes) & 0x7f80) != 0x7f80;
}

bool float_is_finite(const std::byte* bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return (value & 0x7f800000u) != 0x7f800000u;
}

bool double_is_finite(const std::byte* bytes) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return (value & kExponent) != kExponent;
}

// Where the half-precision scales are in a block.
struct ScaleOffsets {
  std::size_t count = 0;
  std::array<std::size_t, 2> at{};
};

ScaleOffsets scale_offsets(DType dtype) {
  switch (dtype) {
    case DType::kQ4_0:
    case DType::kQ5_0:
    case DType::kQ8_0:
    case DType::kIQ4_NL:
    case DType::kIQ4_XS: return {1, {0}};
    case DType::kQ4_1:
    case DType::kQ5_1:
    case DType::kQ4_K:
    case DType::kQ5_K: return {2, {0, 2}};
    case DType::kQ2_K: return {2, {80, 82}};
    case DType::kQ3_K: return {1, {108}};
    case DType::kQ6_K: return {1, {208}};
    default: return {};
  }
}

// Whether one block (one value of a plain type) is sound.
bool block_is_sound(DType dtype, const ScaleOffsets& scales, const std::byte* block) {
  switch (dtype) {
    case DType::kF32: return float_is_finite(block);
    case DType::kF16: return half_is_finite(block);
    case DType::kBF16: return bfloat_is_finite(block);
    case DType::kF64: return double_is_finite(block);
    case DType::kF8E4M3: return (static_cast<unsigned>(*block) & 0x7f) != 0x7f;
    case DType::kF8E5M2: return (static_cast<unsigned>(*block) & 0x7c) != 0x7c;
    case DType::kF8E8M0: return static_cast<unsigned>(*block) != 0xff;
    case DType::kBool: return static_cast<unsigned>(*block) <= 1;
    default: break;
  }
  for (std::size_t i = 0; i < scales.count; ++i) {
    if (!half_is_finite(block + scales.at[i])) return false;
  }
  return true;
}

struct Scan {
  std::uint64_t num_bad = 0;
  std::uint64_t first_bad = 0;  // block index
};

void scan_blocks(DType dtype, std::span<const std::byte> bytes, std::uint64_t first_block, Scan& scan) {
  const ScaleOffsets scales = scale_offsets(dtype);
  const auto block_bytes = static_cast<std::size_t>(kernels::dtype_info(dtype).block_bytes);
  for (std::size_t i = 0; i * block_bytes < bytes.size(); ++i) {
    if (block_is_sound(dtype, scales, bytes.data() + i * block_bytes)) continue;
    if (scan.num_bad++ == 0) scan.first_bad = first_block + i;
  }
}

std::string describe(const TensorInfo& tensor, const Scan& scan) {
  const kernels::DTypeInfo& type = kernels::dtype_info(tensor.dtype);
  const std::uint64_t num_blocks = tensor.bytes / static_cast<std::uint64_t>(type.block_bytes);
  const bool is_block_type = scale_offsets(tensor.dtype).count > 0;
  std::string text = std::to_string(scan.num_bad) + " of " + std::to_string(num_blocks) + " " + std::string(type.name);
  if (is_block_type) {
    text += " blocks have a scale that is not finite; the first starts at element ";
  } else if (tensor.dtype == DType::kBool) {
    text += " values are neither 0 nor 1; the first is element ";
  } else {
    text += " values are not finite; the first is element ";
  }
  return text + std::to_string(scan.first_bad * static_cast<std::uint64_t>(type.block_elements));
}

}  // namespace

Result<std::vector<IntegrityProblem>> verify_tensors(const ModelFile& file,
                                                     const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  std::uint64_t total = 0;  // cannot wrap: tensors do not overlap in their files
  for (const TensorInfo& tensor : file.tensors()) total += tensor.bytes;
  std::vector<IntegrityProblem> problems;
  std::vector<std::byte> piece;
  std::uint64_t done = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    const auto block_bytes = static_cast<std::size_t>(kernels::dtype_info(tensor.dtype).block_bytes);
    const std::size_t piece_bytes = kPieceBytes / block_bytes * block_bytes;
    const std::string file_name = file.files()[tensor.file_idx].string();
    Scan scan;
    for (std::uint64_t offset = 0; offset < tensor.bytes; offset += piece.size()) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, tensor.bytes - offset)));
      const Result<void> read = file.read(tensor, offset, piece);
      if (!read) {
        // One unreadable place must not hide what is wrong elsewhere.
        problems.push_back({file_name, tensor.name, read.error().detail});
        done += tensor.bytes - offset;
        break;
      }
      scan_blocks(tensor.dtype, piece, offset / block_bytes, scan);
      done += piece.size();
      if (progress && !progress(done, total)) {
        return Error{ErrorCode::kCancelled,
                     "checking was stopped after " + std::to_string(done) + " of " + std::to_string(total) + " bytes"};
      }
    }
    if (scan.num_bad > 0) problems.push_back({file_name, tensor.name, describe(tensor, scan)});
  }
  return problems;
}

}  // namespace tandem::engine
