#include "tests/support/gguf_writer.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/check.h"
#include "engine/model_file/gguf_types.h"

namespace tandem::testing {

GgufBytes& GgufBytes::raw(const void* data, std::size_t num_bytes) {
  bytes_.append(static_cast<const char*>(data), num_bytes);
  return *this;
}

GgufBytes& GgufBytes::pad_to(std::size_t alignment) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
  return *this;
}

GgufBytes& GgufBytes::header(std::uint64_t num_tensors, std::uint64_t num_keys, std::uint32_t version) {
  return raw("GGUF").u32(version).u64(num_tensors).u64(num_keys);
}

GgufBytes& GgufBytes::tensor_info(std::string_view name, const std::vector<std::uint64_t>& ne, std::uint32_t type_id,
                                  std::uint64_t offset) {
  string(name).u32(static_cast<std::uint32_t>(ne.size()));
  for (const std::uint64_t dim : ne) u64(dim);
  return u32(type_id).u64(offset);
}

GgufWriter& GgufWriter::add_raw(std::string_view key, const GgufBytes& type_and_value) {
  keys_.string(key).raw(type_and_value.bytes());
  ++num_keys_;
  return *this;
}

GgufWriter& GgufWriter::add_string(std::string_view key, std::string_view value) {
  return add_raw(key, GgufBytes().type(GgufValueType::kString).string(value));
}

GgufWriter& GgufWriter::add_strings(std::string_view key, const std::vector<std::string>& values) {
  GgufBytes body;
  body.type(GgufValueType::kArray).type(GgufValueType::kString).u64(values.size());
  for (const std::string& value : values) body.string(value);
  return add_raw(key, body);
}

GgufWriter& GgufWriter::add_bools(std::string_view key, const std::vector<bool>& values) {
  GgufBytes body;
  body.type(GgufValueType::kArray).type(GgufValueType::kBool).u64(values.size());
  for (const bool value : values) body.number(static_cast<std::uint8_t>(value));
  return add_raw(key, body);
}

GgufWriter& GgufWriter::set_alignment(std::uint32_t alignment) {
  CHECK(alignment > 0, "alignment 0");
  alignment_ = alignment;
  return add_u32("general.alignment", alignment);
}

GgufWriter& GgufWriter::add_tensor(std::string_view name, kernels::DType dtype, std::vector<std::int64_t> shape,
                                   std::span<const std::byte> data) {
  std::int64_t num_rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) num_rows *= shape[i];
  const std::int64_t expected = num_rows * kernels::row_bytes(dtype, shape.empty() ? 1 : shape.back());
  CHECK(static_cast<std::size_t>(expected) == data.size(), "tensor data does not have the bytes of its shape and type");
  CHECK(engine::gguf_type_id(dtype).has_value(), "GGUF has no id for this type");
  tensors_.push_back({std::string(name), dtype, std::move(shape), {data.begin(), data.end()}});
  return *this;
}

std::string GgufWriter::image(const GgufBytes& keys, std::uint64_t num_keys, std::span<const Tensor> tensors) const {
  GgufBytes out;
  out.header(tensors.size(), num_keys, version_).raw(keys.bytes());
  GgufBytes data;
  for (const Tensor& tensor : tensors) {
    const std::vector<std::uint64_t> ne(tensor.shape.rbegin(), tensor.shape.rend());
    out.tensor_info(tensor.name, ne, *engine::gguf_type_id(tensor.dtype), data.size());
    data.raw(tensor.data.data(), tensor.data.size()).pad_to(alignment_);
  }
  return out.pad_to(alignment_).raw(data.bytes()).bytes();
}

std::string GgufWriter::bytes() const {
  return image(keys_, num_keys_, tensors_);
}

Result<void> GgufWriter::write(const std::filesystem::path& path) const {
  return write_file(path, bytes());
}

Result<std::vector<std::filesystem::path>> GgufWriter::write_split(const std::filesystem::path& folder, std::string_view prefix,
                                                                   std::size_t tensors_per_file) const {
  CHECK(tensors_per_file > 0, "a split file needs room for a tensor");
  const std::size_t num_files = std::max<std::size_t>(1, (tensors_.size() + tensors_per_file - 1) / tensors_per_file);
  std::vector<std::filesystem::path> paths;
  for (std::size_t file_idx = 0; file_idx < num_files; ++file_idx) {
    GgufWriter keys(version_);
    if (file_idx == 0) {
      keys = *this;
    } else if (alignment_ != 32) {
      keys.set_alignment(alignment_);
    }
    keys.add_u16("split.no", static_cast<std::uint16_t>(file_idx));
    keys.add_u16("split.count", static_cast<std::uint16_t>(num_files));
    keys.add_i32("split.tensors.count", static_cast<std::int32_t>(tensors_.size()));
    const std::size_t first = file_idx * tensors_per_file;
    const std::size_t count = std::min(tensors_per_file, tensors_.size() - first);
    char suffix[64];
    std::snprintf(suffix, sizeof suffix, "-%05zu-of-%05zu.gguf", file_idx + 1, num_files);
    paths.push_back(folder / (std::string(prefix) + suffix));
    TANDEM_TRY(write_file(paths.back(), image(keys.keys_, keys.num_keys_, std::span(tensors_).subspan(first, count))));
  }
  return paths;
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return Error{ErrorCode::kIo, "cannot write " + path.string()};
  return {};
}

}  // namespace tandem::testing
