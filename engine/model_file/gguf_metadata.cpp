#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/model_file/model_file.h"
#include "engine/model_file/quoted_name.h"

namespace tandem::engine {
namespace {

using Value = GgufMetadata::Value;
using Array = GgufMetadata::Array;

constexpr auto kMaxInt64 = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::string_view array_name(const Array& array) {
  constexpr std::string_view kNames[] = {"an array of u8",     "an array of signed integers", "an array of unsigned integers",
                                         "an array of floats", "an array of bools",           "an array of strings"};
  static_assert(std::size(kNames) == std::variant_size_v<Array>);
  return kNames[array.index()];
}

std::string_view value_name(const Value& value) {
  constexpr std::string_view kNames[] = {"an unsigned integer", "a signed integer", "a float", "a bool", "a string"};
  static_assert(std::size(kNames) + 1 == std::variant_size_v<Value>);
  const Array* array = std::get_if<Array>(&value);
  return array != nullptr ? array_name(*array) : kNames[value.index()];
}

Error absent(std::string_view key) {
  return Error{ErrorCode::kNotFound, "the header has no key " + quoted_name(key)};
}

Error wrong_type(std::string_view key, std::string_view wanted, const Value& value) {
  return Error{ErrorCode::kCorrupt,
               "key " + quoted_name(key) + " must be " + std::string(wanted) + ", but is " + std::string(value_name(value))};
}

template <class T>
Result<T> get_scalar(std::string_view key, std::string_view wanted, const Value* value) {
  if (value == nullptr) return absent(key);
  const T* found = std::get_if<T>(value);
  if (found == nullptr) return wrong_type(key, wanted, *value);
  return *found;
}

template <class T>
Result<std::vector<T>> get_array(std::string_view key, std::string_view wanted, const Value* value) {
  if (value == nullptr) return absent(key);
  const Array* array = std::get_if<Array>(value);
  const auto* found = array == nullptr ? nullptr : std::get_if<std::vector<T>>(array);
  if (found == nullptr) return wrong_type(key, wanted, *value);
  return *found;
}

}  // namespace

const GgufMetadata::Value* GgufMetadata::find(std::string_view key) const {
  for (const auto& [name, value] : entries_) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool GgufMetadata::contains(std::string_view key) const {
  return find(key) != nullptr;
}

Result<std::uint64_t> GgufMetadata::get_uint(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return absent(key);
  if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
  const auto* number = std::get_if<std::int64_t>(value);
  if (number == nullptr) return wrong_type(key, "an integer", *value);
  if (*number < 0) {
    return Error{ErrorCode::kCorrupt, "key " + quoted_name(key) + " must not be negative, but is " + std::to_string(*number)};
  }
  return static_cast<std::uint64_t>(*number);
}

Result<double> GgufMetadata::get_float(std::string_view key) const {
  return get_scalar<double>(key, "a float", find(key));
}

Result<bool> GgufMetadata::get_bool(std::string_view key) const {
  return get_scalar<bool>(key, "a bool", find(key));
}

Result<std::string> GgufMetadata::get_string(std::string_view key) const {
  return get_scalar<std::string>(key, "a string", find(key));
}

Result<std::vector<std::string>> GgufMetadata::get_string_array(std::string_view key) const {
  return get_array<std::string>(key, "an array of strings", find(key));
}

Result<std::vector<double>> GgufMetadata::get_float_array(std::string_view key) const {
  return get_array<double>(key, "an array of floats", find(key));
}

Result<std::vector<bool>> GgufMetadata::get_bool_array(std::string_view key) const {
  return get_array<bool>(key, "an array of bools", find(key));
}

Result<std::vector<std::int64_t>> GgufMetadata::get_int_array(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return absent(key);
  const Array* array = std::get_if<Array>(value);
  if (array == nullptr) return wrong_type(key, "an array of integers", *value);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(array)) return *numbers;
  if (const auto* numbers = std::get_if<std::vector<std::uint8_t>>(array)) {
    return std::vector<std::int64_t>(numbers->begin(), numbers->end());
  }
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(array);
  if (numbers == nullptr) return wrong_type(key, "an array of integers", *value);
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if ((*numbers)[i] > kMaxInt64) {
      return Error{ErrorCode::kCorrupt, "element " + std::to_string(i) + " of key " + quoted_name(key) + " is " +
                                            std::to_string((*numbers)[i]) + ", more than 2^63 - 1"};
    }
  }
  return std::vector<std::int64_t>(numbers->begin(), numbers->end());
}

}  // namespace tandem::engine
