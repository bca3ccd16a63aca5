// Memory for tensors: 64-byte aligned, on huge pages where the system gives them.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "kernels/backend.h"

namespace tandem::kernels::cpu {

// A zeroed buffer. kOutOfMemory, with the bytes needed and available, when the request is larger than what the system can
// give without swapping, passes the process's limit, or the allocation fails. `purpose` names it in the message.
Result<std::unique_ptr<Buffer>> allocate_buffer(std::size_t bytes, std::string_view purpose);

}  // namespace tandem::kernels::cpu
