#include "base/system_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tandem {
namespace {

class SystemMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / "system_memory_test";
    std::filesystem::create_directories(root_ / "proc");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& text) { std::ofstream(root_ / "proc/meminfo") << text; }
  std::filesystem::path root_;
};

TEST_F(SystemMemoryTest, ReadsTotalAndAvailableInBytes) {
  write("MemTotal:       127600000 kB\nMemFree:         1000 kB\nMemAvailable:   120000000 kB\n");
  const auto memory = read_system_memory(root_);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total_bytes, 127600000ULL * 1024);
  EXPECT_EQ(memory->available_bytes, 120000000ULL * 1024);
}

TEST_F(SystemMemoryTest, MissingLineIsAnError) {
  write("MemTotal:       127600000 kB\nMemAvailable:   [N/A]\n");
  const auto memory = read_system_memory(root_);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kCorrupt);
}

TEST_F(SystemMemoryTest, MissingFileNamesIt) {
  const auto memory = read_system_memory(root_ / "nowhere");
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().detail.find("meminfo"), std::string::npos);
}

}  // namespace
}  // namespace tandem
