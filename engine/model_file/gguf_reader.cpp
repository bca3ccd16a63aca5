#include "engine/model_file/gguf_reader.h"

#include <array>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "engine/model_file/checked_math.h"
#include "engine/model_file/gguf_cursor.h"
#include "engine/model_file/gguf_types.h"
#include "engine/model_file/quoted_name.h"

namespace tandem::engine {
namespace {

// Our own limits, far above what models use: they bound the memory a hostile header can cost.
constexpr std::uint64_t kMaxHeaderBytes = 256ull << 20;
constexpr std::uint64_t kMaxEntries = 1ull << 20;  // keys, and tensors
constexpr std::uint64_t kMaxStringBytes = 64ull << 20;
constexpr std::uint32_t kMaxAlignment = 65536;
// Limits of the format.
constexpr std::uint64_t kFixedHeaderBytes = 24;
constexpr std::uint64_t kMaxKeyBytes = 65535;
constexpr std::uint64_t kMaxTensorNameBytes = 63;
constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kMinKeyBytes = 8 + 1 + 4 + 1;     // length, one character, type, u8
constexpr std::uint64_t kMinTensorBytes = 8 + 4 + 4 + 8;  // length, dimensions, type, offset

enum ValueType : std::uint32_t {
  kU8 = 0,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
  kNumValueTypes,
};

// Smallest size of one array element in the file.
constexpr std::array<std::uint64_t, kNumValueTypes> kElementBytes{1, 1, 2, 2, 4, 4, 4, 1, 8, 0, 8, 8, 8};

template <class Stored, class T>
Result<GgufMetadata::Value> read_scalar(GgufCursor& cursor) {
  return GgufMetadata::Value(static_cast<Stored>(TANDEM_TRY(cursor.number<T>())));
}

Result<bool> read_bool(GgufCursor& cursor) {
  const auto byte = TANDEM_TRY(cursor.number<std::uint8_t>());
  if (byte > 1) return cursor.corrupt("a bool must be 0 or 1, not " + std::to_string(byte));
  return byte == 1;
}

// `count` is bounded by the bytes left before this is called, so the reserve is too.
template <class Stored, class T>
Result<GgufMetadata::Value> read_numbers(GgufCursor& cursor, std::uint64_t count) {
  std::vector<Stored> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(static_cast<Stored>(TANDEM_TRY(cursor.number<T>())));
  return GgufMetadata::Value(GgufMetadata::Array(std::move(values)));
}

Result<GgufMetadata::Value> read_bools(GgufCursor& cursor, std::uint64_t count) {
  std::vector<bool> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(TANDEM_TRY(read_bool(cursor)));
  return GgufMetadata::Value(GgufMetadata::Array(std::move(values)));
}

Result<GgufMetadata::Value> read_strings(GgufCursor& cursor, std::uint64_t count) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(TANDEM_TRY(cursor.string(kMaxStringBytes, "a string")));
  return GgufMetadata::Value(GgufMetadata::Array(std::move(values)));
}

Result<GgufMetadata::Value> read_array(GgufCursor& cursor) {
  const auto type = TANDEM_TRY(cursor.number<std::uint32_t>());
  const auto count = TANDEM_TRY(cursor.number<std::uint64_t>());
  if (type == kArray) return cursor.corrupt("arrays of arrays are not allowed");
  // The size of an unknown type is unknown, and so is where the next key starts.
  if (type >= kNumValueTypes) return cursor.corrupt("unknown array element type " + std::to_string(type));
  TANDEM_TRY(cursor.check_count(count, kElementBytes[type], "array elements"));
  switch (type) {
    case kU8: return read_numbers<std::uint8_t, std::uint8_t>(cursor, count);
    case kI8: return read_numbers<std::int64_t, std::int8_t>(cursor, count);
    case kU16: return read_numbers<std::uint64_t, std::uint16_t>(cursor, count);
    case kI16: return read_numbers<std::int64_t, std::int16_t>(cursor, count);
    case kU32: return read_numbers<std::uint64_t, std::uint32_t>(cursor, count);
    case kI32: return read_numbers<std::int64_t, std::int32_t>(cursor, count);
    case kF32: return read_numbers<double, float>(cursor, count);
    case kBool: return read_bools(cursor, count);
    case kString: return read_strings(cursor, count);
    case kU64: return read_numbers<std::uint64_t, std::uint64_t>(cursor, count);
    case kI64: return read_numbers<std::int64_t, std::int64_t>(cursor, count);
    default: return read_numbers<double, double>(cursor, count);
  }
}

Result<GgufMetadata::Value> read_value(GgufCursor& cursor, std::uint32_t type) {
  switch (type) {
    case kU8: return read_scalar<std::uint64_t, std::uint8_t>(cursor);
    case kI8: return read_scalar<std::int64_t, std::int8_t>(cursor);
    case kU16: return read_scalar<std::uint64_t, std::uint16_t>(cursor);
    case kI16: return read_scalar<std::int64_t, std::int16_t>(cursor);
    case kU32: return read_scalar<std::uint64_t, std::uint32_t>(cursor);
    case kI32: return read_scalar<std::int64_t, std::int32_t>(cursor);
    case kF32: return read_scalar<double, float>(cursor);
    case kBool: return GgufMetadata::Value(TANDEM_TRY(read_bool(cursor)));
    case kString: return GgufMetadata::Value(TANDEM_TRY(cursor.string(kMaxStringBytes, "the string")));
    case kArray: return read_array(cursor);
    case kU64: return read_scalar<std::uint64_t, std::uint64_t>(cursor);
    case kI64: return read_scalar<std::int64_t, std::int64_t>(cursor);
    case kF64: return read_scalar<double, double>(cursor);
    default: return cursor.corrupt("unknown value type " + std::to_string(type));
  }
}

Result<void> check_alignment(const GgufCursor& cursor, std::uint32_t type, const GgufMetadata::Value& value,
                             std::uint32_t& alignment) {
  if (type != kU32) return cursor.corrupt("must have value type u32 (4), not " + std::to_string(type));
  const std::uint64_t number = std::get<std::uint64_t>(value);
  if (number < 8 || number > kMaxAlignment || (number & (number - 1)) != 0) {
    return cursor.corrupt("must be a power of two from 8 to " + std::to_string(kMaxAlignment) + ", not " +
                          std::to_string(number));
  }
  alignment = static_cast<std::uint32_t>(number);
  return {};
}

Result<void> read_keys(GgufCursor& cursor, std::uint64_t num_keys, GgufHeader& header) {
  std::unordered_set<std::string> seen;
  for (std::uint64_t i = 0; i < num_keys; ++i) {
    cursor.set_context("key " + std::to_string(i));
    std::string key = TANDEM_TRY(cursor.string(kMaxKeyBytes, "the name"));
    if (key.empty()) return cursor.corrupt("the name is empty");
    if (key.find('\0') != std::string::npos) return cursor.corrupt("the name " + quoted_name(key) + " contains a zero byte");
    cursor.set_context("key " + quoted_name(key));
    if (!seen.insert(key).second) return cursor.corrupt("it appears twice");
    const auto type = TANDEM_TRY(cursor.number<std::uint32_t>());
    GgufMetadata::Value value = TANDEM_TRY(read_value(cursor, type));
    if (key == "general.alignment") TANDEM_TRY(check_alignment(cursor, type, value, header.alignment));
    header.metadata.add(std::move(key), std::move(value));
  }
  return {};
}

Result<kernels::DType> supported_type(const GgufCursor& cursor, std::uint32_t id) {
  const GgufType* type = gguf_type(id);
  if (type == nullptr) {
    return cursor.error(ErrorCode::kUnsupported, "type id " + std::to_string(id) + " is not known to this version");
  }
  if (type->removed) {
    return cursor.error(ErrorCode::kUnsupported, "type " + std::string(type->name) + " (id " + std::to_string(id) +
                                                     ") was removed from the format; use a newer conversion of the model");
  }
  if (!type->dtype) {
    return cursor.error(ErrorCode::kUnsupported, "type " + std::string(type->name) + " (id " + std::to_string(id) +
                                                     ") cannot be computed with by this version; choose another quantisation");
  }
  return *type->dtype;
}

// Everything but the offset, which is left to the caller; returns it.
Result<std::uint64_t> read_tensor_info(GgufCursor& cursor, TensorInfo& tensor) {
  tensor.name = TANDEM_TRY(cursor.string(kMaxTensorNameBytes, "the name"));
  if (tensor.name.empty()) return cursor.corrupt("the name is empty");
  if (tensor.name.find('\0') != std::string::npos) {
    return cursor.corrupt("the name " + quoted_name(tensor.name) + " contains a zero byte");
  }
  cursor.set_context("tensor " + quoted_name(tensor.name));
  const auto num_dims = TANDEM_TRY(cursor.number<std::uint32_t>());
  if (num_dims > kMaxDims) {
    return cursor.corrupt("it has " + std::to_string(num_dims) + " dimensions; at most 4 are allowed");
  }
  tensor.shape.resize(num_dims);
  bool is_empty = false;
  std::uint64_t num_elements = 1;  // with empty dimensions left out: other code multiplies them in any order
  for (std::uint32_t i = 0; i < num_dims; ++i) {
    const auto dim = TANDEM_TRY(cursor.number<std::uint64_t>());
    if (dim > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return cursor.corrupt("dimension " + std::to_string(i) + " is " + std::to_string(dim) + ", more than 2^63 - 1");
    }
    tensor.shape[num_dims - 1 - i] = static_cast<std::int64_t>(dim);
    is_empty |= dim == 0;
    const auto product = checked_mul(num_elements, dim == 0 ? 1 : dim);
    if (!product || *product > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return cursor.corrupt("the product of its dimensions does not fit 63 bits");
    }
    num_elements = *product;
  }
  const auto type_id = TANDEM_TRY(cursor.number<std::uint32_t>());
  tensor.dtype = TANDEM_TRY(supported_type(cursor, type_id));
  const kernels::DTypeInfo& type = kernels::dtype_info(tensor.dtype);
  const std::int64_t row_elements = num_dims == 0 ? 1 : tensor.shape.back();
  if (row_elements % type.block_elements != 0) {
    return cursor.corrupt("rows of " + std::to_string(row_elements) + " elements are not whole blocks of " +
                          std::to_string(type.block_elements) + " as " + std::string(type.name) + " needs");
  }
  const auto bytes =
      checked_mul(num_elements / static_cast<std::uint64_t>(type.block_elements), static_cast<std::uint64_t>(type.block_bytes));
  if (!bytes) return cursor.corrupt("its size in bytes does not fit 64 bits");
  tensor.bytes = is_empty ? 0 : *bytes;
  return cursor.number<std::uint64_t>();
}

Result<void> read_tensor_infos(GgufCursor& cursor, std::uint64_t num_tensors, std::uint32_t file_idx, GgufHeader& header) {
  header.tensors.reserve(static_cast<std::size_t>(num_tensors));
  std::unordered_set<std::string> seen;
  std::uint64_t expected_offset = 0;
  for (std::uint64_t i = 0; i < num_tensors; ++i) {
    cursor.set_context("tensor " + std::to_string(i));
    TensorInfo tensor;
    tensor.file_idx = file_idx;
    tensor.file_offset = TANDEM_TRY(read_tensor_info(cursor, tensor));
    if (!seen.insert(tensor.name).second) return cursor.corrupt("it appears twice");
    if (tensor.file_offset % header.alignment != 0) {
      return cursor.corrupt("offset " + std::to_string(tensor.file_offset) + " is not a multiple of the alignment " +
                            std::to_string(header.alignment));
    }
    if (tensor.file_offset != expected_offset) {
      return cursor.corrupt("offset " + std::to_string(tensor.file_offset) + " should be " + std::to_string(expected_offset) +
                            ": tensors must follow each other without gap or overlap");
    }
    const auto end = checked_add(expected_offset, tensor.bytes);
    const auto padded = end ? checked_round_up(*end, header.alignment) : std::nullopt;
    if (!padded) return cursor.corrupt("the tensors together need more than 2^64 bytes");
    expected_offset = *padded;
    header.tensors.push_back(std::move(tensor));
  }
  return {};
}

// Turns offsets in the data section into offsets in the file, once its start is known.
Result<void> place_tensors(GgufCursor& cursor, const FileReader& file, GgufHeader& header) {
  const auto data_offset = checked_round_up(cursor.position(), header.alignment);
  if (!data_offset) return cursor.corrupt("the header is too large");
  header.data_offset = *data_offset;
  // The padding before an empty data section may be missing.
  const std::uint64_t data_bytes = file.bytes() > header.data_offset ? file.bytes() - header.data_offset : 0;
  for (TensorInfo& tensor : header.tensors) {
    if (tensor.bytes > 0 && (tensor.file_offset > data_bytes || tensor.bytes > data_bytes - tensor.file_offset)) {
      cursor.set_context("tensor " + quoted_name(tensor.name));
      return cursor.corrupt("its " + std::to_string(tensor.bytes) + " bytes at byte " + std::to_string(tensor.file_offset) +
                            " of the data do not fit the " + std::to_string(data_bytes) +
                            " bytes of data in the file: it is incomplete, so download it again");
    }
    tensor.file_offset += header.data_offset;
  }
  return {};
}

Result<void> read_fixed_header(GgufCursor& cursor, const FileReader& file, GgufHeader& header) {
  std::array<char, 4> magic{};
  if (file.bytes() < kFixedHeaderBytes) {
    return cursor.corrupt("the file has " + std::to_string(file.bytes()) + " bytes; a GGUF file has at least " +
                          std::to_string(kFixedHeaderBytes));
  }
  TANDEM_TRY(cursor.read(magic.data(), magic.size()));
  if (std::string_view(magic.data(), magic.size()) != "GGUF") {
    return cursor.corrupt("it does not start with \"GGUF\" but with " + quoted_name({magic.data(), magic.size()}));
  }
  header.version = TANDEM_TRY(cursor.number<std::uint32_t>());
  if (header.version != 0 && (header.version & 0xffff) == 0) {
    return cursor.error(ErrorCode::kUnsupported, "the file is big-endian; only little-endian files are read");
  }
  if (header.version != 2 && header.version != 3) {
    return cursor.error(ErrorCode::kUnsupported,
                        "GGUF version " + std::to_string(header.version) + " is not read; versions 2 and 3 are");
  }
  return {};
}

}  // namespace

Result<GgufHeader> read_gguf_header(const FileReader& file, std::uint32_t file_idx) {
  GgufHeader header;
  GgufCursor cursor(file, kMaxHeaderBytes);
  TANDEM_TRY(read_fixed_header(cursor, file, header));
  const auto num_tensors = TANDEM_TRY(cursor.number<std::uint64_t>());
  const auto num_keys = TANDEM_TRY(cursor.number<std::uint64_t>());
  TANDEM_TRY(cursor.check_count(num_keys, kMinKeyBytes, "keys"));
  TANDEM_TRY(cursor.check_count(num_tensors, kMinTensorBytes, "tensors"));
  if (num_keys > kMaxEntries || num_tensors > kMaxEntries) {
    return cursor.corrupt(std::to_string(num_keys) + " keys and " + std::to_string(num_tensors) + " tensors: more than " +
                          std::to_string(kMaxEntries) + " of either are not accepted");
  }
  TANDEM_TRY(read_keys(cursor, num_keys, header));
  cursor.set_context("");
  TANDEM_TRY(cursor.check_count(num_tensors, kMinTensorBytes, "tensors"));
  TANDEM_TRY(read_tensor_infos(cursor, num_tensors, file_idx, header));
  TANDEM_TRY(place_tensors(cursor, file, header));
  return header;
}

}  // namespace tandem::engine
