#include <cstdint>

#include "tests/support/malformed_files.h"

namespace tandem::testing {
namespace {

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

std::string object(const std::string& entries) {
  return "{" + entries + "}";
}

std::string raw_length(std::uint64_t length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + rest;
}

const std::string kEight(8, '\0');

void add_length_cases(std::vector<MalformedFile>& files) {
  const auto corrupt = ErrorCode::kCorrupt;
  files.push_back({"empty_file", "", corrupt, {"0 bytes"}});
  files.push_back({"length_cut", "abc", corrupt, {"3 bytes"}});
  files.push_back({"length_zero", raw_length(0, ""), corrupt, {"start with {"}});
  files.push_back({"length_beyond_file", raw_length(100, "{}"), corrupt, {"100 bytes", "10"}});
  files.push_back({"length_max", raw_length(~0ull, "{}"), corrupt, {"18446744073709551615"}});
  files.push_back({"length_wraps", raw_length(~0ull - 7, "{}"), corrupt, {"18446744073709551608"}});
  files.push_back({"length_over_limit", raw_length(100'000'001, "{}"), corrupt, {"100000001"}});
  files.push_back({"header_without_brace", safetensors_image(" {}"), corrupt, {"start with {"}});
  files.push_back({"header_byte_order_mark", safetensors_image("\xef\xbb\xbf{}"), corrupt, {"start with {"}});
  files.push_back({"header_cut", safetensors_image("{\"a\":"), corrupt, {"not valid JSON"}});
  files.push_back({"header_two_values", safetensors_image("{}{}"), corrupt, {"not valid JSON"}});
  files.push_back({"header_zero_padded", safetensors_image(std::string("{}\0\0", 4)), corrupt, {"not valid JSON"}});
  files.push_back({"header_not_utf8", safetensors_image("{\"__metadata__\":{\"a\":\"\xff\"}}"), corrupt, {"not valid JSON"}});
  files.push_back({"header_overlong_utf8", safetensors_image("{\"__metadata__\":{\"a\":\"\xc0\x80\"}}"), corrupt, {"JSON"}});
  files.push_back({"data_without_tensors", safetensors_image("{}", kEight), corrupt, {"need 0 bytes", "8"}});
}

void add_structure_cases(std::vector<MalformedFile>& files) {
  const auto corrupt = ErrorCode::kCorrupt;
  const auto refuse = [&](const std::string& name, const std::string& entries, std::vector<std::string> parts) {
    files.push_back({name, safetensors_image(object(entries), kEight), ErrorCode::kCorrupt, std::move(parts)});
  };
  const std::string a = entry("a", "F32", "[2]", "[0,8]");
  refuse("tensor_twice", a + "," + a, {"\"a\"", "twice"});
  refuse("metadata_twice", "\"__metadata__\":{},\"__metadata__\":{}," + a, {"__metadata__", "twice"});
  refuse("metadata_key_twice", "\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}," + a, {"\"k\"", "twice"});
  refuse("metadata_number", "\"__metadata__\":{\"k\":1}," + a, {"\"k\"", "string", "1"});
  refuse("metadata_object", "\"__metadata__\":{\"k\":{}}," + a, {"\"k\"", "object"});
  refuse("metadata_list", "\"__metadata__\":[]," + a, {"__metadata__", "array"});
  refuse("metadata_string", "\"__metadata__\":\"pt\"," + a, {"__metadata__", "string"});
  refuse("entry_is_null", "\"a\":null", {"\"a\"", "null"});
  refuse("entry_is_list", "\"a\":[]", {"\"a\"", "array"});
  refuse("entry_is_empty", "\"a\":{}", {"\"a\"", "dtype, shape and data_offsets"});
  refuse("no_dtype", R"("a":{"shape":[2],"data_offsets":[0,8]})", {"\"a\"", "must have"});
  refuse("no_shape", R"("a":{"dtype":"F32","data_offsets":[0,8]})", {"\"a\"", "must have"});
  refuse("no_offsets", R"("a":{"dtype":"F32","shape":[2]})", {"\"a\"", "must have"});
  refuse("field_twice", R"("a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]})", {"dtype", "twice"});
  refuse("field_unknown", R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})", {"\"x\""});
  refuse("dtype_number", R"("a":{"dtype":1,"shape":[2],"data_offsets":[0,8]})", {"dtype", "1"});
  refuse("shape_string", R"("a":{"dtype":"F32","shape":"2","data_offsets":[0,8]})", {"shape", "string"});
  refuse("shape_nested", entry("a", "F32", "[[2]]", "[0,8]"), {"shape", "array"});
  refuse("shape_object", entry("a", "F32", "[{}]", "[0,8]"), {"shape", "object"});
  refuse("name_empty", entry("", "F32", "[2]", "[0,8]"), {"empty name"});
  refuse("name_with_zero_byte", entry("a\\u0000b", "F32", "[2]", "[0,8]"), {"zero byte"});
  std::string deep(100'000, '[');
  files.push_back({"nested_deeply", safetensors_image("{\"a\":" + deep), corrupt, {"array"}});
  std::string many_dims = "[1";
  for (int i = 0; i < 64; ++i) many_dims += ",1";
  refuse("dims_65", entry("a", "F64", many_dims + "]", "[0,8]"), {"64 dimensions"});
}

void add_number_cases(std::vector<MalformedFile>& files) {
  const auto refuse = [&](const std::string& name, const std::string& entries, std::vector<std::string> parts,
                          ErrorCode code = ErrorCode::kCorrupt) {
    files.push_back({name, safetensors_image(object(entries), kEight), code, std::move(parts)});
  };
  refuse("dtype_unknown", entry("a", "F31", "[2]", "[0,8]"), {"\"a\"", "\"F31\""});
  refuse("dtype_lower_case", entry("a", "f32", "[2]", "[0,8]"), {"\"f32\""});
  refuse("dtype_of_gguf", entry("a", "Q8_0", "[2]", "[0,8]"), {"\"Q8_0\""});
  refuse("dtype_f4", entry("a", "F4", "[16]", "[0,8]"), {"\"a\"", "F4"}, ErrorCode::kUnsupported);
  refuse("dtype_c64", entry("a", "C64", "[1]", "[0,8]"), {"\"a\"", "C64"}, ErrorCode::kUnsupported);
  refuse("dim_negative", entry("a", "F32", "[-2]", "[0,8]"), {"shape", "-2"});
  refuse("dim_fraction", entry("a", "F32", "[2.0]", "[0,8]"), {"shape", "2.0"});
  refuse("dim_2_63", entry("a", "F32", "[9223372036854775808]", "[0,8]"), {"9223372036854775808"});
  refuse("dim_2_64", entry("a", "F32", "[18446744073709551618]", "[0,8]"), {"18446744073709551618"});
  refuse("dims_wrap_to_2", entry("a", "F32", "[4611686018427387905,2]", "[0,8]"), {"64 bits"});
  refuse("dims_zero_and_huge", entry("a", "F32", "[0,4611686018427387904,8]", "[0,0]"), {"64 bits"});
  refuse("offset_negative", entry("a", "F32", "[2]", "[-8,0]"), {"data_offsets", "-8"});
  refuse("offset_fraction", entry("a", "F32", "[2]", "[0,8.0]"), {"data_offsets", "8.0"});
  refuse("offset_exponent", entry("a", "F32", "[2]", "[0,8e0]"), {"data_offsets", "8e0"});
  refuse("offsets_1", entry("a", "F32", "[2]", "[0]"), {"two numbers"});
  refuse("offsets_3", entry("a", "F32", "[2]", "[0,8,8]"), {"two numbers"});
  refuse("offsets_backwards", entry("a", "F32", "[2]", "[8,0]"), {"backwards"});
  refuse("size_too_small", entry("a", "F32", "[1]", "[0,8]"), {"\"a\"", "4 bytes", "8"});
  refuse("size_too_large", entry("a", "F32", "[3]", "[0,8]"), {"\"a\"", "12 bytes", "8"});
  refuse("hole_at_start", entry("a", "U8", "[7]", "[1,8]"), {"\"a\"", "start at 1 instead of 0"});
  refuse("hole_between", entry("a", "U8", "[3]", "[0,3]") + "," + entry("b", "U8", "[4]", "[4,8]"),
         {"\"b\"", "4 instead of 3"});
  refuse("overlap", entry("a", "U8", "[5]", "[0,5]") + "," + entry("b", "U8", "[4]", "[4,8]"), {"\"b\"", "4 instead of 5"});
  refuse("same_data_twice", entry("a", "U8", "[8]", "[0,8]") + "," + entry("b", "U8", "[8]", "[0,8]"), {"\"b\""});
  refuse("data_left_over", entry("a", "U8", "[7]", "[0,7]"), {"need 7 bytes", "8"});
  refuse("data_cut", entry("a", "U8", "[9]", "[0,9]"), {"\"a\"", "end at 9", "8 bytes"});
  refuse("end_near_2_64", entry("a", "U8", "[9223372036854775807,2]", "[0,18446744073709551614]"), {"\"a\"", "incomplete"});
}

}  // namespace

std::string safetensors_image(const std::string& header, const std::string& data) {
  return raw_length(header.size(), header + data);
}

std::vector<MalformedFile> malformed_safetensors_files() {
  std::vector<MalformedFile> files;
  add_length_cases(files);
  add_structure_cases(files);
  add_number_cases(files);
  return files;
}

std::vector<SoundFile> sound_safetensors_files() {
  std::vector<SoundFile> files;
  files.push_back({"no_tensors", safetensors_image("{}"), 0});
  files.push_back({"spaces_at_end", safetensors_image("{}      "), 0});
  files.push_back({"metadata_only", safetensors_image(R"({"__metadata__":{"format":"pt","":""}})"), 0});
  files.push_back({"scalar", safetensors_image(object(entry("a", "F64", "[]", "[0,8]")), kEight), 1});
  files.push_back({"unordered",
                   safetensors_image(object(entry("b", "U8", "[4]", "[4,8]") + "," + entry("a", "I8", "[4]", "[0,4]") + "," +
                                            entry("none", "F32", "[0,7]", "[4,4]")),
                                     kEight),
                   3});
  std::string all;
  std::uint64_t end = 0;
  std::size_t count = 0;
  const std::pair<const char*, int> types[] = {
      {"BOOL", 1}, {"U8", 1},   {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1}, {"I16", 2}, {"U16", 2},
      {"F16", 2},  {"BF16", 2}, {"I32", 4}, {"U32", 4},     {"F32", 4},     {"F64", 8},     {"I64", 8}, {"U64", 8}};
  for (const auto& [dtype, bytes] : types) {
    const std::string offsets =
        "[" + std::to_string(end) + "," + std::to_string(end + 3 * static_cast<std::uint64_t>(bytes)) + "]";
    all += (count++ == 0 ? "" : ",") + entry(std::string("t_") + dtype, dtype, "[1,3]", offsets);
    end += 3 * static_cast<std::uint64_t>(bytes);
  }
  files.push_back({"every_dtype", safetensors_image(object(all), std::string(end, '\0')), count});
  return files;
}

}  // namespace tandem::testing
