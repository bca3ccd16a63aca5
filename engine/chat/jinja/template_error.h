// TemplateError: thrown inside engine/chat/jinja and turned into an Error by Template; never crosses that border.
#pragma once

#include <stdexcept>
#include <string>

namespace tandem::engine::jinja {

class TemplateError : public std::runtime_error {
 public:
  enum class Kind {
    kSyntax,   // the template is not well formed
    kRuntime,  // an operation failed while rendering
    kRaised,   // the template itself called raise_exception
    kLimit,    // a bound of limits.h was reached
  };
  // `line` 0: not known where it is thrown; the evaluator fills it in from the syntax node it is at.
  TemplateError(Kind kind, const std::string& message, int line = 0) : std::runtime_error(message), kind_(kind), line_(line) {}

  Kind kind() const { return kind_; }
  int line() const { return line_; }
  void set_line(int line) { line_ = line; }

 private:
  Kind kind_;
  int line_;
};

[[noreturn]] inline void fail(const std::string& message) {
  throw TemplateError(TemplateError::Kind::kRuntime, message);
}
[[noreturn]] inline void fail_limit(const std::string& message) {
  throw TemplateError(TemplateError::Kind::kLimit, message);
}

}  // namespace tandem::engine::jinja
