#include "kernels/read_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "kernels/cpu/cpu_cores.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/thread_pool.h"

namespace tandem::kernels {

Result<double> measure_read_bandwidth(int threads, double seconds) {
  if (threads < 0 || threads > cpu::ThreadPool::kMaxThreads) {
    return Error{ErrorCode::kInvalidArgument, "bandwidth with " + std::to_string(threads) + " threads; allowed: 0 to " +
                                                  std::to_string(cpu::ThreadPool::kMaxThreads)};
  }
  if (threads == 0) threads = std::min(cpu::num_usable_cores(), cpu::ThreadPool::kMaxThreads);
  const cpu::Target target = TANDEM_TRY(cpu::choose_target(""));
  const cpu::KernelTable& kernels = target.kernels();
  const auto pool = TANDEM_TRY(cpu::ThreadPool::create(threads));
  constexpr std::int64_t kMiB = 1 << 20;
  constexpr std::int64_t kPiece = kMiB;  // taken one by one, so that a slow core does not hold up the rest
  const std::int64_t bytes = std::min<std::int64_t>(128 * kMiB * threads, 1024 * kMiB);
  const auto buffer = TANDEM_TRY(cpu::allocate_buffer(static_cast<std::size_t>(bytes), "bandwidth measurement"));
  std::memset(buffer->data(), 1, static_cast<std::size_t>(bytes));  // untouched pages would all be the same zero page

  using Clock = std::chrono::steady_clock;
  const auto elapsed = [](Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); };
  const auto begin = Clock::now();
  double best = 0;
  std::atomic<float> sink{0};
  do {
    const auto pass_begin = Clock::now();
    pool->parallel_for(bytes / kPiece, 1, [&](std::int64_t first, std::int64_t last, std::int32_t) {
      const auto* data = static_cast<const float*>(buffer->data()) + first * kPiece / 4;
      sink.store(kernels.read_all(data, (last - first) * kPiece / 4), std::memory_order_relaxed);
    });
    best = std::max(best, static_cast<double>(bytes) / elapsed(pass_begin));
  } while (elapsed(begin) < seconds);
  return best;
}

}  // namespace tandem::kernels
