#include "engine/chat/jinja/objects.h"

#include <algorithm>
#include <array>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

Value loop_cycle(Evaluator&, const Value& self, CallArgs& args) {
  return static_cast<LoopObject&>(self.as_object()).cycle(args);
}
Value loop_changed(Evaluator& evaluator, const Value& self, CallArgs& args) {
  for (const Value& value : args.positional) evaluator.charge(value.weight());
  return static_cast<LoopObject&>(self.as_object()).changed(args);
}

// Methods that would change a list or dict: Python has them, the sandbox refuses them.
bool is_mutator(const Value& value, std::string_view name) {
  constexpr std::array<std::string_view, 8> kOfList = {"append", "clear",  "extend",  "insert",
                                                       "pop",    "remove", "reverse", "sort"};
  constexpr std::array<std::string_view, 5> kOfDict = {"clear", "pop", "popitem", "setdefault", "update"};
  const bool is_list = value.is_sequence() && value.as_sequence().kind() == Sequence::Kind::kList;
  if (value.is_dict()) return std::find(kOfDict.begin(), kOfDict.end(), name) != kOfDict.end();
  return is_list && std::find(kOfList.begin(), kOfList.end(), name) != kOfList.end();
}

Function find_method(const Value& value, std::string_view name) {
  if (value.is_text()) return find_text_method(name);
  if (value.is_dict()) return find_dict_method(name);
  if (value.is_sequence()) return find_sequence_method(name);
  return nullptr;
}

// What Python's getattr finds: a method, or a field of an object.
std::optional<Value> own_attribute(const Value& value, const std::string& name) {
  if (const Function method = find_method(value, name)) {
    return Value::object(std::make_shared<BoundMethod>(value, name, method));
  }
  if (value.is_object()) {
    if (dynamic_cast<const LoopObject*>(&value.as_object()) != nullptr) {
      const Function method = name == "cycle" ? loop_cycle : name == "changed" ? loop_changed : nullptr;
      if (method != nullptr) return Value::object(std::make_shared<BoundMethod>(value, name, method));
    }
    return value.as_object().attribute(name);
  }
  return std::nullopt;
}

std::optional<Value> own_item(const Value& value, const Value& key) {
  if (value.is_dict()) {
    if (key.is_sequence() && key.as_sequence().kind() != Sequence::Kind::kTuple) return std::nullopt;  // unhashable
    if (key.is_dict()) return std::nullopt;
    const Value* found = value.as_dict().find(key);
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  if (!key.is_int() && !key.is_bool()) return std::nullopt;
  Int index = key.as_int();
  if (value.is_sequence() && value.as_sequence().has_index()) {
    const auto& items = value.as_sequence().items();
    if (index < 0) index += static_cast<Int>(items.size());
    if (index < 0 || index >= static_cast<Int>(items.size())) return std::nullopt;
    return items[static_cast<std::size_t>(index)];
  }
  if (value.is_text()) {
    const Text& text = value.as_text();
    if (index < 0) index += static_cast<Int>(text.num_code_points);
    if (index < 0 || index >= static_cast<Int>(text.num_code_points)) return std::nullopt;
    if (text.is_ascii()) return Value::text(text.utf8.substr(static_cast<std::size_t>(index), 1));
    std::size_t offset = 0;
    for (Int i = 0; i < index; ++i) next_code_point(text.utf8, offset);
    const std::size_t start = offset;
    next_code_point(text.utf8, offset);
    return Value::text(text.utf8.substr(start, offset - start));
  }
  return std::nullopt;
}

std::string object_name(const Value& value) {
  return value.is_none() ? "None" : value.type_name() + " object";
}

}  // namespace

std::string NamespaceObject::repr() const {
  const DepthGuard guard = evaluator_.guard_print();
  evaluator_.charge(variables_->weight());
  return "<Namespace " + to_repr(Value::dict(variables_)) + ">";
}

std::optional<Value> NamespaceObject::attribute(std::string_view name) const {
  const Value* found = variables_->find(name);
  return found == nullptr ? std::nullopt : std::optional<Value>(*found);
}

void NamespaceObject::set(const std::string& name, Value value) {
  variables_->set(Value::text(name), std::move(value));
}

std::optional<Value> LoopObject::attribute(std::string_view name) const {
  const auto number = [](std::size_t value) { return Value::integer(static_cast<Int>(value)); };
  if (name == "index") return number(idx_ + 1);
  if (name == "index0") return number(idx_);
  if (name == "first") return Value::boolean(idx_ == 0);
  if (name == "last") return Value::boolean(idx_ + 1 == items_.size());
  if (name == "length") return number(items_.size());
  if (name == "revindex") return number(items_.size() - idx_);
  if (name == "revindex0") return number(items_.size() - idx_ - 1);
  if (name == "depth") return number(static_cast<std::size_t>(depth_));
  if (name == "depth0") return number(static_cast<std::size_t>(depth_ - 1));
  if (name == "previtem") return idx_ > 0 ? items_[idx_ - 1] : Value::undefined("there is no previous item");
  if (name == "nextitem") return idx_ + 1 < items_.size() ? items_[idx_ + 1] : Value::undefined("there is no next item");
  return std::nullopt;
}

Value LoopObject::cycle(CallArgs& args) const {
  if (args.positional.empty()) fail("no items for cycling given");
  return args.positional[idx_ % args.positional.size()];
}

Value LoopObject::changed(CallArgs& args) {
  const bool same = last_changed_ && last_changed_->size() == args.positional.size() &&
                    std::equal(args.positional.begin(), args.positional.end(), last_changed_->begin(), equal);
  if (!same) last_changed_ = args.positional;
  return Value::boolean(!same);
}

void LoopObject::release() {
  items_.clear();
  last_changed_.reset();
  scope_.reset();
}

Value LoopObject::call(Evaluator& evaluator, CallArgs& args) {
  if (!stmt_.is_recursive) fail("the loop must be marked 'recursive' to be called");
  const ArgReader reader("loop", args, {"items"});
  return Value::text(evaluator.run_loop_again(stmt_, scope_, reader.required(0), depth_ + 1));
}

std::optional<Value> MacroObject::attribute(std::string_view name) const {
  if (name == "name") return is_caller_ ? Value() : Value::text(stmt_.name);
  if (name == "arguments") {
    std::vector<Value> names;
    for (const Parameter& parameter : stmt_.parameters) names.push_back(Value::text(parameter.name));
    return Value::tuple(std::move(names));
  }
  if (name == "catch_kwargs") return Value::boolean(stmt_.reads_kwargs);
  if (name == "catch_varargs") return Value::boolean(stmt_.reads_varargs);
  if (name == "caller") return Value::boolean(stmt_.reads_caller);
  return std::nullopt;
}

Value MacroObject::call(Evaluator& evaluator, CallArgs& args) {
  return Value::text(evaluator.call_macro(stmt_, closure_, args, is_caller_));
}

Value get_attribute(const Value& value, const std::string& name) {
  value.require_defined();
  if (std::optional<Value> found = own_attribute(value, name)) return *found;
  if (name.starts_with("__") || is_mutator(value, name)) {
    return Value::undefined("access to attribute '" + name + "' of '" + value.type_name() + "' object is unsafe");
  }
  if (value.is_dict()) {
    if (const Value* found = value.as_dict().find(name)) return *found;
  }
  return Value::undefined("'" + object_name(value) + "' has no attribute '" + name + "'");
}

Value get_item(Evaluator& evaluator, const Value& value, const Value& key) {
  value.require_defined();
  // Finding a character walks through the text before it.
  if (value.is_text() && !value.as_text().is_ascii()) evaluator.charge(value.weight());
  if (std::optional<Value> found = own_item(value, key)) return *found;
  if (key.is_text()) {
    if (std::optional<Value> found = own_attribute(value, key.as_string())) return *found;
    return Value::undefined("'" + object_name(value) + "' has no attribute '" + key.as_string().substr(0, 200) + "'");
  }
  return Value::undefined(object_name(value) + " has no element " + to_repr(key).substr(0, 200));
}

Value get_slice(Evaluator& evaluator, const Value& value, const Value& start, const Value& stop, const Value& step) {
  value.require_defined();
  const bool is_items = value.is_sequence() && value.as_sequence().has_index();
  if (!is_items && !value.is_text()) {
    fail("'" + value.type_name() + "' object cannot be sliced");
  }
  for (const Value* part : {&start, &stop, &step}) {
    part->require_defined();
    if (!part->is_none() && !part->is_int() && !part->is_bool()) {
      fail("slice indices must be integers or None, not " + part->type_name());
    }
  }
  const Int length =
      is_items ? static_cast<Int>(value.as_sequence().items().size()) : static_cast<Int>(value.as_text().num_code_points);
  const Int stride = step.is_none() ? 1 : step.as_int();
  if (stride == 0) fail("slice step cannot be zero");
  const Int low = stride > 0 ? 0 : -1;
  const Int high = stride > 0 ? length : length - 1;
  const auto bound = [&](const Value& part, Int fallback) {
    if (part.is_none()) return fallback;
    const Int index = std::clamp<Int>(part.as_int(), -length - 1, length);  // before adding: no overflow
    return std::clamp<Int>(index < 0 ? index + length : index, low, high);
  };
  const Int first = bound(start, stride > 0 ? low : high);
  const Int last = bound(stop, stride > 0 ? high : low);
  const Int clamped_stride = std::clamp<Int>(stride, -length - 1, length + 1);
  const auto for_each_index = [&](const auto& use) {
    for (Int i = first; clamped_stride > 0 ? i < last : i > last; i += clamped_stride) use(static_cast<std::size_t>(i));
  };
  if (is_items) {
    std::vector<Value> items;
    for_each_index([&](std::size_t i) { items.push_back(value.as_sequence().items()[i]); });
    evaluator.charge(static_cast<std::int64_t>(items.size()));
    const auto kind = value.as_sequence().kind();
    return Value::sequence(std::make_shared<Sequence>(kind, std::move(items)));
  }
  evaluator.charge_text(value.as_string().size());
  const bool is_markup = value.as_text().is_markup;
  if (value.as_text().is_ascii()) {
    std::string text;
    for_each_index([&](std::size_t i) { text += value.as_string()[i]; });
    return Value::text(std::move(text), is_markup);
  }
  const std::u32string code_points = decode(value.as_string());
  std::u32string text;
  for_each_index([&](std::size_t i) { text += code_points[i]; });
  return Value::text(encode(text), is_markup);
}

}  // namespace tandem::engine::jinja
