#include <algorithm>

#include "engine/chat/jinja/evaluator.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/objects.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {

Value Evaluator::evaluate(const Expr& expr, const ScopePtr& scope) {
  const DepthGuard guard(evaluation_depth_, kMaxEvaluationDepth, "statements and expressions");
  try {
    charge(1);
    return evaluate_node(expr, scope);
  } catch (TemplateError& error) {
    if (error.line() == 0) error.set_line(expr.line);
    throw;
  }
}

Value Evaluator::evaluate_node(const Expr& expr, const ScopePtr& scope) {
  const auto child = [&](std::size_t i) { return evaluate(*expr.children[i], scope); };
  switch (expr.kind) {
    case ExprKind::kConstant: return expr.value;
    case ExprKind::kName:
    case ExprKind::kNamespaceRef: return evaluate_name(expr, scope);
    case ExprKind::kList:
    case ExprKind::kTuple: {
      std::vector<Value> items;
      items.reserve(expr.children.size());
      for (const ExprPtr& item : expr.children) items.push_back(evaluate(*item, scope));
      return expr.kind == ExprKind::kList ? Value::list(std::move(items)) : Value::tuple(std::move(items));
    }
    case ExprKind::kDict: return evaluate_dict(expr, scope);
    case ExprKind::kAttribute: return get_attribute(child(0), expr.name);
    case ExprKind::kSubscript: return evaluate_subscript(expr, scope);
    case ExprKind::kSlice: fail("a slice stands outside a subscript");
    case ExprKind::kCall: return evaluate_call(expr, scope, nullptr);
    case ExprKind::kFilter: {
      const Value input = child(0);
      CallArgs args = evaluate_arguments(expr.arguments, scope);
      return apply_filter(expr.name, input, args);
    }
    case ExprKind::kTest: {
      const Value input = child(0);
      CallArgs args = evaluate_arguments(expr.arguments, scope);
      return Value::boolean(apply_test(expr.name, input, args));
    }
    case ExprKind::kUnary: return evaluate_unary(expr, scope);
    case ExprKind::kBinary: {
      const Value left = child(0);
      return arithmetic(*this, expr.name, left, child(1));
    }
    case ExprKind::kConcat: return evaluate_concat(expr, scope);
    case ExprKind::kCompare: return evaluate_compare(expr, scope);
    case ExprKind::kAnd: {
      Value left = child(0);
      return left.truthy() ? child(1) : left;
    }
    case ExprKind::kOr: {
      Value left = child(0);
      return left.truthy() ? left : child(1);
    }
    case ExprKind::kConditional: return evaluate_conditional(expr, scope);
  }
  return Value();
}

Value Evaluator::evaluate_name(const Expr& expr, const ScopePtr& scope) const {
  for (const Scope* level = scope.get(); level != nullptr; level = level->parent.get()) {
    const auto place = level->variables.find(expr.name);
    if (place != level->variables.end()) return place->second;
  }
  const auto place = variables_.find(expr.name);
  if (place != variables_.end()) return place->second;
  if (std::optional<Value> global = find_global(expr.name)) return *global;
  return Value::undefined("'" + expr.name + "' is undefined");
}

Value Evaluator::evaluate_dict(const Expr& expr, const ScopePtr& scope) {
  const auto dict = std::make_shared<Dict>();
  for (std::size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    Value key = evaluate(*expr.children[i], scope);
    charge(key.weight());
    dict->set(std::move(key), evaluate(*expr.children[i + 1], scope));
  }
  return Value::dict(dict);
}

Value Evaluator::evaluate_subscript(const Expr& expr, const ScopePtr& scope) {
  const Value object = evaluate(*expr.children[0], scope);
  const Expr& index = *expr.children[1];
  if (index.kind != ExprKind::kSlice) {
    const Value key = evaluate(index, scope);
    charge(key.weight());
    return get_item(*this, object, key);
  }
  const auto part = [&](std::size_t i) { return index.children[i] == nullptr ? Value() : evaluate(*index.children[i], scope); };
  const Value start = part(0);
  const Value stop = part(1);
  return get_slice(*this, object, start, stop, part(2));
}

CallArgs Evaluator::evaluate_arguments(const Arguments& arguments, const ScopePtr& scope) {
  CallArgs args;
  for (const ExprPtr& argument : arguments.positional) args.positional.push_back(evaluate(*argument, scope));
  for (const auto& [name, argument] : arguments.named) args.named.emplace_back(name, evaluate(*argument, scope));
  if (arguments.rest_positional != nullptr) {
    for (Value& item : iterate(evaluate(*arguments.rest_positional, scope))) args.positional.push_back(std::move(item));
  }
  if (arguments.rest_named != nullptr) {
    const Value rest = evaluate(*arguments.rest_named, scope);
    if (!rest.is_dict()) fail("the argument after ** must be a dict, not " + rest.type_name());
    charge(static_cast<std::int64_t>(rest.as_dict().size()));
    for (const auto& [key, value] : rest.as_dict().entries()) {
      if (!key.is_text()) fail("argument names must be strings");
      args.named.emplace_back(key.as_string(), value);
    }
  }
  return args;
}

Value Evaluator::evaluate_call(const Expr& expr, const ScopePtr& scope, const Value* caller) {
  const Value callee = evaluate(*expr.children[0], scope);
  CallArgs args = evaluate_arguments(expr.arguments, scope);
  if (caller != nullptr) args.named.emplace_back("caller", *caller);
  return call(callee, args);
}

// Filters of a filter or set block: the innermost has no input of its own and gets the block's text.
Value Evaluator::filter_block_text(const Expr& filter, Value text, const ScopePtr& scope) {
  if (filter.children[0] != nullptr) text = filter_block_text(*filter.children[0], std::move(text), scope);
  CallArgs args = evaluate_arguments(filter.arguments, scope);
  return apply_filter(filter.name, text, args);
}

Value Evaluator::evaluate_unary(const Expr& expr, const ScopePtr& scope) {
  const Value operand = evaluate(*expr.children[0], scope);
  if (expr.name == "not") return Value::boolean(!operand.truthy());
  operand.require_defined();
  if (!operand.is_number()) fail("bad operand type for unary " + expr.name + ": '" + operand.type_name() + "'");
  if (expr.name == "+") return operand.is_bool() ? Value::integer(operand.as_int()) : operand;
  return operand.is_float() ? Value::real(-operand.as_double()) : arithmetic(*this, "-", Value::integer(0), operand);
}

Value Evaluator::evaluate_concat(const Expr& expr, const ScopePtr& scope) {
  std::string text;
  for (const ExprPtr& part : expr.children) {
    text += to_text(evaluate(*part, scope));
    if (text.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  }
  charge_text(text.size());
  return Value::text(std::move(text));
}

Value Evaluator::evaluate_compare(const Expr& expr, const ScopePtr& scope) {
  Value left = evaluate(*expr.children[0], scope);
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    const std::string& op = expr.operators[i];
    Value right = evaluate(*expr.children[i + 1], scope);
    charge(std::min(left.weight(), right.weight()));
    bool holds = false;
    if (op == "==") {
      holds = equal(left, right);
    } else if (op == "!=") {
      holds = !equal(left, right);
    } else if (op == "<") {
      holds = less(left, right, op);
    } else if (op == ">") {
      holds = less(right, left, op);
    } else if (op == "<=") {
      holds = less(left, right, op) || equal(left, right);
    } else if (op == ">=") {
      holds = less(right, left, op) || equal(left, right);
    } else {
      holds = contains(right, left) == (op == "in");
    }
    if (!holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

bool Evaluator::contains(const Value& container, const Value& item) {
  if (container.is_text()) {
    item.require_defined();
    if (!item.is_text()) fail("'in <string>' requires a string on the left, not " + item.type_name());
    charge_text(container.as_string().size() + item.as_string().size());
    return find_text(container.as_string(), item.as_string()) != std::string::npos;
  }
  charge(item.weight());
  if (container.is_dict()) return container.as_dict().find(item) != nullptr;
  if (!container.is_sequence() && !container.is_undefined()) {
    fail("argument of type '" + container.type_name() + "' is not iterable");
  }
  const std::vector<Value> items = iterate(container);
  return std::any_of(items.begin(), items.end(), [&](const Value& other) {
    charge(std::min(other.weight(), item.weight()));
    return equal(other, item);
  });
}

Value Evaluator::evaluate_conditional(const Expr& expr, const ScopePtr& scope) {
  if (evaluate(*expr.children[0], scope).truthy()) return evaluate(*expr.children[1], scope);
  if (expr.children[2] != nullptr) return evaluate(*expr.children[2], scope);
  return Value::undefined("the inline if-expression has no else branch and its condition is false");
}

}  // namespace tandem::engine::jinja
