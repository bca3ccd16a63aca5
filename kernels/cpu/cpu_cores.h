// How many cores this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tandem::kernels::cpu {

// Logical CPUs in the affinity mask of the calling thread; at least 1.
std::int32_t num_usable_cpus();

// Physical cores among them, told apart by the topology below `root`/sys; logical CPUs where that cannot be read.
std::int32_t num_usable_cores(const std::filesystem::path& root = "/");

// "AMD EPYC 7B13", from `root`/proc/cpuinfo; the architecture's name where there is none.
std::string cpu_model_name(const std::filesystem::path& root = "/");

}  // namespace tandem::kernels::cpu
