// Template: a parsed Jinja template, the public face of this folder. Converts JSON in and errors out.
//
// The dialect is that of Hugging Face chat templates: Jinja 3.1 in its immutable sandbox with trim_blocks, lstrip_blocks and
// loop controls, and tojson, raise_exception, strftime_now and {% generation %} on top. Values behave as in Python.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/chat/jinja/limits.h"

namespace tandem::engine::jinja {

// Immutable; any number of threads may render at once.
class Template {
 public:
  // Errors: kCorrupt, "chat template, line N: …".
  static Result<std::shared_ptr<const Template>> parse(std::string_view source);
  virtual ~Template() = default;

  // `variables` must be an object; a name that is also a global ("range", …) is an error. Errors are kInvalidArgument:
  // the message of raise_exception as it is, everything else as "chat template, line N: …".
  virtual Result<std::string> render(const nlohmann::ordered_json& variables, const Limits& limits = {}) const = 0;
  // Whether the template reads a variable of this name anywhere.
  virtual bool reads(std::string_view name) const = 0;
};

// Whether a template finds a function under this name, so that no variable may have it.
bool is_global_name(std::string_view name);

}  // namespace tandem::engine::jinja
