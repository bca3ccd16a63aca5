// CHECK: for programmer errors only. The one thing in a library that may end the process.
#pragma once

#include <string_view>

namespace tandem {

// Prints file, line, condition and message to stderr, then aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view message);

}  // namespace tandem

#define CHECK(condition, message)                                              \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      ::tandem::check_failed(__FILE__, __LINE__, #condition, (message));       \
    }                                                                          \
  } while (false)
