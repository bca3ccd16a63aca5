#include <cmath>

#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

[[noreturn]] void fail_operands(std::string_view op, const Value& left, const Value& right) {
  fail("unsupported operand types for " + std::string(op) + ": '" + left.type_name() + "' and '" + right.type_name() + "'");
}
[[noreturn]] void fail_overflow() {
  fail_limit("an integer grows beyond 127 bits");
}

// Rounds towards minus infinity, as Python does; the remainder has the divisor's sign.
Int floor_divide(Int left, Int right) {
  if (right == 0) fail("integer division or modulo by zero");
  if (right == -1) {
    Int result;
    if (__builtin_sub_overflow(Int{0}, left, &result)) fail_overflow();
    return result;
  }
  const Int quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Int floor_modulo(Int left, Int right) {
  if (right == 0) fail("integer division or modulo by zero");
  if (right == -1) return 0;
  const Int rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

Value integer_power(Int base, Int exponent) {
  if (exponent < 0) {
    if (base == 0) fail("0 cannot be raised to a negative power");
    return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  Int result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) fail_overflow();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) fail_overflow();
  }
  return Value::integer(result);
}

Value integer_arithmetic(std::string_view op, Int left, Int right) {
  Int result = 0;
  if (op == "+") {
    if (__builtin_add_overflow(left, right, &result)) fail_overflow();
  } else if (op == "-") {
    if (__builtin_sub_overflow(left, right, &result)) fail_overflow();
  } else if (op == "*") {
    if (__builtin_mul_overflow(left, right, &result)) fail_overflow();
  } else if (op == "//") {
    result = floor_divide(left, right);
  } else if (op == "%") {
    result = floor_modulo(left, right);
  } else if (op == "/") {
    if (right == 0) fail("division by zero");
    return Value::real(static_cast<double>(left) / static_cast<double>(right));
  } else {
    return integer_power(left, right);
  }
  return Value::integer(result);
}

Value real_arithmetic(std::string_view op, double left, double right) {
  if (op == "+") return Value::real(left + right);
  if (op == "-") return Value::real(left - right);
  if (op == "*") return Value::real(left * right);
  if (op == "**") return Value::real(std::pow(left, right));
  if (right == 0.0) fail(op == "/" ? "float division by zero" : "float floor division or modulo by zero");
  if (op == "/") return Value::real(left / right);
  double rest = std::fmod(left, right);
  if (rest != 0.0 && (rest < 0.0) != (right < 0.0)) rest += right;
  if (op == "%") return Value::real(rest);
  return Value::real(std::floor(left / right));
}

Value repeated(Evaluator& evaluator, const Value& value, Int count) {
  if (count < 0) count = 0;
  if (value.is_text()) {
    const std::string& text = value.as_string();
    if (!text.empty() && count > static_cast<Int>(kMaxStringBytes / text.size())) {
      fail_limit("a text is repeated beyond " + std::to_string(kMaxStringBytes) + " bytes");
    }
    std::string out;
    if (text.empty()) return Value::text("");
    evaluator.charge_text(text.size() * static_cast<std::size_t>(count));
    out.reserve(text.size() * static_cast<std::size_t>(count));
    for (Int i = 0; i < count; ++i) out += text;
    return Value::text(std::move(out), value.as_text().is_markup);
  }
  const auto& items = value.as_sequence().items();
  if (!items.empty() && count > static_cast<Int>(kMaxSequenceItems / items.size())) {
    fail_limit("a list is repeated beyond " + std::to_string(kMaxSequenceItems) + " items");
  }
  std::vector<Value> out;
  if (!items.empty()) {
    evaluator.charge(static_cast<std::int64_t>(items.size()) * static_cast<std::int64_t>(count));
    for (Int i = 0; i < count; ++i) out.insert(out.end(), items.begin(), items.end());
  }
  return Value::sequence(std::make_shared<Sequence>(value.as_sequence().kind(), std::move(out)));
}

bool is_repeatable(const Value& value) {
  if (value.is_text()) return true;
  if (!value.is_sequence()) return false;
  const auto kind = value.as_sequence().kind();
  return kind == Sequence::Kind::kList || kind == Sequence::Kind::kTuple;
}

Value joined(Evaluator& evaluator, const Value& left, const Value& right) {
  if (left.is_text() && right.is_text()) {
    const bool is_markup = left.as_text().is_markup || right.as_text().is_markup;
    const auto part = [&](const Value& value) {
      return is_markup && !value.as_text().is_markup ? html_escaped(value.as_string()) : value.as_string();
    };
    Value result = Value::text(is_markup ? part(left) + part(right) : left.as_string() + right.as_string(), is_markup);
    evaluator.charge_text(result.as_string().size());
    return result;
  }
  if (!left.is_sequence() || !right.is_sequence() || !is_repeatable(left) || !is_repeatable(right) ||
      left.as_sequence().kind() != right.as_sequence().kind()) {
    fail_operands("+", left, right);
  }
  std::vector<Value> items = left.as_sequence().items();
  items.insert(items.end(), right.as_sequence().items().begin(), right.as_sequence().items().end());
  evaluator.charge(static_cast<std::int64_t>(items.size()));
  return Value::sequence(std::make_shared<Sequence>(left.as_sequence().kind(), std::move(items)));
}

}  // namespace

Value arithmetic(Evaluator& evaluator, std::string_view op, const Value& left, const Value& right) {
  left.require_defined();
  if (op == "%" && left.is_text()) return Value::text(percent_format(evaluator, left.as_string(), right));
  right.require_defined();
  if (left.is_number() && right.is_number()) {
    if (left.is_float() || right.is_float()) return real_arithmetic(op, left.as_double(), right.as_double());
    return integer_arithmetic(op, left.as_int(), right.as_int());
  }
  if (op == "+") return joined(evaluator, left, right);
  if (op == "*") {
    if (is_repeatable(left) && (right.is_int() || right.is_bool())) return repeated(evaluator, left, right.as_int());
    if (is_repeatable(right) && (left.is_int() || left.is_bool())) return repeated(evaluator, right, left.as_int());
  }
  fail_operands(op, left, right);
}

}  // namespace tandem::engine::jinja
