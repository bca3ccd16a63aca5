#include <cstdint>
#include <limits>

#include "tests/support/gguf_writer.h"
#include "tests/support/malformed_files.h"

namespace tandem::testing {
namespace {

constexpr std::uint32_t kF32 = 0, kF16 = 1, kQ8_0 = 8;

// One file with a single key whose type and value are given, and nothing after it.
std::string with_key(std::string_view key, const GgufBytes& type_and_value) {
  return GgufBytes().header(0, 1).string(key).raw(type_and_value.bytes()).bytes();
}

GgufBytes array(std::uint32_t element_type, std::uint64_t count) {
  return GgufBytes().type(GgufValueType::kArray).u32(element_type).u64(count);
}

struct Info {
  std::string name = "w";
  std::vector<std::uint64_t> ne = {8};
  std::uint32_t type = kF32;
  std::uint64_t offset = 0;
};

// One file with these tensor infos and `data_bytes` zero bytes of data.
std::string with_tensors(const std::vector<Info>& infos, std::size_t data_bytes) {
  GgufBytes out;
  out.header(infos.size(), 0);
  for (const Info& info : infos) out.tensor_info(info.name, info.ne, info.type, info.offset);
  return out.pad_to(32).raw(std::string(data_bytes, '\0')).bytes();
}

std::string header_only(std::uint64_t num_tensors, std::uint64_t num_keys, std::uint32_t version = 3) {
  return GgufBytes().header(num_tensors, num_keys, version).raw(std::string(64, '\0')).bytes();
}

std::string cut(std::string bytes, std::size_t size) {
  bytes.resize(size);
  return bytes;
}

void add_header_cases(std::vector<MalformedFile>& files) {
  const auto unsupported = ErrorCode::kUnsupported;
  files.push_back({"empty_file", "", ErrorCode::kCorrupt, {"0 bytes", "24"}});
  files.push_back({"magic_only", "GGUF", ErrorCode::kCorrupt, {"4 bytes", "24"}});
  files.push_back({"wrong_magic", GgufBytes().raw("GGML").u32(3).u64(0).u64(0).bytes(), ErrorCode::kCorrupt, {"\"GGML\""}});
  files.push_back({"version_0", header_only(0, 0, 0), unsupported, {"version 0"}});
  files.push_back({"version_1", header_only(0, 0, 1), unsupported, {"version 1"}});
  files.push_back({"version_4", header_only(0, 0, 4), unsupported, {"version 4"}});
  files.push_back({"version_byte_swapped", header_only(0, 0, 0x03000000), unsupported, {"big-endian"}});
  files.push_back({"key_count_minus_1", header_only(0, ~0ull), ErrorCode::kCorrupt, {"18446744073709551615 keys"}});
  files.push_back({"key_count_2_60", header_only(0, 1ull << 60), ErrorCode::kCorrupt, {"1152921504606846976 keys"}});
  files.push_back({"tensor_count_minus_1", header_only(~0ull, 0), ErrorCode::kCorrupt, {"18446744073709551615 tensors"}});
  files.push_back({"tensor_count_2_60", header_only(1ull << 60, 0), ErrorCode::kCorrupt, {"1152921504606846976 tensors"}});
  files.push_back({"tensor_count_beyond_file", header_only(3, 0), ErrorCode::kCorrupt, {"3 tensors", "at most 2"}});
}

void add_key_cases(std::vector<MalformedFile>& files) {
  const GgufBytes one = GgufBytes().type(GgufValueType::kU32).u32(1);
  const auto corrupt = ErrorCode::kCorrupt;
  files.push_back({"key_twice", GgufWriter().add_u32("a.b", 1).add_u32("a.b", 1).bytes(), corrupt, {"\"a.b\"", "twice"}});
  files.push_back({"key_empty", with_key("", one), corrupt, {"key 0", "empty"}});
  files.push_back({"key_with_zero_byte", with_key(std::string_view("a\0b", 3), one), corrupt, {"\"a\\x00b\"", "zero byte"}});
  files.push_back({"key_too_long", with_key(std::string(65536, 'k'), one), corrupt, {"65536", "65535"}});
  files.push_back({"value_type_13", with_key("k", GgufBytes().u32(13).u64(0)), corrupt, {"\"k\"", "type 13"}});
  files.push_back({"value_type_max", with_key("k", GgufBytes().u32(0xffffffff).u64(0)), corrupt, {"4294967295"}});
  files.push_back({"bool_2", with_key("k", GgufBytes().type(GgufValueType::kBool).raw("\x02")), corrupt, {"0 or 1, not 2"}});
  files.push_back({"string_past_end",
                   with_key("k", GgufBytes().type(GgufValueType::kString).u64(1000).raw("abc")),
                   corrupt,
                   {"\"k\"", "1000 bytes"}});
  files.push_back({"string_length_wraps",
                   with_key("k", GgufBytes().type(GgufValueType::kString).u64(~0ull - 40)),
                   corrupt,
                   {"18446744073709551575", "67108864"}});
  files.push_back({"key_length_wraps",
                   GgufBytes().header(0, 1).u64(~0ull).raw(std::string(32, 'k')).bytes(),
                   corrupt,
                   {"18446744073709551615", "65535"}});
  files.push_back({"array_nested", with_key("k", array(9, 1).u32(4).u64(1).u32(7)), corrupt, {"\"k\"", "arrays of arrays"}});
  files.push_back({"array_element_type_99", with_key("k", array(99, 1).u64(0)), corrupt, {"element type 99"}});
  files.push_back({"array_count_2_62", with_key("k", array(4, 1ull << 62).u32(0)), corrupt, {"4611686018427387904"}});
  files.push_back({"array_count_2_29", with_key("k", array(4, 1ull << 29).u32(0)), corrupt, {"536870912", "at most"}});
  files.push_back({"array_of_strings_count", with_key("k", array(8, 3).u64(0).u64(0)), corrupt, {"3 array elements"}});
  files.push_back({"array_string_past_end", with_key("k", array(8, 1).u64(5).raw("ab")), corrupt, {"5 bytes"}});
  files.push_back({"array_bool_7", with_key("k", array(7, 2).raw("\x01\x07")), corrupt, {"0 or 1, not 7"}});
  for (const std::uint32_t value : {0u, 3u, 4u, 12u, 24u, 131072u, 0x80000000u}) {
    files.push_back({"alignment_" + std::to_string(value),
                     GgufWriter().add_u32("general.alignment", value).bytes(),
                     corrupt,
                     {"\"general.alignment\"", "not " + std::to_string(value)}});
  }
  files.push_back(
      {"alignment_u64", GgufWriter().add_u64("general.alignment", 32).bytes(), corrupt, {"must have value type u32"}});
  files.push_back({"alignment_string", GgufWriter().add_string("general.alignment", "32").bytes(), corrupt, {"u32"}});
  const std::string two_keys = GgufWriter().add_u32("a", 1).add_string("b", "text").bytes();
  files.push_back({"cut_in_key_name", cut(two_keys, 24 + 8), corrupt, {"keys"}});
  files.push_back({"cut_in_value", cut(two_keys, 24 + 17 + 9 + 4 + 8 + 2), corrupt, {"\"b\"", "incomplete"}});
}

void add_tensor_cases(std::vector<MalformedFile>& files) {
  const auto corrupt = ErrorCode::kCorrupt;
  const auto unsupported = ErrorCode::kUnsupported;
  constexpr std::uint64_t kTwo31 = 1ull << 31, kTwo32 = 1ull << 32, kTwo63 = 1ull << 63;
  files.push_back({"dims_5", with_tensors({{"w", {1, 1, 1, 1, 1}}}, 32), corrupt, {"\"w\"", "5 dimensions"}});
  files.push_back({"dims_max",
                   GgufBytes().header(1, 0).string("w").u32(~0u).raw(std::string(64, '\0')).bytes(),
                   corrupt,
                   {"4294967295 dimensions"}});
  files.push_back({"dim_negative", with_tensors({{"w", {~0ull}}}, 32), corrupt, {"18446744073709551615"}});
  files.push_back({"dim_2_63", with_tensors({{"w", {kTwo63}}}, 32), corrupt, {"9223372036854775808"}});
  files.push_back({"dims_2_31_squared", with_tensors({{"w", {kTwo31, kTwo31}}}, 32), corrupt, {"\"w\"", "64 bits"}});
  files.push_back({"dims_2_32_squared", with_tensors({{"w", {kTwo32, kTwo32}}}, 32), corrupt, {"63 bits"}});
  files.push_back({"dims_wrap_to_8", with_tensors({{"w", {8, kTwo63 - 1, 3}}}, 32), corrupt, {"63 bits"}});
  files.push_back({"dims_zero_and_huge", with_tensors({{"w", {0, kTwo32, kTwo32}}}, 32), corrupt, {"63 bits"}});
  files.push_back({"bytes_beyond_64_bits", with_tensors({{"w", {kTwo31, kTwo31}, 28}}, 32), corrupt, {"64 bits"}});
  files.push_back({"row_not_whole_blocks", with_tensors({{"w", {33}, kQ8_0}}, 64), corrupt, {"\"w\"", "33", "32", "Q8_0"}});
  files.push_back({"scalar_of_block_type", with_tensors({{"w", {}, kQ8_0}}, 64), corrupt, {"1 elements", "Q8_0"}});
  files.push_back(
      {"offset_unaligned", with_tensors({{"w", {8}, kF32, 4}}, 64), corrupt, {"\"w\"", "offset 4", "alignment 32"}});
  files.push_back({"first_offset_not_0", with_tensors({{"w", {8}, kF32, 32}}, 64), corrupt, {"offset 32 should be 0"}});
  files.push_back({"offset_gap", with_tensors({{"a", {8}}, {"b", {8}, kF32, 64}}, 96), corrupt, {"\"b\"", "64 should be 32"}});
  files.push_back(
      {"offset_overlap", with_tensors({{"a", {8}}, {"b", {8}, kF32, 0}}, 64), corrupt, {"\"b\"", "0 should be 32"}});
  files.push_back({"offset_reordered", with_tensors({{"a", {8}, kF32, 32}, {"b", {8}, kF32, 0}}, 64), corrupt, {"\"a\""}});
  files.push_back({"offset_huge", with_tensors({{"w", {8}, kF32, ~0ull - 31}}, 64), corrupt, {"18446744073709551584"}});
  files.push_back({"sum_wraps",
                   with_tensors({{"a", {kTwo31, kTwo31 - 1}}, {"b", {8}, kF32, (kTwo31 * (kTwo31 - 1)) * 4}}, 64),
                   corrupt,
                   {"\"a\"", "do not fit"}});
  files.push_back({"data_cut", cut(with_tensors({{"w", {8}}}, 32), 64 + 31), corrupt, {"\"w\"", "32 bytes", "31 bytes"}});
  files.push_back({"data_missing", cut(with_tensors({{"w", {8}}}, 32), 57), corrupt, {"\"w\"", "0 bytes of data"}});
  files.push_back({"name_64_bytes", with_tensors({{std::string(64, 'n')}}, 32), corrupt, {"64 bytes", "63"}});
  files.push_back({"name_empty", with_tensors({{""}}, 32), corrupt, {"tensor 0", "empty"}});
  files.push_back({"name_with_zero_byte", with_tensors({{std::string("a\0b", 3)}}, 32), corrupt, {"\"a\\x00b\""}});
  files.push_back({"name_twice", with_tensors({{"w"}, {"w", {8}, kF32, 32}}, 64), corrupt, {"\"w\"", "twice"}});
  files.push_back({"cut_in_info", cut(with_tensors({{"w"}, {"v", {8}, kF32, 32}}, 64), 24 + 33 + 24), corrupt, {"incomplete"}});
  files.push_back({"type_99", with_tensors({{"w", {8}, 99}}, 32), unsupported, {"\"w\"", "99"}});
  files.push_back({"type_43", with_tensors({{"w", {8}, 43}}, 32), unsupported, {"\"w\"", "43"}});
  files.push_back({"type_removed_4", with_tensors({{"w", {32}, 4}}, 32), unsupported, {"\"w\"", "Q4_2", "id 4", "removed"}});
  files.push_back({"type_removed_31", with_tensors({{"w", {32}, 31}}, 32), unsupported, {"Q4_0_4_4", "id 31"}});
  files.push_back({"type_mxfp4", with_tensors({{"w", {32}, 39}}, 32), unsupported, {"\"w\"", "MXFP4", "id 39"}});
  files.push_back({"type_iq2_xxs", with_tensors({{"w", {256}, 16}}, 96), unsupported, {"\"w\"", "IQ2_XXS", "id 16"}});
  files.push_back({"type_tq1_0", with_tensors({{"w", {256}, 34}}, 64), unsupported, {"\"w\"", "TQ1_0", "id 34"}});
}

}  // namespace

std::vector<MalformedFile> malformed_gguf_files() {
  std::vector<MalformedFile> files;
  add_header_cases(files);
  add_key_cases(files);
  add_tensor_cases(files);
  return files;
}

std::vector<SoundFile> sound_gguf_files() {
  GgufWriter every_type;
  every_type.add_u8("k.u8", 200).add_i8("k.i8", -5).add_u16("k.u16", 60000).add_i16("k.i16", -300);
  every_type.add_u32("k.u32", 4000000000u).add_i32("k.i32", -70000).add_f32("k.f32", 1.5f).add_bool("k.bool", true);
  every_type.add_string("k.string", "héllo").add_u64("k.u64", ~0ull).add_i64("k.i64", std::numeric_limits<std::int64_t>::min());
  every_type.add_f64("k.f64", -0.1).add_strings("k.strings", {"a", "", "bc"}).add_bools("k.bools", {true, false, true});
  every_type.add_array<std::uint8_t>("k.u8s", {1, 255}).add_array<std::int8_t>("k.i8s", {-1, 1});
  every_type.add_array<std::uint16_t>("k.u16s", {1, 65535}).add_array<std::int16_t>("k.i16s", {-1, 1});
  every_type.add_array<std::uint32_t>("k.u32s", {1, 4000000000u}).add_array<std::int32_t>("k.i32s", {-1, 1});
  every_type.add_array<float>("k.f32s", {0.5f, -2.0f}).add_array<double>("k.f64s", {0.1});
  every_type.add_array<std::uint64_t>("k.u64s", {~0ull}).add_array<std::int64_t>("k.i64s", {-1}).add_strings("k.none", {});
  std::vector<SoundFile> files{{"every_value_type", every_type.bytes(), 0}};

  GgufWriter tensors;
  tensors.set_alignment(64).add_string("general.architecture", "llama");
  const std::vector<std::byte> zeros(4096);
  const auto bytes = [&](std::size_t count) { return std::span(zeros).first(count); };
  using kernels::DType;
  tensors.add_tensor("f32", DType::kF32, {2, 3}, bytes(24)).add_tensor("f16", DType::kF16, {3}, bytes(6));
  tensors.add_tensor("scalar", DType::kF32, {}, bytes(4)).add_tensor("none", DType::kF32, {0, 3}, {});
  tensors.add_tensor("q8_0", DType::kQ8_0, {2, 64}, bytes(136)).add_tensor("q4_k", DType::kQ4_K, {2, 1, 256}, bytes(288));
  tensors.add_tensor("q6_k", DType::kQ6_K, {1, 1, 1, 256}, bytes(210)).add_tensor("i32", DType::kI32, {5}, bytes(20));
  files.push_back({"tensors_alignment_64", tensors.bytes(), 8});

  files.push_back({"version_2", GgufWriter(2).add_u32("k", 1).add_tensor("w", DType::kF32, {8}, bytes(32)).bytes(), 1});
  files.push_back({"no_keys_no_tensors", GgufBytes().header(0, 0).bytes(), 0});
  files.push_back({"no_tensors_no_padding", GgufBytes().header(0, 1).string("k").u32(0).raw("x").bytes(), 0});
  files.push_back({"extra_bytes_after_data", with_tensors({{"w", {8}}}, 32) + "trailing", 1});
  files.push_back({"last_padding_missing", cut(with_tensors({{"w", {3}, kF16}}, 32), 64 + 6), 1});
  files.push_back({"name_63_bytes", with_tensors({{std::string(63, 'n')}}, 32), 1});
  files.push_back({"alignment_8", GgufWriter().set_alignment(8).add_tensor("w", DType::kF32, {2}, bytes(8)).bytes(), 1});
  files.push_back({"key_65535_bytes", with_key(std::string(65535, 'k'), GgufBytes().u32(4).u32(1)), 0});
  return files;
}

}  // namespace tandem::testing
