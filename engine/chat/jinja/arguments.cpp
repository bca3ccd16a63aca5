#include "engine/chat/jinja/arguments.h"

#include <algorithm>

#include "engine/chat/jinja/template_error.h"

namespace tandem::engine::jinja {

ArgReader::ArgReader(std::string_view what, const CallArgs& args, std::initializer_list<std::string_view> names)
    : what_(what), names_(names), slots_(names.size(), nullptr) {
  if (args.positional.size() > names_.size()) {
    fail(what_ + " takes at most " + std::to_string(names_.size()) + " arguments, " + std::to_string(args.positional.size()) +
         " are given");
  }
  for (std::size_t i = 0; i < args.positional.size(); ++i) slots_[i] = &args.positional[i];
  for (const auto& [name, value] : args.named) {
    const auto place = std::find(names_.begin(), names_.end(), name);
    if (place == names_.end()) fail(what_ + " has no argument '" + name + "'");
    const Value*& slot = slots_[static_cast<std::size_t>(place - names_.begin())];
    if (slot != nullptr) fail(what_ + ": the argument '" + name + "' is given twice");
    slot = &value;
  }
}

const Value& ArgReader::required(std::size_t i) const {
  if (!has(i)) fail(what_ + " needs the argument '" + std::string(names_[i]) + "'");
  return *slots_[i];
}

std::int64_t ArgReader::integer(std::size_t i, std::int64_t fallback) const {
  if (!has(i) || slots_[i]->is_none()) return fallback;
  slots_[i]->require_defined();
  if (!slots_[i]->is_int() && !slots_[i]->is_bool()) {
    fail(what_ + ": the argument '" + std::string(names_[i]) + "' must be an integer, not " + slots_[i]->type_name());
  }
  return static_cast<std::int64_t>(std::clamp<Int>(slots_[i]->as_int(), INT64_MIN, INT64_MAX));
}

std::string ArgReader::text(std::size_t i, std::string fallback) const {
  if (!has(i) || slots_[i]->is_none()) return fallback;
  slots_[i]->require_defined();
  if (!slots_[i]->is_text()) {
    fail(what_ + ": the argument '" + std::string(names_[i]) + "' must be a string, not " + slots_[i]->type_name());
  }
  return slots_[i]->as_string();
}

}  // namespace tandem::engine::jinja
