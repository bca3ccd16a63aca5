// How fast this machine reads memory: the bound for decoding on the CPU.
#pragma once

#include "base/result.h"

namespace tandem::kernels {

// Bytes per second that `threads` threads (0: one per physical core) read together from memory far larger than the caches:
// the best of the passes that fit into about `seconds`, at least one. Allocates 128 MiB per thread, 1 GiB at most in all,
// for the time of the call. Errors: kInvalidArgument, kOutOfMemory, kUnavailable (threads). Blocks; any thread.
Result<double> measure_read_bandwidth(int threads, double seconds);

}  // namespace tandem::kernels
