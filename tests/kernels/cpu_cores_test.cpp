#include "kernels/cpu/cpu_cores.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace tandem::kernels::cpu {
namespace {

class CpuCoresTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / "cpu_cores_test";
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(CpuCoresTest, SiblingsCountOnce) {
  // Every CPU of this process is said to be a thread of one core.
  for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) {
    write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list", "0-1023\n");
  }
  EXPECT_EQ(num_usable_cores(root_), 1);
}

TEST_F(CpuCoresTest, WithoutTopologyLogicalCpusCount) {
  EXPECT_EQ(num_usable_cores(root_), num_usable_cpus());
  EXPECT_GE(num_usable_cpus(), 1);
}

TEST_F(CpuCoresTest, AffinityMaskIsHonoured) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(num_usable_cpus(), 1);
  EXPECT_EQ(num_usable_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_F(CpuCoresTest, ModelNameIsReadFromCpuinfo) {
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n");
  EXPECT_EQ(cpu_model_name(root_), "Some CPU @ 3 GHz");
}

}  // namespace
}  // namespace tandem::kernels::cpu
