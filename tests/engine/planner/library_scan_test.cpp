#include "engine/planner/library_scan.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "engine/planner/model_summary.h"
#include "tests/engine/planner/small_gguf.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;
using kernels::DType;
using testing::small_gguf;

ScanResult scan(const std::vector<fs::path>& folders, int max_depth = 12) {
  auto result = scan_library(folders, {}, max_depth);
  EXPECT_TRUE(result);
  return result ? std::move(*result) : ScanResult{};
}

TEST(SummarizeModel, GgufGivesNameTypeAndSize) {
  const tandem::testing::TempFolder folder;
  const fs::path path = folder.path() / "small.gguf";
  ASSERT_TRUE(small_gguf(DType::kQ8_0).write(path));
  const ModelSummary summary = summarize_model(path);
  ASSERT_FALSE(summary.error) << summary.error->detail;
  EXPECT_EQ(summary.name, "Small");
  EXPECT_EQ(summary.architecture, "Qwen3");
  EXPECT_EQ(summary.quantization, "Q8_0");
  EXPECT_EQ(summary.bytes, fs::file_size(path));
  EXPECT_EQ(summary.num_parameters, testing::kSmallParameters);
  EXPECT_EQ(summary.max_context, 256);
}

TEST(SummarizeModel, FileTypeThatTheTensorsContradictIsNotBelieved) {
  const tandem::testing::TempFolder folder;
  const fs::path path = folder.path() / "small.gguf";
  ASSERT_TRUE(small_gguf(DType::kF16).add_u32("general.file_type", 15).write(path));  // says Q4_K_M
  EXPECT_EQ(summarize_model(path).quantization, "F16");
}

TEST(SummarizeModel, FileTypeNamesTheMixWhenItAgrees) {
  const tandem::testing::TempFolder folder;
  const fs::path path = folder.path() / "small.gguf";
  ASSERT_TRUE(small_gguf(DType::kF16).add_u32("general.file_type", 1).write(path));
  EXPECT_EQ(summarize_model(path).quantization, "F16");
}

TEST(SummarizeModel, HuggingFaceFolderIsNamedAfterTheFolder) {
  const ModelSummary summary = summarize_model(TANDEM_TEST_DATA "/golden/micro/qwen3_moe");
  ASSERT_FALSE(summary.error) << summary.error->detail;
  EXPECT_EQ(summary.name, "qwen3_moe");
  EXPECT_EQ(summary.architecture, "Qwen3-MoE");
  EXPECT_EQ(summary.quantization, "BF16");
}

TEST(SummarizeModel, UnknownArchitectureKeepsWhatCouldBeRead) {
  const tandem::testing::TempFolder folder;
  const fs::path path = folder.path() / "other.gguf";
  ASSERT_TRUE(tandem::testing::GgufWriter().add_string("general.architecture", "mamba9").write(path));
  const ModelSummary summary = summarize_model(path);
  ASSERT_TRUE(summary.error);
  EXPECT_EQ(summary.error->code, ErrorCode::kUnsupported);
  EXPECT_EQ(summary.architecture, "mamba9");
  EXPECT_EQ(summary.bytes, fs::file_size(path));
}

TEST(ScanLibrary, FindsFilesFoldersAndSplitModelsOnce) {
  const tandem::testing::TempFolder folder;
  ASSERT_TRUE(small_gguf(DType::kF16).write(folder.path() / "a.gguf"));
  fs::create_directories(folder.path() / "parts");
  ASSERT_TRUE(small_gguf(DType::kF16).write_split(folder.path() / "parts", "big", 4));
  fs::create_directories(folder.path() / "hub" / "qwen");
  for (const char* name : {"config.json", "model.safetensors"}) {
    fs::copy_file(fs::path(TANDEM_TEST_DATA "/golden/micro/qwen3") / name, folder.path() / "hub" / "qwen" / name);
  }
  ASSERT_TRUE(tandem::testing::write_file(folder.path() / "notes.txt", "not a model"));
  const ScanResult result = scan({folder.path()});
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.models.size(), 3u);
  EXPECT_EQ(result.models[0].path.filename(), "a.gguf");
  EXPECT_EQ(result.models[1].path.filename(), "qwen");
  EXPECT_TRUE(result.models[2].path.filename().string().starts_with("big-00001-of-"));
  for (const ModelSummary& model : result.models) EXPECT_FALSE(model.error) << model.path << ": " << model.error->detail;
  EXPECT_GT(result.models[2].bytes, fs::file_size(result.models[2].path)) << "all parts count";
}

TEST(ScanLibrary, MissingFirstPartIsListedWithItsError) {
  const tandem::testing::TempFolder folder;
  const auto paths = small_gguf(DType::kF16).write_split(folder.path(), "big", 4);
  ASSERT_TRUE(paths);
  fs::remove(paths->front());
  const ScanResult result = scan({folder.path()});
  ASSERT_EQ(result.models.size(), 1u);
  EXPECT_TRUE(result.models[0].error);
  EXPECT_EQ(result.models[0].name, "big");
}

TEST(ScanLibrary, LinkLoopsEndAndLinkedFilesCountOnce) {
  const tandem::testing::TempFolder folder;
  ASSERT_TRUE(small_gguf(DType::kF16).write(folder.path() / "a.gguf"));
  fs::create_directory_symlink(folder.path(), folder.path() / "loop");
  fs::create_symlink(folder.path() / "a.gguf", folder.path() / "b.gguf");
  fs::create_symlink(folder.path() / "gone.gguf", folder.path() / "dangling.gguf");
  EXPECT_EQ(scan({folder.path(), folder.path()}).models.size(), 1u);
}

TEST(ScanLibrary, DamagedFilesAreListedWithTheirError) {
  const tandem::testing::TempFolder folder;
  ASSERT_TRUE(tandem::testing::write_file(folder.path() / "bad.gguf", "GGUF but no more"));
  ASSERT_TRUE(tandem::testing::write_file(folder.path() / "empty.gguf", ""));
  const ScanResult result = scan({folder.path()});
  ASSERT_EQ(result.models.size(), 2u);
  for (const ModelSummary& model : result.models) {
    ASSERT_TRUE(model.error) << model.path;
    EXPECT_FALSE(model.error->detail.empty());
  }
}

TEST(ScanLibrary, DepthLimitIsReported) {
  const tandem::testing::TempFolder folder;
  fs::create_directories(folder.path() / "x" / "y" / "z");
  ASSERT_TRUE(small_gguf(DType::kF16).write(folder.path() / "x" / "y" / "z" / "a.gguf"));
  const ScanResult shallow = scan({folder.path()}, 2);
  EXPECT_TRUE(shallow.models.empty());
  ASSERT_EQ(shallow.problems.size(), 1u);
  EXPECT_EQ(scan({folder.path()}, 3).models.size(), 1u);
}

TEST(ScanLibrary, MissingFolderIsAProblemAndCancelIsAnError) {
  const tandem::testing::TempFolder folder;
  ASSERT_EQ(scan({folder.path() / "none"}).problems.size(), 1u);
  const auto cancelled = scan_library({folder.path()}, [](const ScanProgress&) { return false; });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace tandem::engine
