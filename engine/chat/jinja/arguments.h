// ArgReader: binds a call's arguments to parameter names, with Python's errors for surplus and missing ones.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

class ArgReader {
 public:
  // `what` names the function in errors. Named arguments that are not among `names` throw.
  ArgReader(std::string_view what, const CallArgs& args, std::initializer_list<std::string_view> names);

  bool has(std::size_t i) const { return slots_[i] != nullptr; }
  const Value& required(std::size_t i) const;
  Value value_or(std::size_t i, Value fallback) const { return has(i) ? *slots_[i] : std::move(fallback); }
  // None counts as not given for the typed getters.
  bool flag(std::size_t i, bool fallback) const { return has(i) ? slots_[i]->truthy() : fallback; }
  std::int64_t integer(std::size_t i, std::int64_t fallback) const;
  std::string text(std::size_t i, std::string fallback) const;

 private:
  std::string what_;
  std::vector<std::string_view> names_;
  std::vector<const Value*> slots_;
};

}  // namespace tandem::engine::jinja
