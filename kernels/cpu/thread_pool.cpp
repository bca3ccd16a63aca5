#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <system_error>

#include "base/check.h"
#include "kernels/cpu/cpu_cores.h"

namespace tandem::kernels::cpu {
namespace {

constexpr std::uint32_t kOpen = 1u << 31;

// About 60 microseconds: longer than the gap between two ops of a step, shorter than anybody notices in a CPU meter.
constexpr std::int32_t kSpins = 1500;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::int32_t num_threads) : num_threads_(num_threads) {
  // With more threads than cores a spinning thread keeps the one that it waits for from running.
  if (num_threads <= num_usable_cpus()) spins_ = kSpins;
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(std::int32_t num_threads) {
  CHECK(num_threads >= 1 && num_threads <= kMaxThreads, "number of threads out of range");
  std::unique_ptr<ThreadPool> pool(new ThreadPool(num_threads));
  try {
    pool->threads_.reserve(static_cast<std::size_t>(num_threads));
    for (std::int32_t i = 1; i < num_threads; ++i) pool->threads_.emplace_back([p = pool.get(), i] { p->work(i); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kUnavailable, "cannot start compute thread " + std::to_string(pool->threads_.size() + 2) + " of " +
                                              std::to_string(num_threads) + " (" + error.what() + "); ask for fewer threads"};
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::take_pieces(std::int32_t thread_idx) {
  while (true) {
    const std::int64_t begin = next_.fetch_add(job_.grain, std::memory_order_relaxed);
    if (begin >= job_.count) return;
    job_.call(job_.context, begin, std::min(begin + job_.grain, job_.count), thread_idx);
  }
}

void ThreadPool::run(const Job& job) {
  job_ = job;
  next_.store(0, std::memory_order_relaxed);
  gate_.store(kOpen, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  take_pieces(0);
  std::uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (std::int32_t spin = 0; inside != 0; ++spin) {
    if (spin < spins_) {
      pause();
    } else {
      gate_.wait(inside, std::memory_order_acquire);
    }
    inside = gate_.load(std::memory_order_acquire);
  }
}

void ThreadPool::work(std::int32_t thread_idx) {
  std::uint32_t seen = 0;
  while (true) {
    std::uint32_t now = generation_.load(std::memory_order_acquire);
    for (std::int32_t spin = 0; now == seen; ++spin) {
      if (spin < spins_) {
        pause();
      } else {
        generation_.wait(seen, std::memory_order_acquire);
      }
      now = generation_.load(std::memory_order_acquire);
    }
    seen = now;
    if (stopping_.load(std::memory_order_relaxed)) return;
    std::uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate & kOpen) != 0 && !gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) {
    }
    if ((gate & kOpen) == 0) continue;
    take_pieces(thread_idx);
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
  }
}

}  // namespace tandem::kernels::cpu
