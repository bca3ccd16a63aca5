// Methods of dicts, lists and tuples.
#include <algorithm>
#include <map>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/template_error.h"

namespace tandem::engine::jinja {
namespace {

Value dict_get(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("get", args, {"key", "default"});
  evaluator.charge(reader.required(0).weight());
  const Value* found = self.as_dict().find(reader.required(0));
  return found != nullptr ? *found : reader.value_or(1, Value());
}

Value dict_view(Evaluator& evaluator, const Value& self, const CallArgs& args, Sequence::Kind kind) {
  if (!args.positional.empty() || !args.named.empty()) fail("items, keys and values take no arguments");
  std::vector<Value> items;
  for (const auto& [key, value] : self.as_dict().entries()) {
    items.push_back(kind == Sequence::Kind::kKeys ? key : kind == Sequence::Kind::kValues ? value : Value::tuple({key, value}));
  }
  evaluator.charge(static_cast<std::int64_t>(items.size()));
  return Value::sequence(std::make_shared<Sequence>(kind, std::move(items)));
}
Value dict_items(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return dict_view(evaluator, self, args, Sequence::Kind::kItems);
}
Value dict_keys(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return dict_view(evaluator, self, args, Sequence::Kind::kKeys);
}
Value dict_values(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return dict_view(evaluator, self, args, Sequence::Kind::kValues);
}
Value dict_copy(Evaluator&, const Value& self, CallArgs&) {
  return self;
}  // values do not change

Value sequence_index(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("index", args, {"value"});
  const auto& items = self.as_sequence().items();
  evaluator.charge(self.weight());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i], reader.required(0))) return Value::integer(static_cast<Int>(i));
  }
  fail(to_repr(reader.required(0)).substr(0, 100) + " is not in the " + self.type_name());
}

Value sequence_count(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("count", args, {"value"});
  const auto& items = self.as_sequence().items();
  evaluator.charge(self.weight());
  return Value::integer(
      std::count_if(items.begin(), items.end(), [&](const Value& item) { return equal(item, reader.required(0)); }));
}
Value sequence_copy(Evaluator&, const Value& self, CallArgs&) {
  return self;
}

}  // namespace

Function find_dict_method(std::string_view name) {
  static const std::map<std::string_view, Function> kMethods = {
      {"get", dict_get}, {"items", dict_items}, {"keys", dict_keys}, {"values", dict_values}, {"copy", dict_copy},
  };
  const auto place = kMethods.find(name);
  return place == kMethods.end() ? nullptr : place->second;
}

Function find_sequence_method(std::string_view name) {
  static const std::map<std::string_view, Function> kMethods = {
      {"index", sequence_index}, {"count", sequence_count}, {"copy", sequence_copy}};
  const auto place = kMethods.find(name);
  return place == kMethods.end() ? nullptr : place->second;
}

}  // namespace tandem::engine::jinja
