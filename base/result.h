// Result<T>: a value, or an Error that says what went wrong with the numbers in it.
//
// Member names follow std::expected, so that the type can be replaced by it once every supported compiler has it. Unlike
// std::expected in C++23, dropping a Result is a compiler warning. Exceptions from third-party code are converted to an
// Error where they enter; none crosses a folder border.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"

namespace tandem {

// What a caller may branch on. The words for people are made from it by the outermost layer; `detail` holds the facts.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,   // the caller asked for something that can never work
  kNotFound,          // a file, tensor, key or request that is not there
  kIo,                // reading or writing failed; detail holds errno's text
  kCorrupt,           // a file breaks its own format's rules
  kUnsupported,       // well formed, but this version cannot do it
  kOutOfMemory,       // the plan does not fit; detail holds needed and available bytes
  kContextExhausted,  // prompt or answer does not fit the context; detail holds both numbers
  kCancelled,         // the user or the client asked to stop
  kUnavailable,       // not now: still loading, queue full, peer lost
  kDevice,            // the compute device failed; the engine has to be reloaded
  kInternal,          // a broken promise inside the program
};

// Stable lower_snake name of a code, used in JSON and logs: "invalid_argument".
std::string_view error_code_name(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string detail;  // one sentence or two, English, with the numbers and the next step
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> && !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    CHECK(has_value(), error_text());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CHECK(has_value(), error_text());
    return std::get<0>(state_);
  }
  T&& value() && {
    CHECK(has_value(), error_text());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? std::get<0>(state_) : static_cast<T>(std::forward<U>(fallback));
  }

  const Error& error() const& {
    CHECK(!has_value(), "error() of a Result that holds a value");
    return std::get<1>(state_);
  }
  Error&& error() && {
    CHECK(!has_value(), "error() of a Result that holds a value");
    return std::get<1>(std::move(state_));
  }

 private:
  std::string error_text() const { return has_value() ? std::string() : std::get<1>(state_).detail; }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { CHECK(has_value(), error_->detail); }

  const Error& error() const& {
    CHECK(!has_value(), "error() of a Result that holds no error");
    return *error_;
  }
  Error&& error() && {
    CHECK(!has_value(), "error() of a Result that holds no error");
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace tandem

// The value of `expr`, or return its Error from the enclosing function: `auto file = TANDEM_TRY(open(path));`
#define TANDEM_TRY(expr)                                          \
  ({                                                              \
    auto tandem_try_result = (expr);                              \
    if (!tandem_try_result.has_value()) {                         \
      return ::tandem::Error(std::move(tandem_try_result).error()); \
    }                                                             \
    std::move(tandem_try_result).value();                         \
  })
