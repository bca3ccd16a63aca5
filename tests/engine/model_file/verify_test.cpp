#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "engine/model_file/gguf_types.h"
#include "engine/model_file/model_file.h"
#include "engine/model_file/safetensors_writer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using testing::GgufWriter;
using testing::TempFolder;

constexpr std::uint16_t kHalfOne = 0x3c00, kHalfInf = 0x7c00, kHalfNan = 0xfe00;

void put_u16(std::vector<std::byte>& bytes, std::size_t at, std::uint16_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<IntegrityProblem> verify(const GgufWriter& writer) {
  const TempFolder folder;
  EXPECT_TRUE(writer.write(folder.path() / "m.gguf"));
  const auto file = ModelFile::open(folder.path() / "m.gguf");
  EXPECT_TRUE(file) << file.error().detail;
  auto problems = verify_tensors(**file, nullptr);
  EXPECT_TRUE(problems);
  return *problems;
}

struct BlockCase {
  DType dtype;
  std::vector<std::size_t> scales;  // offsets of halves in a block
};

const std::vector<BlockCase> kBlockCases{
    {DType::kQ4_0, {0}},    {DType::kQ4_1, {0, 2}},   {DType::kQ5_0, {0}},   {DType::kQ5_1, {0, 2}},
    {DType::kQ8_0, {0}},    {DType::kQ2_K, {80, 82}}, {DType::kQ3_K, {108}}, {DType::kQ4_K, {0, 2}},
    {DType::kQ5_K, {0, 2}}, {DType::kQ6_K, {208}},    {DType::kIQ4_NL, {0}}, {DType::kIQ4_XS, {0}},
};

TEST(VerifyTensors, EveryScaleOfEveryBlockTypeIsChecked) {
  for (const BlockCase& c : kBlockCases) {
    const kernels::DTypeInfo& type = kernels::dtype_info(c.dtype);
    SCOPED_TRACE(type.name);
    const auto block = static_cast<std::size_t>(type.block_bytes);
    // All bits set everywhere but in the scales: quants may look like NaN.
    std::vector<std::byte> sound(4 * block, std::byte{0xff});
    for (std::size_t b = 0; b < 4; ++b) {
      for (const std::size_t at : c.scales) put_u16(sound, b * block + at, kHalfOne);
    }
    EXPECT_TRUE(verify(GgufWriter().add_tensor("w", c.dtype, {2, 2 * type.block_elements}, sound)).empty());
    for (const std::size_t at : c.scales) {
      for (const std::uint16_t value : {kHalfInf, kHalfNan}) {
        std::vector<std::byte> damaged = sound;
        put_u16(damaged, 2 * block + at, value);
        put_u16(damaged, 3 * block + at, value);
        const auto problems = verify(GgufWriter().add_tensor("w", c.dtype, {2, 2 * type.block_elements}, damaged));
        ASSERT_EQ(problems.size(), 1u);
        EXPECT_EQ(problems[0].tensor, "w");
        EXPECT_NE(problems[0].file.find("m.gguf"), std::string::npos);
        EXPECT_NE(problems[0].what.find("2 of 4 "), std::string::npos) << problems[0].what;
        EXPECT_TRUE(problems[0].what.ends_with("element " + std::to_string(2 * type.block_elements))) << problems[0].what;
      }
    }
  }
}

TEST(VerifyTensors, PlainValuesAreChecked) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> f32{1.0f, std::numeric_limits<float>::max(), -0.0f, kInf, -kInf, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<std::uint16_t> f16{0x7bff, 0x0001, 0x7c01}, bf16{0x7f7f, 0xff80, 0x7c00};
  GgufWriter writer;
  writer.add_f32_tensor("f32", {6}, f32).add_f32_tensor("sound", {3}, std::span(f32).first(3));
  writer.add_tensor("f16", DType::kF16, {3}, std::as_bytes(std::span(f16)));
  writer.add_tensor("bf16", DType::kBF16, {3}, std::as_bytes(std::span(bf16)));
  const auto problems = verify(writer);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].tensor, "f32");
  EXPECT_NE(problems[0].what.find("3 of 6 F32"), std::string::npos) << problems[0].what;
  EXPECT_TRUE(problems[0].what.ends_with("element 3"));
  EXPECT_EQ(problems[1].tensor, "f16");
  EXPECT_TRUE(problems[1].what.ends_with("element 2"));
  EXPECT_EQ(problems[2].tensor, "bf16");
  EXPECT_TRUE(problems[2].what.ends_with("element 1"));
}

TEST(VerifyTensors, SafetensorsOnlyTypesAreChecked) {
  const TempFolder folder;
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values) out.push_back(static_cast<std::byte>(value));
    return out;
  };
  const auto e4m3 = bytes({0x7e, 0xff}), e5m2 = bytes({0x7b, 0xfc}), e8m0 = bytes({0xfe, 0xff}), flags = bytes({1, 2});
  const std::vector<double> f64{1e308, std::numeric_limits<double>::infinity()};
  const std::vector<SafetensorsTensor> tensors{
      {"f64", DType::kF64, {2}, std::as_bytes(std::span(f64))},
      {"e4m3", DType::kF8E4M3, {2}, e4m3},
      {"e5m2", DType::kF8E5M2, {2}, e5m2},
      {"e8m0", DType::kF8E8M0, {2}, e8m0},
      {"flags", DType::kBool, {2}, flags},
      {"ids", DType::kU8, {2}, flags},
  };
  ASSERT_TRUE(write_safetensors(folder.path() / "model.safetensors", tensors));
  ASSERT_TRUE(testing::write_file(folder.path() / "config.json", "{}"));
  const auto file = ModelFile::open(folder.path());
  ASSERT_TRUE(file) << file.error().detail;
  const auto problems = verify_tensors(**file, nullptr);
  ASSERT_TRUE(problems);
  ASSERT_EQ(problems->size(), 5u);
  for (const IntegrityProblem& problem : *problems) EXPECT_TRUE(problem.what.ends_with("element 1")) << problem.what;
}

TEST(VerifyTensors, ProgressReachesTheTotalAndCanCancel) {
  const TempFolder folder;
  const std::vector<float> values(3 << 20);  // 12 MiB: several pieces
  GgufWriter writer;
  writer.add_f32_tensor("a", {3 << 20}, values).add_f32_tensor("b", {8}, std::span(values).first(8));
  ASSERT_TRUE(writer.write(folder.path() / "m.gguf"));
  const auto file = ModelFile::open(folder.path() / "m.gguf");
  ASSERT_TRUE(file);
  std::uint64_t last = 0, calls = 0;
  const std::uint64_t bytes = (12u << 20) + 32;
  const auto all = verify_tensors(**file, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, bytes);
    last = done;
    ++calls;
    return true;
  });
  ASSERT_TRUE(all);
  EXPECT_EQ(last, bytes);
  EXPECT_GE(calls, 4u);
  const auto cancelled = verify_tensors(**file, [](std::uint64_t, std::uint64_t) { return false; });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace tandem::engine
