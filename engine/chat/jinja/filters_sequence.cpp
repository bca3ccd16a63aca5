// Filters over lists, dicts and iterators.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

Value ignore_case(const Value& value) {
  return value.is_text() ? Value::text(to_lower(value.as_string())) : value;
}

std::size_t length_of(const Value& value) {
  if (value.is_undefined()) return 0;
  if (value.is_text()) return value.as_text().num_code_points;
  if (value.is_dict()) return value.as_dict().size();
  if (value.is_sequence() && value.as_sequence().has_length()) return value.as_sequence().items().size();
  if (value.is_object()) {
    if (const auto length = value.as_object().length()) return *length;
  }
  fail("object of type '" + value.type_name() + "' has no len()");
}

Value length_filter(Evaluator&, const Value& self, CallArgs&) {
  return Value::integer(static_cast<Int>(length_of(self)));
}

Value list_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  return Value::list(evaluator.iterate(self));
}

Value items_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  if (self.is_undefined()) return Value::generator({});
  if (!self.is_dict()) fail("items needs a mapping, not " + self.type_name());
  std::vector<Value> pairs;
  for (const auto& [key, value] : self.as_dict().entries()) pairs.push_back(Value::tuple({key, value}));
  evaluator.charge(static_cast<std::int64_t>(pairs.size()));
  return Value::generator(std::move(pairs));
}

Value first_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  const Value none = Value::undefined("the first item of an empty sequence");
  if (self.is_sequence() && !self.as_sequence().has_length()) return self.as_sequence().next().value_or(none);
  if (self.is_sequence()) return self.as_sequence().items().empty() ? none : self.as_sequence().items().front();
  if (self.is_text()) return self.as_string().empty() ? none : get_item(evaluator, self, Value::integer(0));
  const std::vector<Value> items = evaluator.iterate(self);
  return items.empty() ? none : items.front();
}

Value last_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  const Value none = Value::undefined("the last item of an empty sequence");
  if (self.is_undefined()) return none;
  if (self.is_text()) return self.as_string().empty() ? none : get_item(evaluator, self, Value::integer(-1));
  if (self.is_dict()) return self.as_dict().size() == 0 ? none : self.as_dict().entries().back().first;
  if (!self.is_sequence() || !self.as_sequence().has_length()) fail("'" + self.type_name() + "' object is not reversible");
  return self.as_sequence().items().empty() ? none : self.as_sequence().items().back();
}

Value reverse_filter(Evaluator& evaluator, const Value& self, CallArgs&) {
  if (self.is_text()) {
    std::u32string text = decode(self.as_string());
    std::reverse(text.begin(), text.end());
    return Value::text(encode(text));
  }
  std::vector<Value> items = evaluator.iterate(self);
  std::reverse(items.begin(), items.end());
  return Value::generator(std::move(items));
}

Value default_filter(Evaluator&, const Value& self, CallArgs& args) {
  const ArgReader reader("default", args, {"default_value", "boolean"});
  const bool replace = self.is_undefined() || (reader.flag(1, false) && !self.truthy());
  return replace ? reader.value_or(0, Value::text("")) : self;
}

// Sorting calls no template code, so a comparator that throws is the only way out of it; std::stable_sort allows that.
void sort_values(Evaluator& evaluator, std::vector<std::pair<Value, Value>>& keyed, bool reverse) {
  std::int64_t weight = 1;
  for (const auto& item : keyed) weight += item.first.weight();
  evaluator.charge(weight * static_cast<std::int64_t>(1 + std::log2(1.0 + static_cast<double>(keyed.size()))));
  std::stable_sort(keyed.begin(), keyed.end(), [reverse](const auto& left, const auto& right) {
    return reverse ? less(right.first, left.first) : less(left.first, right.first);
  });
}

Value sort_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("sort", args, {"reverse", "case_sensitive", "attribute"});
  const bool keep_case = reader.flag(1, false);
  std::vector<std::pair<Value, Value>> keyed;
  for (Value& item : evaluator.iterate(self)) {
    Value key = item;
    if (reader.has(2) && !reader.required(2).is_none()) {
      const Value& attribute = reader.required(2);
      if (attribute.is_text() && attribute.as_string().find(',') != std::string::npos) {
        std::vector<Value> keys;
        std::string_view rest = attribute.as_string();
        while (true) {
          const std::size_t comma = rest.find(',');
          Value part = attribute_path(evaluator, item, Value::text(std::string(rest.substr(0, comma))));
          keys.push_back(keep_case ? part : ignore_case(part));
          if (comma == std::string_view::npos) break;
          rest.remove_prefix(comma + 1);
        }
        key = Value::list(std::move(keys));
      } else {
        key = attribute_path(evaluator, item, attribute);
      }
    }
    keyed.emplace_back(keep_case ? key : ignore_case(key), std::move(item));
  }
  sort_values(evaluator, keyed, reader.flag(0, false));
  std::vector<Value> sorted;
  for (auto& item : keyed) sorted.push_back(std::move(item.second));
  return Value::list(std::move(sorted));
}

Value dictsort_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("dictsort", args, {"case_sensitive", "by", "reverse"});
  const std::string by = reader.text(1, "key");
  if (by != "key" && by != "value") fail("dictsort: by must be 'key' or 'value'");
  self.require_defined();
  if (!self.is_dict()) fail("dictsort needs a mapping, not " + self.type_name());
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, value] : self.as_dict().entries()) {
    const Value& order = by == "key" ? key : value;
    keyed.emplace_back(reader.flag(0, false) ? order : ignore_case(order), Value::tuple({key, value}));
  }
  sort_values(evaluator, keyed, reader.flag(2, false));
  std::vector<Value> sorted;
  for (auto& item : keyed) sorted.push_back(std::move(item.second));
  return Value::list(std::move(sorted));
}

Value unique_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("unique", args, {"case_sensitive", "attribute"});
  std::set<std::string> seen;
  std::vector<Value> kept;
  for (Value& item : evaluator.iterate(self)) {
    Value key = reader.has(1) && !reader.required(1).is_none() ? attribute_path(evaluator, item, reader.required(1)) : item;
    evaluator.charge(key.weight());
    if (seen.insert(key_text(reader.flag(0, false) ? key : ignore_case(key))).second) kept.push_back(std::move(item));
  }
  return Value::generator(std::move(kept));
}

Value extreme(Evaluator& evaluator, const Value& self, const CallArgs& args, bool want_largest) {
  const ArgReader reader(want_largest ? "max" : "min", args, {"case_sensitive", "attribute"});
  const auto key = [&](const Value& item) {
    const Value part =
        reader.has(1) && !reader.required(1).is_none() ? attribute_path(evaluator, item, reader.required(1)) : item;
    return reader.flag(0, false) ? part : ignore_case(part);
  };
  std::optional<Value> best;
  for (Value& item : evaluator.iterate(self)) {
    evaluator.charge(item.weight());
    if (!best || (want_largest ? less(key(*best), key(item)) : less(key(item), key(*best)))) best = std::move(item);
  }
  return best ? *best : Value::undefined("no aggregated item, the sequence was empty");
}
Value min_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return extreme(evaluator, self, args, false);
}
Value max_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return extreme(evaluator, self, args, true);
}

Value sum_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("sum", args, {"attribute", "start"});
  Value sum = reader.value_or(1, Value::integer(0));
  for (const Value& item : evaluator.iterate(self)) {
    const bool by_attribute = reader.has(0) && !reader.required(0).is_none();
    sum = arithmetic(evaluator, "+", sum, by_attribute ? attribute_path(evaluator, item, reader.required(0)) : item);
  }
  return sum;
}

std::optional<Value> take_named(CallArgs& args, std::string_view name) {
  for (auto item = args.named.begin(); item != args.named.end(); ++item) {
    if (item->first != name) continue;
    Value value = std::move(item->second);
    args.named.erase(item);
    return value;
  }
  return std::nullopt;
}

Value map_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  std::vector<Value> mapped;
  if (args.positional.empty()) {
    const std::optional<Value> attribute = take_named(args, "attribute");
    const std::optional<Value> fallback = take_named(args, "default");
    if (!attribute) fail("map needs a filter name or attribute=");
    if (!args.named.empty()) fail("map has no argument '" + args.named.front().first + "'");
    for (const Value& item : evaluator.iterate(self)) {
      Value part = attribute_path(evaluator, item, *attribute);
      mapped.push_back(part.is_undefined() && fallback ? *fallback : part);
    }
    return Value::generator(std::move(mapped));
  }
  const Value name = args.positional.front();
  if (!name.is_text()) fail("map needs the name of a filter");
  args.positional.erase(args.positional.begin());
  for (const Value& item : evaluator.iterate(self)) {
    evaluator.charge(static_cast<std::int64_t>(args.positional.size() + args.named.size()));
    CallArgs copy = args;
    mapped.push_back(evaluator.apply_filter(name.as_string(), item, copy));
  }
  return Value::generator(std::move(mapped));
}

Value select_items(Evaluator& evaluator, const Value& self, CallArgs& args, bool by_attribute, bool keep_matches) {
  Value attribute;
  if (by_attribute) {
    if (args.positional.empty()) fail("selectattr and rejectattr need the name of an attribute");
    attribute = args.positional.front();
    args.positional.erase(args.positional.begin());
  }
  std::string test;
  if (!args.positional.empty()) {
    if (!args.positional.front().is_text()) fail("select and reject need the name of a test");
    test = args.positional.front().as_string();
    args.positional.erase(args.positional.begin());
  }
  std::vector<Value> kept;
  for (Value& item : evaluator.iterate(self)) {
    const Value subject = by_attribute ? attribute_path(evaluator, item, attribute) : item;
    evaluator.charge(1 + static_cast<std::int64_t>(args.positional.size() + args.named.size()));
    CallArgs copy = args;
    const bool matches = test.empty() ? subject.truthy() : evaluator.apply_test(test, subject, copy);
    if (matches == keep_matches) kept.push_back(std::move(item));
  }
  return Value::generator(std::move(kept));
}
template <bool kByAttribute, bool kKeepMatches>
Value select_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return select_items(evaluator, self, args, kByAttribute, kKeepMatches);
}

Value attr_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("attr", args, {"name"});
  evaluator.charge(reader.required(0).weight());
  const std::string name = to_text(reader.required(0));
  const Value found = get_attribute(self, name);
  // attr finds attributes only, never the keys of a dict.
  const bool is_key = self.is_dict() && !(found.is_object() && dynamic_cast<BoundMethod*>(&found.as_object()) != nullptr);
  return is_key ? Value::undefined("'dict object' has no attribute '" + name + "'") : found;
}

Value batch_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("batch", args, {"linecount", "fill_with"});
  reader.required(0);
  const std::int64_t size = reader.integer(0, 1);
  if (size < 1 || size > static_cast<std::int64_t>(kMaxRangeItems)) fail("batch: the size must be 1 or more");
  std::vector<Value> rows;
  std::vector<Value> row;
  for (Value& item : evaluator.iterate(self)) {
    row.push_back(std::move(item));
    if (static_cast<std::int64_t>(row.size()) == size) rows.push_back(Value::list(std::exchange(row, {})));
  }
  if (!row.empty()) {
    if (reader.has(1) && !reader.required(1).is_none()) row.resize(static_cast<std::size_t>(size), reader.required(1));
    evaluator.charge(static_cast<std::int64_t>(row.size()));
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::generator(std::move(rows));
}

Value groupby_filter(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("groupby", args, {"attribute", "default", "case_sensitive"});
  std::vector<std::pair<Value, Value>> keyed;
  for (Value& item : evaluator.iterate(self)) {
    Value key = attribute_path(evaluator, item, reader.required(0));
    if (key.is_undefined() && reader.has(1)) key = reader.required(1);
    keyed.emplace_back(reader.flag(2, false) ? key : ignore_case(key), std::move(item));
  }
  sort_values(evaluator, keyed, false);
  std::vector<Value> groups;
  for (std::size_t i = 0; i < keyed.size();) {
    std::vector<Value> members;
    // The group is named as its first member spells it.
    Value name = attribute_path(evaluator, keyed[i].second, reader.required(0));
    if (name.is_undefined() && reader.has(1)) name = reader.required(1);
    std::size_t end = i;
    for (; end < keyed.size() && equal(keyed[end].first, keyed[i].first); ++end) members.push_back(keyed[end].second);
    groups.push_back(Value::tuple({name, Value::list(std::move(members))}));
    i = end;
  }
  return Value::list(std::move(groups));
}

}  // namespace

// "a.b.0": attributes and indices, one after the other.
Value attribute_path(Evaluator& evaluator, const Value& value, const Value& path) {
  if (!path.is_text()) return get_item(evaluator, value, path);
  Value current = value;
  std::string_view rest = path.as_string();
  while (true) {
    evaluator.charge(1);
    const std::size_t dot = rest.find('.');
    const std::string part(rest.substr(0, dot));
    const bool is_index = !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    current = get_item(evaluator, current, is_index ? Value::integer(std::stoi(part)) : Value::text(part));
    if (dot == std::string_view::npos) return current;
    rest.remove_prefix(dot + 1);
  }
}

Function find_sequence_filter(std::string_view name) {
  static const std::map<std::string_view, Function> kFilters = {
      {"length", length_filter},
      {"count", length_filter},
      {"list", list_filter},
      {"items", items_filter},
      {"first", first_filter},
      {"last", last_filter},
      {"reverse", reverse_filter},
      {"default", default_filter},
      {"d", default_filter},
      {"sort", sort_filter},
      {"dictsort", dictsort_filter},
      {"unique", unique_filter},
      {"min", min_filter},
      {"max", max_filter},
      {"sum", sum_filter},
      {"map", map_filter},
      {"select", select_filter<false, true>},
      {"reject", select_filter<false, false>},
      {"selectattr", select_filter<true, true>},
      {"rejectattr", select_filter<true, false>},
      {"attr", attr_filter},
      {"batch", batch_filter},
      {"groupby", groupby_filter},
  };
  const auto place = kFilters.find(name);
  return place == kFilters.end() ? nullptr : place->second;
}

Function find_filter(std::string_view name) {
  const Function found = find_text_filter(name);
  return found != nullptr ? found : find_sequence_filter(name);
}

}  // namespace tandem::engine::jinja
