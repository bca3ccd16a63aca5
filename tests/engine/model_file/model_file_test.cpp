#include "engine/model_file/model_file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/model_file/safetensors_writer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using testing::GgufWriter;
using testing::TempFolder;
using testing::write_file;
namespace fs = std::filesystem;

const fs::path kGolden = fs::path(TANDEM_TEST_DATA) / "golden" / "micro";

std::vector<float> ramp(std::size_t count, float start) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

GgufWriter five_tensors() {
  GgufWriter writer;
  writer.add_string("general.architecture", "llama");
  for (int i = 0; i < 5; ++i) {
    const std::vector<float> values = ramp(6, static_cast<float>(10 * i));
    writer.add_f32_tensor("blk." + std::to_string(i) + ".weight", {2, 3}, values);
  }
  return writer;
}

std::vector<float> read_f32(const ModelFile& file, const TensorInfo& tensor) {
  std::vector<float> values(tensor.bytes / sizeof(float));
  const Result<void> done = file.read(tensor, 0, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(done) << done.error().detail;
  return values;
}

void expect_five_tensors(const ModelFile& file) {
  ASSERT_EQ(file.tensors().size(), 5u);
  for (int i = 0; i < 5; ++i) {
    const TensorInfo* tensor = file.find("blk." + std::to_string(i) + ".weight");
    ASSERT_NE(tensor, nullptr) << i;
    EXPECT_EQ(tensor->dtype, DType::kF32);
    EXPECT_EQ(tensor->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(read_f32(file, *tensor), ramp(6, static_cast<float>(10 * i)));
  }
}

// Two shards and their index, tensors a and b, in `folder`.
void write_shards(const fs::path& folder, const std::string& index) {
  const std::vector<float> a = ramp(4, 1), b = ramp(2, 50);
  const SafetensorsTensor first{"a", DType::kF32, {2, 2}, std::as_bytes(std::span(a))};
  const SafetensorsTensor second{"b", DType::kF32, {2}, std::as_bytes(std::span(b))};
  ASSERT_TRUE(write_safetensors(folder / "model-00001-of-00002.safetensors", {&first, 1}));
  ASSERT_TRUE(write_safetensors(folder / "model-00002-of-00002.safetensors", {&second, 1}));
  ASSERT_TRUE(write_file(folder / "config.json", R"({"model_type": "llama"})"));
  ASSERT_TRUE(write_file(folder / "model.safetensors.index.json", index));
}

constexpr char kIndex[] = R"({"metadata": {"total_size": 24}, "weight_map": {
  "a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})";

// The error of open(), whose text must contain every one of `parts`.
void expect_refused(const fs::path& path, ErrorCode code, const std::vector<std::string>& parts) {
  const auto file = ModelFile::open(path);
  ASSERT_FALSE(file) << path;
  EXPECT_EQ(file.error().code, code) << file.error().detail;
  for (const std::string& part : parts) EXPECT_NE(file.error().detail.find(part), std::string::npos) << file.error().detail;
}

TEST(ModelFile, DemoModelOpens) {
  const auto file = ModelFile::open(fs::path(TANDEM_RESOURCES) / "demo-model" / "tandem-demo-Q8_0.gguf");
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_EQ((*file)->format(), ModelFormat::kGguf);
  EXPECT_TRUE((*file)->gguf().get_string("general.architecture"));
  EXPECT_NE((*file)->find("token_embd.weight"), nullptr);
  const auto problems = verify_tensors(**file, nullptr);
  ASSERT_TRUE(problems);
  EXPECT_TRUE(problems->empty());
}

TEST(ModelFile, GoldenSafetensorsFoldersOpen) {
  for (const char* name : {"llama3", "qwen3", "qwen3_moe"}) {
    const auto file = ModelFile::open(kGolden / name);
    ASSERT_TRUE(file) << file.error().detail;
    EXPECT_EQ((*file)->format(), ModelFormat::kSafetensors);
    EXPECT_TRUE((*file)->config().contains("architectures"));
    EXPECT_TRUE((*file)->generation_config().is_null());
    EXPECT_FALSE((*file)->tokenizer_json().has_value());
    const auto same = ModelFile::open(kGolden / name / "model.safetensors");
    ASSERT_TRUE(same) << same.error().detail;
    EXPECT_EQ((*same)->tensors().size(), (*file)->tensors().size());
  }
}

TEST(ModelFile, GgufValuesComeBackThroughEveryOpening) {
  const TempFolder folder;
  ASSERT_TRUE(five_tensors().write(folder.path() / "one.gguf"));
  for (const fs::path& path : {folder.path() / "one.gguf", folder.path()}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().detail;
    EXPECT_EQ((*file)->path(), path);
    expect_five_tensors(**file);
  }
}

TEST(ModelFile, GgufWithoutExtensionIsKnownByItsMagic) {
  const TempFolder folder;
  ASSERT_TRUE(five_tensors().write(folder.path() / "5c1a09"));
  const auto file = ModelFile::open(folder.path() / "5c1a09");
  ASSERT_TRUE(file) << file.error().detail;
  expect_five_tensors(**file);
}

TEST(ModelFile, SplitGgufReadsAllParts) {
  const TempFolder folder;
  const auto paths = five_tensors().write_split(folder.path(), "m", 2);
  ASSERT_TRUE(paths);
  ASSERT_EQ(paths->size(), 3u);
  for (const fs::path& path : {paths->front(), folder.path()}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().detail;
    EXPECT_EQ((*file)->files(), *paths);
    EXPECT_EQ((*file)->file_bytes(), fs::file_size((*paths)[0]) + fs::file_size((*paths)[1]) + fs::file_size((*paths)[2]));
    EXPECT_EQ((*file)->find("blk.4.weight")->file_idx, 2u);
    expect_five_tensors(**file);
  }
}

TEST(ModelFile, LaterPartIsRefusedWithNameOfTheFirst) {
  const TempFolder folder;
  const auto paths = five_tensors().write_split(folder.path(), "m", 2);
  ASSERT_TRUE(paths);
  expect_refused((*paths)[1], ErrorCode::kInvalidArgument, {"part 2 of 3", "m-00001-of-00003.gguf"});
}

TEST(ModelFile, MissingPartIsNamed) {
  const TempFolder folder;
  const auto paths = five_tensors().write_split(folder.path(), "m", 2);
  ASSERT_TRUE(paths);
  fs::remove((*paths)[2]);
  expect_refused((*paths)[0], ErrorCode::kNotFound, {"part 3 of 3", "m-00003-of-00003.gguf"});
}

TEST(ModelFile, PartsInWrongOrderAreRefused) {
  const TempFolder folder;
  const auto paths = five_tensors().write_split(folder.path(), "m", 2);
  ASSERT_TRUE(paths);
  fs::rename((*paths)[1], folder.path() / "x");
  fs::rename((*paths)[2], (*paths)[1]);
  fs::rename(folder.path() / "x", (*paths)[2]);
  expect_refused((*paths)[0], ErrorCode::kCorrupt, {"m-00002-of-00003.gguf", "part 3 of 3"});
}

TEST(ModelFile, RenamedFirstPartIsRefusedWithTheNameItNeeds) {
  const TempFolder folder;
  const auto paths = five_tensors().write_split(folder.path(), "m", 2);
  ASSERT_TRUE(paths);
  fs::rename((*paths)[0], folder.path() / "other.gguf");
  expect_refused(folder.path() / "other.gguf", ErrorCode::kInvalidArgument, {"3 parts", "-00001-of-00003.gguf"});
}

TEST(ModelFile, TensorInTwoPartsIsRefused) {
  const TempFolder folder;
  const std::vector<float> values = ramp(6, 0);
  GgufWriter writer;
  writer.add_f32_tensor("w", {6}, values).add_f32_tensor("w", {6}, values);
  const auto paths = writer.write_split(folder.path(), "m", 1);
  ASSERT_TRUE(paths);
  expect_refused((*paths)[0], ErrorCode::kCorrupt, {"m-00002-of-00002.gguf", "\"w\""});
}

TEST(ModelFile, SplitTensorCountMustMatch) {
  const TempFolder folder;
  GgufWriter writer = five_tensors();
  writer.add_u16("split.no", 0).add_u16("split.count", 2).add_i32("split.tensors.count", 6);
  GgufWriter second;
  second.add_u16("split.no", 1).add_u16("split.count", 2).add_i32("split.tensors.count", 6);
  ASSERT_TRUE(writer.write(folder.path() / "m-00001-of-00002.gguf"));
  ASSERT_TRUE(second.write(folder.path() / "m-00002-of-00002.gguf"));
  expect_refused(folder.path() / "m-00001-of-00002.gguf", ErrorCode::kCorrupt, {"is 6", "hold 5"});
}

TEST(ModelFile, HugeSplitCountIsRefused) {
  const TempFolder folder;
  GgufWriter writer;
  writer.add_u16("split.no", 0).add_u64("split.count", 1ull << 40).add_i32("split.tensors.count", 0);
  ASSERT_TRUE(writer.write(folder.path() / "m-00001-of-00002.gguf"));
  expect_refused(folder.path() / "m-00001-of-00002.gguf", ErrorCode::kCorrupt, {"1099511627776", "10000"});
}

TEST(ModelFile, ShardedSafetensorsReadsAllShards) {
  const TempFolder folder;
  write_shards(folder.path(), kIndex);
  for (const fs::path& path : {folder.path(), folder.path() / "model.safetensors.index.json"}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().detail;
    ASSERT_EQ((*file)->tensors().size(), 2u);
    EXPECT_EQ(read_f32(**file, *(*file)->find("a")), ramp(4, 1));
    EXPECT_EQ(read_f32(**file, *(*file)->find("b")), ramp(2, 50));
  }
}

TEST(ModelFile, SingleShardIsRefusedWithNameOfTheFolder) {
  const TempFolder folder;
  write_shards(folder.path(), kIndex);
  expect_refused(folder.path() / "model-00002-of-00002.safetensors", ErrorCode::kInvalidArgument,
                 {"part 2 of 2", folder.path().string()});
}

TEST(ModelFile, BrokenIndexIsRefused) {
  struct Case {
    std::string index;
    ErrorCode code;
    std::vector<std::string> parts;
  };
  const std::string one = R"("a": "model-00001-of-00002.safetensors")";
  const std::string two = R"("b": "model-00002-of-00002.safetensors")";
  const std::vector<Case> cases{
      {"{}", ErrorCode::kCorrupt, {"weight_map"}},
      {R"({"weight_map": {}})", ErrorCode::kCorrupt, {"weight_map"}},
      {R"({"weight_map": {)" + one + R"(, "b": 7}})", ErrorCode::kCorrupt, {"\"b\"", "number"}},
      {R"({"weight_map": {)" + one + R"(, "b": "../b.safetensors"}})", ErrorCode::kCorrupt, {"\"b\"", ".."}},
      {R"({"weight_map": {)" + one + R"(, "b": ""}})", ErrorCode::kCorrupt, {"\"b\""}},
      {R"({"weight_map": {)" + one + R"(, "b": ".."}})", ErrorCode::kCorrupt, {"\"b\""}},
      {R"({"weight_map": {)" + one + R"(, "b": "/etc/passwd"}})", ErrorCode::kCorrupt, {"\"b\""}},
      {R"({"weight_map": {)" + one + "," + two + "," + two + "}}", ErrorCode::kCorrupt, {"\"b\"", "twice"}},
      {R"({"weight_map": {)" + one + "," + two + R"(, "c": "model-00002-of-00002.safetensors"}})",
       ErrorCode::kCorrupt,
       {"\"c\"", "1 tensors are missing"}},
      {R"({"weight_map": {)" + one + R"(, "c": "model-00002-of-00002.safetensors"}})",
       ErrorCode::kCorrupt,
       {"\"b\"", "does not list it"}},
      {R"({"weight_map": {)" + one + R"(, "b": "model-00001-of-00002.safetensors", "z": "model-00002-of-00002.safetensors"}})",
       ErrorCode::kCorrupt,
       {"\"b\"", "places it in"}},
      {R"({"weight_map": {)" + one + R"(, "b": "model-00003-of-00003.safetensors"}})",
       ErrorCode::kNotFound,
       {"model-00003-of-00003.safetensors"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.index);
    const TempFolder folder;
    write_shards(folder.path(), c.index);
    expect_refused(folder.path(), c.code, c.parts);
  }
}

TEST(ModelFile, SideFilesAreRead) {
  const TempFolder folder;
  write_shards(folder.path(), kIndex);
  ASSERT_TRUE(write_file(folder.path() / "generation_config.json", R"({"top_k": 20})"));
  ASSERT_TRUE(write_file(folder.path() / "tokenizer_config.json", R"({"bos_token": null})"));
  ASSERT_TRUE(write_file(folder.path() / "tokenizer.json", "{\"version\": \"1.0\"}\n"));
  ASSERT_TRUE(write_file(folder.path() / "chat_template.jinja", "{{ bos_token }}"));
  const auto file = ModelFile::open(folder.path());
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_EQ((*file)->config().at("model_type"), "llama");
  EXPECT_EQ((*file)->generation_config().at("top_k"), 20);
  EXPECT_TRUE((*file)->tokenizer_config().at("bos_token").is_null());
  EXPECT_EQ((*file)->tokenizer_json(), "{\"version\": \"1.0\"}\n");
  EXPECT_EQ((*file)->chat_template_file(), "{{ bos_token }}");
}

TEST(ModelFile, BrokenSideFileIsRefusedByName) {
  for (const char* name : {"config.json", "generation_config.json", "tokenizer_config.json"}) {
    for (const char* text : {"{", "[]", R"({"a": 1, "a": 2})", ""}) {
      const TempFolder folder;
      write_shards(folder.path(), kIndex);
      ASSERT_TRUE(write_file(folder.path() / name, text));
      expect_refused(folder.path(), ErrorCode::kCorrupt, {name});
    }
  }
}

TEST(ModelFile, SafetensorsWithoutConfigIsRefused) {
  const TempFolder folder;
  write_shards(folder.path(), kIndex);
  fs::remove(folder.path() / "config.json");
  expect_refused(folder.path(), ErrorCode::kNotFound, {"config.json", folder.path().string()});
}

TEST(ModelFile, FolderWithSeveralModelsListsThem) {
  const TempFolder folder;
  ASSERT_TRUE(five_tensors().write(folder.path() / "a.gguf"));
  ASSERT_TRUE(five_tensors().write_split(folder.path(), "b", 2));
  expect_refused(folder.path(), ErrorCode::kInvalidArgument, {"\"a.gguf\"", "\"b-00001-of-00003.gguf\""});
}

TEST(ModelFile, FolderWithoutModelListsWhatIsThere) {
  const TempFolder folder;
  expect_refused(folder.path(), ErrorCode::kNotFound, {"found: nothing"});
  ASSERT_TRUE(write_file(folder.path() / "pytorch_model.bin", "x"));
  expect_refused(folder.path(), ErrorCode::kNotFound, {"pytorch_model.bin"});
}

TEST(ModelFile, PathsThatAreNoModelAreRefused) {
  const TempFolder folder;
  expect_refused(folder.path() / "none.gguf", ErrorCode::kNotFound, {"none.gguf", "does not exist"});
  ASSERT_TRUE(write_file(folder.path() / "note.txt", "hello"));
  expect_refused(folder.path() / "note.txt", ErrorCode::kInvalidArgument, {"note.txt", "not a model"});
  expect_refused("/dev/null", ErrorCode::kInvalidArgument, {"/dev/null", "regular file"});
}

TEST(ModelFile, FileCutAfterOpeningIsAnError) {
  const TempFolder folder;
  const fs::path path = folder.path() / "m.gguf";
  ASSERT_TRUE(five_tensors().write(path));
  const auto file = ModelFile::open(path);
  ASSERT_TRUE(file);
  fs::resize_file(path, fs::file_size(path) - 40);
  const TensorInfo& last = (*file)->tensors().back();
  std::vector<std::byte> bytes(last.bytes);
  const Result<void> done = (*file)->read(last, 0, bytes);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo);
  EXPECT_NE(done.error().detail.find("m.gguf"), std::string::npos) << done.error().detail;
  const auto problems = verify_tensors(**file, nullptr);
  ASSERT_TRUE(problems);
  ASSERT_FALSE(problems->empty());
  EXPECT_EQ(problems->back().tensor, last.name);
}

TEST(ModelFile, ReadOutsideTheTensorIsAnError) {
  const TempFolder folder;
  ASSERT_TRUE(five_tensors().write(folder.path() / "m.gguf"));
  const auto file = ModelFile::open(folder.path() / "m.gguf");
  ASSERT_TRUE(file);
  const TensorInfo& tensor = (*file)->tensors().front();
  std::vector<std::byte> bytes(8);
  EXPECT_TRUE((*file)->read(tensor, tensor.bytes - 8, bytes));
  EXPECT_FALSE((*file)->read(tensor, tensor.bytes - 7, bytes));
  EXPECT_FALSE((*file)->read(tensor, ~0ull, bytes));
}

TEST(ModelFile, EmptyTensorPastTheEndCanBeRead) {
  const TempFolder folder;
  const fs::path path = folder.path() / "m.gguf";
  ASSERT_TRUE(GgufWriter().add_tensor("none", DType::kF32, {0, 4}, {}).write(path));
  fs::resize_file(path, fs::file_size(path) - 1);  // cuts the padding before the data
  const auto file = ModelFile::open(path);
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_TRUE((*file)->read((*file)->tensors().front(), 0, {}));
}

TEST(ModelFile, TensorSourceReadsTheWholeTensor) {
  const TempFolder folder;
  ASSERT_TRUE(five_tensors().write(folder.path() / "m.gguf"));
  auto file = ModelFile::open(folder.path() / "m.gguf");
  ASSERT_TRUE(file);
  const auto source = tensor_source(*file, *(*file)->find("blk.3.weight"));
  ASSERT_EQ(source->bytes(), 24u);
  std::vector<float> values(2);
  ASSERT_TRUE(source->read(16, std::as_writable_bytes(std::span(values))));
  EXPECT_EQ(values, ramp(2, 34));
}

}  // namespace
}  // namespace tandem::engine
