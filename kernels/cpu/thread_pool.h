// The threads of one CPU backend. They live as long as the pool, spin for some microseconds between jobs, since a decode
// step is hundreds of short ones, and then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"

namespace tandem::kernels::cpu {

class ThreadPool {
 public:
  // Starts num_threads − 1 threads; the caller of parallel_for is the last one. num_threads in [1, kMaxThreads].
  static Result<std::unique_ptr<ThreadPool>> create(std::int32_t num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  static constexpr std::int32_t kMaxThreads = 1024;
  std::int32_t num_threads() const { return num_threads_; }

  // Calls body(begin, end, thread_idx) for pieces of at most `grain` that cover [0, count), on any of the threads in any
  // order, and returns when all are done. thread_idx < num_threads(); two calls at one time have different ones. One caller
  // at a time; body must not throw or call parallel_for.
  template <class Body>
  void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
    if (num_threads_ == 1 || count <= grain) {
      if (count > 0) body(std::int64_t{0}, count, 0);
      return;
    }
    run({[](const void* context, std::int64_t begin, std::int64_t end, std::int32_t thread_idx) {
           (*static_cast<const Body*>(context))(begin, end, thread_idx);
         },
         &body, count, grain});
  }

 private:
  struct Job {
    void (*call)(const void*, std::int64_t, std::int64_t, std::int32_t) = nullptr;
    const void* context = nullptr;
    std::int64_t count = 0, grain = 1;
  };

  explicit ThreadPool(std::int32_t num_threads);
  void run(const Job& job);
  void work(std::int32_t thread_idx);
  void take_pieces(std::int32_t thread_idx);

  const std::int32_t num_threads_;
  std::int32_t spins_ = 0;
  std::vector<std::thread> threads_;
  // job_ is written by run() while nobody is inside, and read by threads that have entered through gate_.
  Job job_;
  alignas(64) std::atomic<std::int64_t> next_{0};
  // Bit 31: a job is open for entering; the rest: how many threads are inside. A thread that is late does not enter, and
  // nobody waits for it: on a busy machine it may not have been scheduled at all.
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  alignas(64) std::atomic<std::uint32_t> generation_{0};  // changes with every job: what idle threads wait on
  std::atomic<bool> stopping_{false};
};

}  // namespace tandem::kernels::cpu
