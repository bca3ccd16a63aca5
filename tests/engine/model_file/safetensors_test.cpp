#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

#include "engine/model_file/safetensors_reader.h"
#include "engine/model_file/safetensors_writer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/malformed_files.h"
#include "tests/support/memory_file.h"
#include "tests/support/safetensors_io.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using testing::TempFolder;
using testing::write_file;
namespace fs = std::filesystem;

class SafetensorsReader : public ::testing::Test {
 protected:
  Result<SafetensorsHeader> read(std::string_view bytes) {
    const fs::path path = folder_.path() / "x.safetensors";
    TANDEM_TRY(write_file(path, bytes));
    const FileReader file = TANDEM_TRY(FileReader::open(path));
    return read_safetensors_header(file, 3);
  }
  // The same without a disk: thousands of damaged files.
  static Result<SafetensorsHeader> read_quickly(std::string_view bytes) {
    const testing::MemoryFile memory(bytes);
    const FileReader file = TANDEM_TRY(FileReader::open(memory.path()));
    return read_safetensors_header(file, 0);
  }
  TempFolder folder_;
};

TEST_F(SafetensorsReader, MalformedFilesAreRefusedWithFileAndNumbers) {
  for (const testing::MalformedFile& file : testing::malformed_safetensors_files()) {
    SCOPED_TRACE(file.name);
    const auto header = read(file.bytes);
    ASSERT_FALSE(header);
    const Error& error = header.error();
    EXPECT_EQ(error.code, file.code) << error.detail;
    EXPECT_NE(error.detail.find("x.safetensors"), std::string::npos) << error.detail;
    for (const std::string& part : file.parts) EXPECT_NE(error.detail.find(part), std::string::npos) << error.detail;
  }
}

TEST_F(SafetensorsReader, SoundFilesAreRead) {
  for (const testing::SoundFile& file : testing::sound_safetensors_files()) {
    SCOPED_TRACE(file.name);
    const auto header = read(file.bytes);
    ASSERT_TRUE(header) << header.error().detail;
    EXPECT_EQ(header->tensors.size(), file.num_tensors);
  }
}

TEST_F(SafetensorsReader, TensorsComeInOrderOfTheirData) {
  const std::string image = testing::safetensors_image(
      R"({"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]},"__metadata__":{"format":"pt"},)"
      R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},"a":{"data_offsets":[0,4],"shape":[2,2],"dtype":"I8"}})",
      "abcdefgh");
  const auto header = read(image);
  ASSERT_TRUE(header) << header.error().detail;
  EXPECT_EQ(header->metadata.at("format"), "pt");
  ASSERT_EQ(header->tensors.size(), 3u);
  EXPECT_EQ(header->tensors[0].name, "a");
  EXPECT_EQ(header->tensors[0].dtype, DType::kI8);
  EXPECT_EQ(header->tensors[0].shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(header->tensors[0].file_offset, image.size() - 8);
  EXPECT_EQ(header->tensors[0].file_idx, 3u);
  EXPECT_EQ(header->tensors[1].name, "none");
  EXPECT_EQ(header->tensors[1].bytes, 0u);
  EXPECT_EQ(header->tensors[2].name, "b");
  EXPECT_EQ(header->tensors[2].file_offset, image.size() - 4);
}

TEST_F(SafetensorsReader, EveryDamagedByteIsAnErrorOrSound) {
  std::mt19937 random(2);
  for (const testing::SoundFile& file : testing::sound_safetensors_files()) {
    for (std::size_t at = 0; at < file.bytes.size(); ++at) {
      std::vector<std::string> variants{file.bytes.substr(0, at)};
      for (const int mask : {0x01, 0x80, 0xff, static_cast<int>(random() & 0xff)}) {
        variants.push_back(file.bytes);
        variants.back()[at] = static_cast<char>(variants.back()[at] ^ mask);
      }
      for (const std::string& bytes : variants) {
        const auto header = read_quickly(bytes);
        if (!header) continue;
        std::uint64_t data_bytes = 0;
        for (const TensorInfo& tensor : header->tensors) {
          ASSERT_LE(tensor.file_offset + tensor.bytes, bytes.size());
          data_bytes += tensor.bytes;
        }
        ASSERT_LE(data_bytes, bytes.size());
      }
    }
  }
}

TEST(SafetensorsWriter, TensorsComeBack) {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.safetensors";
  const std::vector<float> logits{1.0f, -2.5f, 3.25f, 0.0f, 5.0f, 6.0f};
  const std::vector<std::int64_t> ids{7, -8};
  const std::vector<std::byte> flags{std::byte{1}};
  const SafetensorsTensor tensors[] = {
      {"flags", DType::kBool, {1}, flags},
      {"logits", DType::kF32, {2, 3}, std::as_bytes(std::span(logits))},
      {"ids", DType::kI64, {2}, std::as_bytes(std::span(ids))},
      {"none", DType::kF32, {0, 4}, {}},
  };
  const auto written = write_safetensors(path, tensors, {{"format", "pt"}});
  ASSERT_TRUE(written) << written.error().detail;
  const auto loaded = testing::load_safetensors(path);
  ASSERT_TRUE(loaded) << loaded.error().detail;
  ASSERT_EQ(loaded->size(), 4u);
  EXPECT_EQ(loaded->at("logits").f32(), logits);
  EXPECT_EQ(loaded->at("logits").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(loaded->at("ids").i64(), ids);
  EXPECT_EQ(loaded->at("flags").bytes, flags);
  const FileReader file = *FileReader::open(path);
  const auto header = read_safetensors_header(file, 0);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->metadata.at("format"), "pt");
  for (const TensorInfo& tensor : header->tensors) {
    EXPECT_EQ(tensor.file_offset % static_cast<std::uint64_t>(kernels::dtype_info(tensor.dtype).block_bytes), 0u)
        << tensor.name;
  }
}

TEST(SafetensorsWriter, ReplacesAnOldFileAndLeavesNothingElse) {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.safetensors";
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_TRUE(write_safetensors(path, {}));
  EXPECT_TRUE(testing::load_safetensors(path)->empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(SafetensorsWriter, WrongInputIsRefused) {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.safetensors";
  const std::vector<std::byte> bytes(34);
  const auto code = [&](const SafetensorsTensor& tensor) { return write_safetensors(path, {&tensor, 1}).error().code; };
  EXPECT_EQ(code({"w", DType::kF32, {2}, bytes}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({"w", DType::kF32, {-1}, bytes}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({"w", DType::kQ8_0, {1}, bytes}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({"", DType::kU8, {34}, bytes}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({"__metadata__", DType::kU8, {34}, bytes}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({"\xff", DType::kU8, {34}, bytes}), ErrorCode::kInvalidArgument);
  const SafetensorsTensor w{"w", DType::kU8, {34}, bytes};
  EXPECT_EQ(write_safetensors(path, std::vector{w, w}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(path));
}

TEST(SafetensorsWriter, FailedWriteKeepsTheOldFileAndGivesNumbers) {
  const TempFolder folder;
  const fs::path path = folder.path() / "out.safetensors";
  ASSERT_TRUE(write_file(path, "old"));
  const std::vector<std::byte> bytes(1 << 20);
  const SafetensorsTensor tensor{"w", DType::kU8, {1 << 20}, bytes};
  // A file size limit fails the write half way, as a full disk would.
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{100'000, old.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> written = write_safetensors(path, {&tensor, 1});
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_NE(written.error().detail.find("100000 of 10486"), std::string::npos) << written.error().detail;
  EXPECT_EQ(fs::file_size(path), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(SafetensorsWriter, MissingFolderIsAnError) {
  const TempFolder folder;
  const Result<void> written = write_safetensors(folder.path() / "no" / "out.safetensors", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace tandem::engine
