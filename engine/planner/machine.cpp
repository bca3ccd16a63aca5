// The machines a plan is made for.
#include <algorithm>

#include "base/system_memory.h"
#include "engine/planner/planner.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace

MachineSpec dgx_spark() {
  MachineSpec machine;
  machine.name = "DGX Spark";
  // Of 128 GB the firmware keeps some: Linux sees 121.6 to 121.7 GiB (unslothai/unsloth unsloth_cli/commands/spark.py,
  // AlexsJones/llmfit#872). The smaller figure.
  machine.total_bytes = 1216 * kGiB / 10;
  machine.available_bytes = machine.total_bytes;
  // With less than this left, the machine can freeze beyond rescue (NVIDIA/open-gpu-kernel-modules#1358).
  machine.reserve_bytes = 8 * kGiB;
  machine.bandwidth_bytes_per_s = 231e9;       // read kernel, 231 to 234 GB/s (antirez/ds4#773)
  machine.bandwidth_peak_bytes_per_s = 273e9;  // LPDDR5x, NVIDIA's specification
  machine.has_cuda = true;
  return machine;
}

Result<MachineSpec> this_machine() {
  const SystemMemory memory = TANDEM_TRY(read_system_memory());
  MachineSpec machine;
  machine.name = "this machine";
  machine.total_bytes = memory.total_bytes;
  machine.available_bytes = memory.available_bytes;
  // LoadOptions keeps 1 GiB; on small machines that would be most of it, so an eighth there.
  machine.reserve_bytes = std::min(kGiB, memory.total_bytes / 8);
  return machine;
}

}  // namespace tandem::engine
