// GgufWriter: makes GGUF files for tests, single or split, with any key type and tensor type.
//
// GgufBytes below it writes the raw fields, for files that break the rules on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/dtype.h"

namespace tandem::testing {

// Value type ids of the format.
enum class GgufValueType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// A growing little-endian byte string.
class GgufBytes {
 public:
  GgufBytes& raw(const void* data, std::size_t num_bytes);
  GgufBytes& raw(std::string_view bytes) { return raw(bytes.data(), bytes.size()); }
  template <class T>
  requires std::is_arithmetic_v<T> GgufBytes& number(T value) { return raw(&value, sizeof value); }
  GgufBytes& u32(std::uint32_t value) { return number(value); }
  GgufBytes& u64(std::uint64_t value) { return number(value); }
  GgufBytes& string(std::string_view value) { return u64(value.size()).raw(value); }
  GgufBytes& type(GgufValueType value) { return u32(static_cast<std::uint32_t>(value)); }
  GgufBytes& pad_to(std::size_t alignment);
  // Magic, version and the two counts.
  GgufBytes& header(std::uint64_t num_tensors, std::uint64_t num_keys, std::uint32_t version = 3);
  // `ne` is in file order: innermost dimension first.
  GgufBytes& tensor_info(std::string_view name, const std::vector<std::uint64_t>& ne, std::uint32_t type_id,
                         std::uint64_t offset);

  const std::string& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  // Keys are written in the order of the calls. A key given twice is written twice.
  GgufWriter& add_u8(std::string_view key, std::uint8_t value) { return add_scalar(key, GgufValueType::kU8, value); }
  GgufWriter& add_i8(std::string_view key, std::int8_t value) { return add_scalar(key, GgufValueType::kI8, value); }
  GgufWriter& add_u16(std::string_view key, std::uint16_t value) { return add_scalar(key, GgufValueType::kU16, value); }
  GgufWriter& add_i16(std::string_view key, std::int16_t value) { return add_scalar(key, GgufValueType::kI16, value); }
  GgufWriter& add_u32(std::string_view key, std::uint32_t value) { return add_scalar(key, GgufValueType::kU32, value); }
  GgufWriter& add_i32(std::string_view key, std::int32_t value) { return add_scalar(key, GgufValueType::kI32, value); }
  GgufWriter& add_u64(std::string_view key, std::uint64_t value) { return add_scalar(key, GgufValueType::kU64, value); }
  GgufWriter& add_i64(std::string_view key, std::int64_t value) { return add_scalar(key, GgufValueType::kI64, value); }
  GgufWriter& add_f32(std::string_view key, float value) { return add_scalar(key, GgufValueType::kF32, value); }
  GgufWriter& add_f64(std::string_view key, double value) { return add_scalar(key, GgufValueType::kF64, value); }
  GgufWriter& add_bool(std::string_view key, bool value) {
    return add_scalar(key, GgufValueType::kBool, static_cast<std::uint8_t>(value));
  }
  GgufWriter& add_string(std::string_view key, std::string_view value);
  GgufWriter& add_strings(std::string_view key, const std::vector<std::string>& values);
  GgufWriter& add_bools(std::string_view key, const std::vector<bool>& values);
  // Array of numbers; the element type id follows from T.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) GgufWriter& add_array(std::string_view key,
                                                                                      const std::vector<T>& values) {
    GgufBytes body;
    body.type(GgufValueType::kArray).type(value_type<T>()).u64(values.size());
    for (const T value : values) body.number(value);
    return add_raw(key, body);
  }
  // Type id and value as given.
  GgufWriter& add_raw(std::string_view key, const GgufBytes& type_and_value);

  // Writes general.alignment and aligns by it; 32 without this call.
  GgufWriter& set_alignment(std::uint32_t alignment);

  // `shape` is outermost first, as in PyTorch. `data` must have exactly the bytes of shape and dtype.
  GgufWriter& add_tensor(std::string_view name, kernels::DType dtype, std::vector<std::int64_t> shape,
                         std::span<const std::byte> data);
  GgufWriter& add_f32_tensor(std::string_view name, std::vector<std::int64_t> shape, std::span<const float> values) {
    return add_tensor(name, kernels::DType::kF32, std::move(shape), std::as_bytes(values));
  }

  // The image of one file with everything in it.
  std::string bytes() const;
  Result<void> write(const std::filesystem::path& path) const;
  // Files PREFIX-0000i-of-0000N.gguf in `folder` with at most `tensors_per_file` tensors each; the first holds all keys.
  // Returns their paths in order.
  Result<std::vector<std::filesystem::path>> write_split(const std::filesystem::path& folder, std::string_view prefix,
                                                         std::size_t tensors_per_file) const;

 private:
  struct Tensor {
    std::string name;
    kernels::DType dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> data;
  };

  template <class T>
  static GgufValueType value_type() {
    if constexpr (std::is_same_v<T, float>) return GgufValueType::kF32;
    if constexpr (std::is_same_v<T, double>) return GgufValueType::kF64;
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? GgufValueType::kI8 : GgufValueType::kU8;
    if constexpr (sizeof(T) == 2) return is_signed ? GgufValueType::kI16 : GgufValueType::kU16;
    if constexpr (sizeof(T) == 4) return is_signed ? GgufValueType::kI32 : GgufValueType::kU32;
    return is_signed ? GgufValueType::kI64 : GgufValueType::kU64;
  }
  template <class T>
  GgufWriter& add_scalar(std::string_view key, GgufValueType type, T value) {
    return add_raw(key, GgufBytes().type(type).number(value));
  }
  // One file: `keys` serialised one after the other, and a run of the tensors.
  std::string image(const GgufBytes& keys, std::uint64_t num_keys, std::span<const Tensor> tensors) const;

  std::uint32_t version_;
  std::uint32_t alignment_ = 32;
  GgufBytes keys_;
  std::uint64_t num_keys_ = 0;
  std::vector<Tensor> tensors_;
};

// Writes the bytes to a file, replacing it.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tandem::testing
