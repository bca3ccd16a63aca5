#include "engine/model_file/gguf_reader.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "tests/support/gguf_writer.h"
#include "tests/support/malformed_files.h"
#include "tests/support/memory_file.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

using testing::GgufWriter;
using testing::TempFolder;
using testing::write_file;

class GgufReader : public ::testing::Test {
 protected:
  // The result of reading a file with these bytes.
  Result<GgufHeader> read(std::string_view bytes) {
    const std::filesystem::path path = folder_.path() / "model.gguf";
    TANDEM_TRY(write_file(path, bytes));
    const FileReader file = TANDEM_TRY(FileReader::open(path));
    return read_gguf_header(file, 7);
  }
  // The same without a disk: thousands of damaged files.
  static Result<GgufHeader> read_quickly(std::string_view bytes) {
    const testing::MemoryFile memory(bytes);
    const FileReader file = TANDEM_TRY(FileReader::open(memory.path()));
    return read_gguf_header(file, 0);
  }
  TempFolder folder_;
};

TEST_F(GgufReader, MalformedFilesAreRefusedWithFileAndNumbers) {
  for (const testing::MalformedFile& file : testing::malformed_gguf_files()) {
    SCOPED_TRACE(file.name);
    const auto header = read(file.bytes);
    ASSERT_FALSE(header);
    const Error& error = header.error();
    EXPECT_EQ(error.code, file.code) << error.detail;
    EXPECT_NE(error.detail.find("model.gguf"), std::string::npos) << error.detail;
    for (const std::string& part : file.parts) EXPECT_NE(error.detail.find(part), std::string::npos) << error.detail;
  }
}

TEST_F(GgufReader, SoundFilesAreRead) {
  for (const testing::SoundFile& file : testing::sound_gguf_files()) {
    SCOPED_TRACE(file.name);
    const auto header = read(file.bytes);
    ASSERT_TRUE(header) << header.error().detail;
    EXPECT_EQ(header->tensors.size(), file.num_tensors);
  }
}

TEST_F(GgufReader, EveryValueTypeComesBack) {
  const auto header = read(testing::sound_gguf_files().front().bytes);
  ASSERT_TRUE(header) << header.error().detail;
  const GgufMetadata& gguf = header->metadata;
  EXPECT_EQ(*gguf.get_uint("k.u8"), 200u);
  EXPECT_EQ(*gguf.get_uint("k.u16"), 60000u);
  EXPECT_EQ(*gguf.get_uint("k.u32"), 4000000000u);
  EXPECT_EQ(*gguf.get_uint("k.u64"), ~0ull);
  EXPECT_EQ(*gguf.get_float("k.f32"), 1.5);
  EXPECT_EQ(*gguf.get_float("k.f64"), -0.1);
  EXPECT_TRUE(*gguf.get_bool("k.bool"));
  EXPECT_EQ(*gguf.get_string("k.string"), "héllo");
  EXPECT_EQ(*gguf.get_string_array("k.strings"), (std::vector<std::string>{"a", "", "bc"}));
  EXPECT_TRUE(gguf.get_string_array("k.none")->empty());
  EXPECT_EQ(*gguf.get_bool_array("k.bools"), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(*gguf.get_int_array("k.u8s"), (std::vector<std::int64_t>{1, 255}));
  EXPECT_EQ(*gguf.get_int_array("k.i8s"), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(*gguf.get_int_array("k.u16s"), (std::vector<std::int64_t>{1, 65535}));
  EXPECT_EQ(*gguf.get_int_array("k.i16s"), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(*gguf.get_int_array("k.u32s"), (std::vector<std::int64_t>{1, 4000000000}));
  EXPECT_EQ(*gguf.get_int_array("k.i32s"), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(*gguf.get_int_array("k.i64s"), (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(*gguf.get_float_array("k.f32s"), (std::vector<double>{0.5, -2.0}));
  EXPECT_EQ(*gguf.get_float_array("k.f64s"), (std::vector<double>{0.1}));
  EXPECT_EQ(gguf.entries().front().first, "k.u8");
  EXPECT_EQ(gguf.entries().back().first, "k.none");
}

TEST_F(GgufReader, TensorsKeepOrderShapeAndPlace) {
  const auto header = read(testing::sound_gguf_files()[1].bytes);
  ASSERT_TRUE(header) << header.error().detail;
  EXPECT_EQ(header->alignment, 64u);
  EXPECT_EQ(header->data_offset % 64, 0u);
  const std::vector<TensorInfo>& tensors = header->tensors;
  EXPECT_EQ(tensors[0].name, "f32");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensors[0].bytes, 24u);
  EXPECT_EQ(tensors[0].file_idx, 7u);
  EXPECT_EQ(tensors[0].file_offset, header->data_offset);
  EXPECT_EQ(tensors[1].file_offset, header->data_offset + 64);
  EXPECT_TRUE(tensors[2].shape.empty());
  EXPECT_EQ(tensors[2].bytes, 4u);
  EXPECT_EQ(tensors[3].bytes, 0u);
  EXPECT_EQ(tensors[4].bytes, 2u * 2 * 34);
  EXPECT_EQ(tensors[5].shape, (std::vector<std::int64_t>{2, 1, 256}));
}

TEST_F(GgufReader, HostileNamesCannotSteerTheMessage) {
  GgufWriter writer;
  writer.add_u32("\x1b[2Jevil\n", 1).add_u32("\x1b[2Jevil\n", 1);
  const auto header = read(writer.bytes());
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().detail.find('\x1b'), std::string::npos);
  EXPECT_EQ(header.error().detail.find('\n'), std::string::npos);
  EXPECT_NE(header.error().detail.find("\\x1b[2Jevil\\x0a"), std::string::npos) << header.error().detail;
}

TEST_F(GgufReader, LongStringArrayCrossesTheBuffer) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 60'000; ++i) tokens.push_back("token " + std::to_string(i * 7919));
  const auto header = read(GgufWriter().add_strings("t", tokens).add_u32("after", 5).bytes());
  ASSERT_TRUE(header) << header.error().detail;
  EXPECT_EQ(*header->metadata.get_string_array("t"), tokens);
  EXPECT_EQ(*header->metadata.get_uint("after"), 5u);
}

// Whatever the header says after damage, the tensors it lists lie inside the file.
void expect_inside(const GgufHeader& header, std::size_t file_bytes) {
  for (const TensorInfo& tensor : header.tensors) {
    ASSERT_LE(tensor.bytes, file_bytes);
    if (tensor.bytes > 0) {
      ASSERT_LE(tensor.file_offset, file_bytes - tensor.bytes) << tensor.name;
    }
  }
}

TEST_F(GgufReader, EveryTruncationIsAnErrorOrSound) {
  for (const testing::SoundFile& file : testing::sound_gguf_files()) {
    if (file.bytes.size() > 10'000) continue;
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      const auto header = read_quickly(std::string_view(file.bytes).substr(0, size));
      if (header) expect_inside(*header, size);
    }
  }
}

TEST_F(GgufReader, EveryFlippedByteIsAnErrorOrSound) {
  std::mt19937 random(1);
  for (const testing::SoundFile& file : testing::sound_gguf_files()) {
    if (file.bytes.size() > 10'000) continue;
    for (std::size_t at = 0; at < file.bytes.size(); ++at) {
      for (const int mask : {0x01, 0x80, 0xff, static_cast<int>(random() & 0xff)}) {
        std::string bytes = file.bytes;
        bytes[at] = static_cast<char>(bytes[at] ^ mask);
        const auto header = read_quickly(bytes);
        if (header) expect_inside(*header, bytes.size());
      }
    }
  }
}

TEST(GgufMetadata, AbsentKeyIsNotFound) {
  const GgufMetadata gguf;
  EXPECT_FALSE(gguf.contains("llama.block_count"));
  const auto value = gguf.get_uint("llama.block_count");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, ErrorCode::kNotFound);
  EXPECT_NE(value.error().detail.find("llama.block_count"), std::string::npos);
}

TEST(GgufMetadata, NoTypeIsReadAsAnother) {
  using Array = GgufMetadata::Array;
  GgufMetadata gguf;
  gguf.add("uint", std::uint64_t{1});
  gguf.add("int", std::int64_t{1});
  gguf.add("float", 1.0);
  gguf.add("bool", true);
  gguf.add("string", std::string("1"));
  gguf.add("u8s", Array(std::vector<std::uint8_t>{1}));
  gguf.add("ints", Array(std::vector<std::int64_t>{1}));
  gguf.add("uints", Array(std::vector<std::uint64_t>{1}));
  gguf.add("floats", Array(std::vector<double>{1.0}));
  gguf.add("bools", Array(std::vector<bool>{true}));
  gguf.add("strings", Array(std::vector<std::string>{"1"}));
  for (const auto& [key, value] : gguf.entries()) {
    SCOPED_TRACE(key);
    EXPECT_EQ(gguf.get_uint(key).has_value(), key == "uint" || key == "int");
    EXPECT_EQ(gguf.get_float(key).has_value(), key == "float");
    EXPECT_EQ(gguf.get_bool(key).has_value(), key == "bool");
    EXPECT_EQ(gguf.get_string(key).has_value(), key == "string");
    EXPECT_EQ(gguf.get_int_array(key).has_value(), key == "u8s" || key == "ints" || key == "uints");
    EXPECT_EQ(gguf.get_float_array(key).has_value(), key == "floats");
    EXPECT_EQ(gguf.get_bool_array(key).has_value(), key == "bools");
    EXPECT_EQ(gguf.get_string_array(key).has_value(), key == "strings");
  }
  const auto wrong = gguf.get_uint("string");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(wrong.error().detail.find("must be an integer, but is a string"), std::string::npos) << wrong.error().detail;
}

TEST(GgufMetadata, NumbersOutOfRangeAreRefused) {
  GgufMetadata gguf;
  gguf.add("negative", std::int64_t{-1});
  gguf.add("big", GgufMetadata::Array(std::vector<std::uint64_t>{1, ~0ull}));
  EXPECT_EQ(gguf.get_uint("negative").error().code, ErrorCode::kCorrupt);
  const auto big = gguf.get_int_array("big");
  ASSERT_FALSE(big);
  EXPECT_NE(big.error().detail.find("element 1"), std::string::npos) << big.error().detail;
}

}  // namespace
}  // namespace tandem::engine
