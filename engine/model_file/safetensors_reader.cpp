#include "engine/model_file/safetensors_reader.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/model_file/checked_math.h"
#include "engine/model_file/quoted_name.h"
#include "engine/model_file/safetensors_types.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference reader's limit
constexpr std::size_t kMaxTensors = 1u << 20;           // our own
constexpr std::size_t kMaxDims = 64;                    // PyTorch's limit

// Takes the header apart as the parser meets it: only the three known levels exist, so depth and memory are bounded.
class HeaderBuilder {
 public:
  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return refuse_value("null"); }
  bool boolean(bool) { return refuse_value("a bool"); }
  bool number_integer(number_integer_t value) { return refuse_value(std::to_string(value)); }  // negative: others are unsigned
  bool number_float(number_float_t, const string_t& token) { return refuse_value(token.substr(0, 40)); }
  bool binary(binary_t&) { return refuse_value("binary data"); }

  bool number_unsigned(number_unsigned_t value) {
    if (level_ != Level::kList) return refuse_value(std::to_string(value));
    if (field_ == Field::kShape) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return refuse_value(std::to_string(value));
      if (tensor_.shape.size() == kMaxDims) return refuse("it has more than " + std::to_string(kMaxDims) + " dimensions");
      tensor_.shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (num_offsets_ == 2) return refuse("data_offsets must have two numbers");
    offsets_[num_offsets_++] = value;
    return true;
  }

  bool string(string_t& value) {
    if (level_ == Level::kMetadata) {
      header_.metadata.insert_or_assign(metadata_key_, std::move(value));
      return true;
    }
    if (level_ != Level::kTensor || field_ != Field::kDType) return refuse_value("a string");
    const auto* found = std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                                     [&](const SafetensorsType& type) { return type.name == value; });
    if (found == kSafetensorsTypes.end()) return refuse("unknown dtype " + quoted_name(value));
    if (!found->dtype) {
      return refuse("dtype " + value + " cannot be computed with by this version", ErrorCode::kUnsupported);
    }
    tensor_.dtype = *found->dtype;
    return true;
  }

  bool start_object(std::size_t) {
    switch (level_) {
      case Level::kOutside: level_ = Level::kTop; return true;
      case Level::kTop: level_ = in_metadata_ ? Level::kMetadata : Level::kTensor; return true;
      default: return refuse_value("an object");
    }
  }

  bool end_object() {
    if (level_ == Level::kTop) {
      level_ = Level::kOutside;
      return true;
    }
    const bool is_tensor = level_ == Level::kTensor;
    level_ = Level::kTop;
    return is_tensor ? finish_tensor() : true;
  }

  bool start_array(std::size_t) {
    if (level_ != Level::kTensor || field_ == Field::kDType) return refuse_value("an array");
    level_ = Level::kList;
    return true;
  }

  bool end_array() {
    level_ = Level::kTensor;
    return true;
  }

  bool key(string_t& value) {
    if (level_ == Level::kTop) return top_key(value);
    if (level_ == Level::kMetadata) {
      if (header_.metadata.contains(value)) return refuse("the key " + quoted_name(value) + " appears twice");
      metadata_key_ = std::move(value);
      return true;
    }
    if (value == "dtype") {
      field_ = Field::kDType;
    } else if (value == "shape") {
      field_ = Field::kShape;
    } else if (value == "data_offsets") {
      field_ = Field::kOffsets;
    } else {
      return refuse("unknown field " + quoted_name(value));
    }
    const unsigned bit = 1u << static_cast<unsigned>(field_);
    if ((fields_seen_ & bit) != 0) return refuse("the field " + value + " appears twice");
    fields_seen_ |= bit;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    tensor_.name.clear();
    return refuse("the header is not valid JSON at its byte " + std::to_string(position) + " (" + error.what() + ")");
  }

  SafetensorsHeader& header() { return header_; }
  const Error& problem() const { return problem_; }

 private:
  enum class Level : std::uint8_t { kOutside, kTop, kMetadata, kTensor, kList };
  enum class Field : std::uint8_t { kDType, kShape, kOffsets };

  bool refuse(const std::string& message, ErrorCode code = ErrorCode::kCorrupt) {
    std::string where;
    if (in_metadata_) {
      where = "__metadata__: ";
    } else if (!tensor_.name.empty()) {
      where = "tensor " + quoted_name(tensor_.name) + ": ";
    }
    problem_ = Error{code, where + message};
    return false;
  }

  bool refuse_value(const std::string& value) {
    constexpr std::string_view kFieldNames[] = {"dtype", "shape", "data_offsets"};
    switch (level_) {
      case Level::kOutside: return refuse("the header must be an object, not " + value);
      case Level::kTop: return refuse("its entry must be an object, not " + value);
      case Level::kMetadata: return refuse("the value of " + quoted_name(metadata_key_) + " must be a string, not " + value);
      default: return refuse(std::string(kFieldNames[static_cast<std::size_t>(field_)]) + " cannot hold " + value);
    }
  }

  bool top_key(std::string& name) {
    in_metadata_ = name == "__metadata__";
    tensor_ = TensorInfo{};
    fields_seen_ = 0;
    num_offsets_ = 0;
    if (!in_metadata_) {
      if (name.empty()) return refuse("a tensor has an empty name");
      tensor_.name = name;
      if (name.find('\0') != std::string::npos) return refuse("the name contains a zero byte");
      if (header_.tensors.size() == kMaxTensors) return refuse("more than " + std::to_string(kMaxTensors) + " tensors");
    }
    if (!names_.insert(std::move(name)).second) return refuse("it appears twice");
    return true;
  }

  bool finish_tensor() {
    if (fields_seen_ != 0b111) return refuse("it must have dtype, shape and data_offsets");
    if (num_offsets_ != 2) return refuse("data_offsets must have two numbers");
    const auto [begin, end] = offsets_;
    if (end < begin) return refuse("data_offsets " + std::to_string(begin) + " to " + std::to_string(end) + " run backwards");
    bool is_empty = false;
    std::uint64_t bytes = static_cast<std::uint64_t>(kernels::dtype_info(tensor_.dtype).block_bytes);
    for (const std::int64_t dim : tensor_.shape) {
      is_empty |= dim == 0;
      const auto product = checked_mul(bytes, dim == 0 ? 1 : static_cast<std::uint64_t>(dim));
      if (!product) return refuse("the product of its dimensions does not fit 64 bits");
      bytes = *product;
    }
    tensor_.bytes = is_empty ? 0 : bytes;
    if (tensor_.bytes != end - begin) {
      return refuse("shape and dtype need " + std::to_string(tensor_.bytes) + " bytes, but data_offsets span " +
                    std::to_string(end - begin));
    }
    tensor_.file_offset = begin;
    header_.tensors.push_back(std::move(tensor_));
    tensor_ = TensorInfo{};
    return true;
  }

  SafetensorsHeader header_;
  std::unordered_set<std::string> names_;
  Level level_ = Level::kOutside;
  Field field_ = Field::kDType;
  bool in_metadata_ = false;
  std::string metadata_key_;
  TensorInfo tensor_;  // the one being read
  unsigned fields_seen_ = 0;
  std::array<std::uint64_t, 2> offsets_{};
  std::size_t num_offsets_ = 0;
  Error problem_;
};

Error corrupt(const FileReader& file, const std::string& message) {
  return Error{ErrorCode::kCorrupt, file.path().string() + ": " + message};
}

// Orders the tensors by their data and checks that they fill it exactly.
Result<void> place_tensors(const FileReader& file, std::uint64_t data_offset, std::uint32_t file_idx,
                           std::vector<TensorInfo>& tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.file_offset, a.bytes) < std::pair(b.file_offset, b.bytes);
  });
  const std::uint64_t data_bytes = file.bytes() - data_offset;
  std::uint64_t expected = 0;
  for (TensorInfo& tensor : tensors) {
    if (tensor.file_offset != expected) {
      return corrupt(file, "tensor " + quoted_name(tensor.name) + ": its data start at " + std::to_string(tensor.file_offset) +
                               " instead of " + std::to_string(expected) + ": gaps and overlaps are not allowed");
    }
    expected += tensor.bytes;  // cannot wrap: it is the tensor's 64-bit end offset
    if (expected > data_bytes) {
      return corrupt(file, "tensor " + quoted_name(tensor.name) + ": its data end at " + std::to_string(expected) +
                               ", but the file holds " + std::to_string(data_bytes) +
                               " bytes of data: it is incomplete, so download it again");
    }
    tensor.file_idx = file_idx;
    tensor.file_offset += data_offset;
  }
  if (expected != data_bytes) {
    return corrupt(file, "its tensors need " + std::to_string(expected) + " bytes of data, but the file holds " +
                             std::to_string(data_bytes));
  }
  return {};
}

}  // namespace

Result<SafetensorsHeader> read_safetensors_header(const FileReader& file, std::uint32_t file_idx) {
  std::uint64_t header_bytes = 0;
  if (file.bytes() < sizeof header_bytes) {
    return corrupt(file, "the file has " + std::to_string(file.bytes()) + " bytes; a safetensors file has at least 10");
  }
  TANDEM_TRY(file.read(0, std::as_writable_bytes(std::span(&header_bytes, 1))));
  if (header_bytes > kMaxHeaderBytes || header_bytes > file.bytes() - sizeof header_bytes) {
    return corrupt(file, "it announces a header of " + std::to_string(header_bytes) + " bytes; the file has " +
                             std::to_string(file.bytes()) + " and the limit is " + std::to_string(kMaxHeaderBytes) +
                             ": it is damaged, incomplete or not a safetensors file");
  }
  std::string text(static_cast<std::size_t>(header_bytes), '\0');
  TANDEM_TRY(file.read(sizeof header_bytes, std::as_writable_bytes(std::span(text))));
  if (text.empty() || text.front() != '{') return corrupt(file, "the header does not start with {");
  // JSON has no zero byte outside of escapes, but nlohmann's lexer takes one for the end of the text.
  if (text.find('\0') != std::string::npos) return corrupt(file, "the header is not valid JSON: it contains a zero byte");
  HeaderBuilder builder;
  try {
    if (!nlohmann::json::sax_parse(text, &builder)) {
      return Error{builder.problem().code, file.path().string() + ": " + builder.problem().detail};
    }
  } catch (const std::exception& error) {
    return corrupt(file, std::string("reading the header failed: ") + error.what());
  }
  TANDEM_TRY(place_tensors(file, sizeof header_bytes + header_bytes, file_idx, builder.header().tensors));
  return std::move(builder.header());
}

}  // namespace tandem::engine
