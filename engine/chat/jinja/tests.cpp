// The tests of `is`.
#include <algorithm>
#include <map>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

Value yes(bool value) {
  return Value::boolean(value);
}

Value is_defined(Evaluator&, const Value& self, CallArgs&) {
  return yes(!self.is_undefined());
}
Value is_undefined(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_undefined());
}
Value is_none(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_none());
}
Value is_true(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_bool() && self.as_bool());
}
Value is_false(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_bool() && !self.as_bool());
}
Value is_boolean(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_bool());
}
Value is_integer(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_int());
}
Value is_float(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_float());
}
Value is_number(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_number());
}
Value is_string(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text());
}
Value is_mapping(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_dict());
}
Value is_callable(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_object() && self.as_object().is_callable());
}
// A dict counts as a sequence, for it has a length and takes a subscript; so does an undefined value.
Value is_sequence(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text() || self.is_dict() || self.is_undefined() || (self.is_sequence() && self.as_sequence().has_index()));
}
Value is_iterable(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text() || self.is_dict() || self.is_undefined() || self.is_sequence());
}
Value is_escaped(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text() && self.as_text().is_markup);
}

Int remainder(Evaluator& evaluator, const Value& self, const Value& divisor) {
  const Value rest = arithmetic(evaluator, "%", self, divisor);
  if (rest.is_float()) return rest.as_double() == 0.0 ? 0 : rest.as_double() == 1.0 ? 1 : 2;
  return rest.is_number() ? rest.as_int() : 2;
}
Value is_odd(Evaluator& evaluator, const Value& self, CallArgs&) {
  return yes(remainder(evaluator, self, Value::integer(2)) == 1);
}
Value is_even(Evaluator& evaluator, const Value& self, CallArgs&) {
  return yes(remainder(evaluator, self, Value::integer(2)) == 0);
}
Value is_divisible(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("divisibleby", args, {"num"});
  return yes(remainder(evaluator, self, reader.required(0)) == 0);
}

Value is_lower_text(Evaluator& evaluator, const Value& self, CallArgs&) {
  evaluator.charge(self.weight());
  const std::string text = to_text(self);
  return yes(to_lower(text) == text && to_upper(text) != text);
}
Value is_upper_text(Evaluator& evaluator, const Value& self, CallArgs&) {
  evaluator.charge(self.weight());
  const std::string text = to_text(self);
  return yes(to_upper(text) == text && to_lower(text) != text);
}

Value is_equal(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("equalto", args, {"other"});
  evaluator.charge(std::min(self.weight(), reader.required(0).weight()));
  return yes(equal(self, reader.required(0)));
}
Value is_not_equal(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return yes(!is_equal(evaluator, self, args).truthy());
}
// Charges for a comparison with the one argument and gives that.
const Value& compared(Evaluator& evaluator, const Value& self, const ArgReader& reader) {
  const Value& other = reader.required(0);
  evaluator.charge(std::min(self.weight(), other.weight()));
  return other;
}
Value is_less(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("lessthan", args, {"other"});
  return yes(less(self, compared(evaluator, self, reader)));
}
Value is_greater(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("greaterthan", args, {"other"});
  return yes(less(compared(evaluator, self, reader), self, ">"));
}
Value is_at_most(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("le", args, {"other"});
  const Value& other = compared(evaluator, self, reader);
  return yes(less(self, other, "<=") || equal(self, other));
}
Value is_at_least(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const ArgReader reader("ge", args, {"other"});
  const Value& other = compared(evaluator, self, reader);
  return yes(less(other, self, ">=") || equal(self, other));
}
Value is_in(Evaluator& evaluator, const Value& self, CallArgs& args) {
  return yes(evaluator.contains(ArgReader("in", args, {"seq"}).required(0), self));
}
Value is_same(Evaluator& evaluator, const Value& self, CallArgs& args) {
  const Value& other = ArgReader("sameas", args, {"other"}).required(0);
  if (self.is_sequence() && other.is_sequence()) return yes(&self.as_sequence() == &other.as_sequence());
  if (self.is_dict() && other.is_dict()) return yes(&self.as_dict() == &other.as_dict());
  evaluator.charge(std::min(self.weight(), other.weight()));
  return yes(self.type_name() == other.type_name() && equal(self, other));
}

Value is_filter(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text() && find_filter(self.as_string()) != nullptr);
}
Value is_test(Evaluator&, const Value& self, CallArgs&) {
  return yes(self.is_text() && find_test(self.as_string()) != nullptr);
}

}  // namespace

Function find_test(std::string_view name) {
  static const std::map<std::string_view, Function> kTests = {
      {"defined", is_defined},
      {"undefined", is_undefined},
      {"none", is_none},
      {"true", is_true},
      {"false", is_false},
      {"boolean", is_boolean},
      {"integer", is_integer},
      {"float", is_float},
      {"number", is_number},
      {"string", is_string},
      {"mapping", is_mapping},
      {"callable", is_callable},
      {"sequence", is_sequence},
      {"iterable", is_iterable},
      {"escaped", is_escaped},
      {"odd", is_odd},
      {"even", is_even},
      {"divisibleby", is_divisible},
      {"lower", is_lower_text},
      {"upper", is_upper_text},
      {"equalto", is_equal},
      {"eq", is_equal},
      {"==", is_equal},
      {"ne", is_not_equal},
      {"!=", is_not_equal},
      {"lessthan", is_less},
      {"lt", is_less},
      {"<", is_less},
      {"greaterthan", is_greater},
      {"gt", is_greater},
      {">", is_greater},
      {"le", is_at_most},
      {"<=", is_at_most},
      {"ge", is_at_least},
      {">=", is_at_least},
      {"in", is_in},
      {"sameas", is_same},
      {"filter", is_filter},
      {"test", is_test},
  };
  const auto place = kTests.find(name);
  return place == kTests.end() ? nullptr : place->second;
}

}  // namespace tandem::engine::jinja
