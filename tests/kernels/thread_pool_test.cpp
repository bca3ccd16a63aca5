#include "kernels/cpu/thread_pool.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace tandem::kernels::cpu {
namespace {

TEST(ThreadPool, EveryIndexIsVisitedOnce) {
  for (const int num_threads : {1, 2, 7}) {
    const auto pool = std::move(ThreadPool::create(num_threads)).value();
    EXPECT_EQ(pool->num_threads(), num_threads);
    for (const std::int64_t count : {0, 1, 5, 64, 1000}) {
      for (const std::int64_t grain : {1, 3, 64}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
        pool->parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end, std::int32_t thread_idx) {
          EXPECT_LT(begin, end);
          EXPECT_TRUE(thread_idx >= 0 && thread_idx < num_threads);
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, ManyShortJobsSeeEachOthersResults) {
  const auto pool = std::move(ThreadPool::create(4)).value();
  std::vector<std::int64_t> values(64, 0);  // plain memory: the pool must order the jobs
  for (int job = 0; job < 3000; ++job) {
    pool->parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t i = begin; i < end; ++i) values[static_cast<std::size_t>(i)] += i;
    });
  }
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 3000 * i);
}

TEST(ThreadPool, WorksAgainAfterSleeping) {
  const auto pool = std::move(ThreadPool::create(3)).value();
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than the threads spin
    std::atomic<std::int64_t> sum{0};
    pool->parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) { sum += end - begin; });
    EXPECT_EQ(sum.load(), 100);
  }
}

TEST(ThreadPool, TwoPoolsWorkAtTheSameTime) {
  std::atomic<std::int64_t> sum{0};
  const auto use = [&] {
    const auto pool = std::move(ThreadPool::create(3)).value();
    for (int i = 0; i < 200; ++i) {
      pool->parallel_for(10, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) { sum += end - begin; });
    }
  };
  std::thread other(use);
  use();
  other.join();
  EXPECT_EQ(sum.load(), 4000);
}

}  // namespace
}  // namespace tandem::kernels::cpu
