#include "kernels/cpu/cpu_cores.h"

#include <fstream>
#include <sched.h>
#include <set>
#include <thread>
#include <vector>

namespace tandem::kernels::cpu {
namespace {

// Large enough for any machine: the call fails when the kernel's mask is longer than ours.
constexpr int kMaxCpus = 16384;

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  if (set != nullptr) {
    const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
    CPU_ZERO_S(bytes, set);
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
      }
    }
    CPU_FREE(set);
  }
  return cpus;
}

}  // namespace

std::int32_t num_usable_cpus() {
  const std::vector<int> cpus = usable_cpus();
  if (!cpus.empty()) return static_cast<std::int32_t>(cpus.size());
  return std::max(1, static_cast<std::int32_t>(std::thread::hardware_concurrency()));
}

std::int32_t num_usable_cores(const std::filesystem::path& root) {
  std::set<std::string> cores;  // a core is known by the list of its threads
  for (const int cpu : usable_cpus()) {
    const auto path = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) / "topology/thread_siblings_list";
    std::string siblings;
    if (!std::getline(std::ifstream(path), siblings)) return num_usable_cpus();
    cores.insert(siblings);
  }
  return cores.empty() ? num_usable_cpus() : static_cast<std::int32_t>(cores.size());
}

std::string cpu_model_name(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
#if defined(__aarch64__)
  return "ARM 64-bit";
#elif defined(__x86_64__)
  return "x86-64";
#else
  return "CPU";
#endif
}

}  // namespace tandem::kernels::cpu
