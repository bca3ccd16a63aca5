// Making a backend, memory and loading.
#include "kernels/backend.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>

#include "kernels/cpu/targets.h"
#include "kernels/read_bandwidth.h"
#include "tests/kernels/test_backend.h"

namespace tandem::kernels {
namespace {

using tandem::testing::make_backend;
using tandem::testing::MemorySource;
using tandem::testing::tensor;

// Says that it has many bytes and gives zeros.
class HugeSource : public ByteSource {
 public:
  explicit HugeSource(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t bytes() const override { return bytes_; }
  Result<void> read(std::uint64_t, std::span<std::byte> out) override {
    largest_read = std::max(largest_read, out.size());
    std::memset(out.data(), 0, out.size());
    return {};
  }
  std::size_t largest_read = 0;

 private:
  std::uint64_t bytes_;
};

TEST(CreateCpuBackend, HonoursTheNumberOfThreads) {
  EXPECT_EQ(make_backend("generic", 3)->device().num_threads, 3);
  const auto all = std::move(create_cpu_backend({})).value();
  EXPECT_GE(all->device().num_threads, 1);
  EXPECT_EQ(all->device().kind, "cpu");
  EXPECT_EQ(all->activation_dtype(), DType::kF32);
  for (const int num_threads : {-1, 100000}) {
    const auto refused = create_cpu_backend({.num_threads = num_threads});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().detail.find(std::to_string(num_threads)), std::string::npos);
  }
}

TEST(CreateCpuBackend, UnknownTargetListsTheUsableOnes) {
  setenv("TANDEM_CPU_TARGET", "mmx", 1);
  const auto backend = create_cpu_backend({.num_threads = 1});
  unsetenv("TANDEM_CPU_TARGET");
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(backend.error().detail.find("generic"), std::string::npos);
}

TEST(CreateCpuBackend, EachTargetIsUsableOrRefusedByName) {
  for (const auto& target : cpu::compiled_targets()) {
    const auto chosen = cpu::choose_target(target.name);
    if (target.supported()) {
      ASSERT_TRUE(chosen) << target.name;
      EXPECT_EQ(chosen->name, target.name);
      EXPECT_NE(make_backend(std::string(target.name), 1)->device().description.find(target.name), std::string::npos);
    } else {
      ASSERT_FALSE(chosen) << target.name;
      EXPECT_EQ(chosen.error().code, ErrorCode::kUnsupported);
      EXPECT_NE(chosen.error().detail.find(target.needs), std::string::npos);
    }
  }
}

TEST(Allocate, GivesAlignedMemoryOfTheSizeAsked) {
  const auto backend = make_backend("generic", 1);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20}) {
    const auto buffer = std::move(backend->allocate(bytes, "a test")).value();
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0u);
    std::memset(buffer->data(), 1, bytes);
  }
}

TEST(Allocate, MoreThanTheMachineHasIsAnErrorWithBothNumbers) {
  const auto backend = make_backend("generic", 1);
  for (const std::size_t bytes : {std::size_t{1} << 50, std::numeric_limits<std::size_t>::max()}) {
    const auto buffer = backend->allocate(bytes, "the KV cache");
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
    EXPECT_NE(buffer.error().detail.find("the KV cache"), std::string::npos);
    EXPECT_NE(buffer.error().detail.find(std::to_string(bytes)), std::string::npos);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need the address space themselves
TEST(Allocate, ProcessLimitIsAnError) {
  const auto backend = make_backend("generic", 1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = rlim_t{1} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  const auto buffer = backend->allocate(std::size_t{1} << 30, "weights");
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
}
#endif

TEST(Upload, CopiesThereAndBackAndChecksTheSize) {
  const auto backend = make_backend("generic", 1);
  std::vector<float> memory(6);
  const float host[] = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(backend->upload(std::as_bytes(std::span(host)), tensor(memory, 2, 3)));
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  float back[6] = {};
  EXPECT_TRUE(backend->download(tensor(memory, 2, 3), std::as_writable_bytes(std::span(back))));
  EXPECT_EQ(back[5], 6);
  EXPECT_FALSE(backend->upload(std::as_bytes(std::span(host)), tensor(memory, 1, 3)));
  EXPECT_FALSE(backend->download(tensor(memory, 1, 3), std::as_writable_bytes(std::span(back))));
}

TEST(LoadMatrix, ReadsInBoundedPiecesAndReportsEachByte) {
  const auto backend = make_backend("generic", 1);
  HugeSource source(std::uint64_t{9} << 20);
  std::uint64_t reported = 0;
  const auto matrix = backend->load_matrix({DType::kF32, 9 * 256, 1024, 1, "w"}, source, [&](std::uint64_t bytes) {
    reported += bytes;
    return true;
  });
  ASSERT_TRUE(matrix);
  EXPECT_EQ(reported, source.bytes());
  EXPECT_EQ((*matrix)->bytes(), source.bytes());
  EXPECT_LE(source.largest_read, std::size_t{4} << 20);
}

TEST(LoadMatrix, CancelStopsBetweenPieces) {
  const auto backend = make_backend("generic", 1);
  HugeSource source(std::uint64_t{9} << 20);
  int calls = 0;
  const auto matrix =
      backend->load_matrix({DType::kF32, 9 * 256, 1024, 1, "w"}, source, [&](std::uint64_t) { return ++calls < 2; });
  ASSERT_FALSE(matrix);
  EXPECT_EQ(matrix.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(calls, 2);
}

TEST(LoadMatrix, RefusesWhatCannotBeAMatrix) {
  struct Bad {
    MatrixSpec spec;
    ErrorCode code;
  };
  const std::int64_t huge = std::int64_t{1} << 40;
  const Bad cases[] = {
      {{DType::kI32, 2, 4, 1, "w"}, ErrorCode::kUnsupported},
      {{DType::kQ4_K, 2, 128, 1, "w"}, ErrorCode::kInvalidArgument},
      {{DType::kF32, 0, 4, 1, "w"}, ErrorCode::kInvalidArgument},
      {{DType::kF32, 2, -4, 1, "w"}, ErrorCode::kInvalidArgument},
      {{DType::kF32, huge, huge, 1, "w"}, ErrorCode::kOutOfMemory},
      {{DType::kF32, huge, 1 << 22, 1, "w"}, ErrorCode::kOutOfMemory},  // the bytes are zero in 64 bits
      {{DType::kF32, 2, 5, 1, "w"}, ErrorCode::kCorrupt},
  };
  const auto backend = make_backend("generic", 1);
  for (const Bad& bad : cases) {
    HugeSource source(32);
    const auto matrix = backend->load_matrix(bad.spec, source, {});
    ASSERT_FALSE(matrix);
    EXPECT_EQ(matrix.error().code, bad.code) << matrix.error().detail;
    EXPECT_EQ(matrix.error().detail.rfind("w: ", 0), 0u) << matrix.error().detail;
  }
  HugeSource larger_than_memory(std::uint64_t{1} << 50);
  const auto matrix = backend->load_matrix({DType::kF32, 1 << 24, 1 << 24, 1, "w"}, larger_than_memory, {});
  ASSERT_FALSE(matrix);
  EXPECT_EQ(matrix.error().code, ErrorCode::kOutOfMemory);
}

TEST(LoadMatrix, ErrorOfTheSourceIsPassedOn) {
  class Broken : public HugeSource {
   public:
    Broken() : HugeSource(32) {}
    Result<void> read(std::uint64_t, std::span<std::byte>) override { return Error{ErrorCode::kIo, "disk on fire"}; }
  } source;
  const auto matrix = make_backend("generic", 1)->load_matrix({DType::kF32, 2, 4, 1, "w"}, source, {});
  ASSERT_FALSE(matrix);
  EXPECT_EQ(matrix.error().detail, "disk on fire");
}

TEST(ReadBandwidth, IsMeasuredOrRefused) {
  const auto bandwidth = measure_read_bandwidth(1, 0.01);
  ASSERT_TRUE(bandwidth);
  EXPECT_GT(*bandwidth, 1e8);
  EXPECT_FALSE(measure_read_bandwidth(-1, 0.01));
}

}  // namespace
}  // namespace tandem::kernels
