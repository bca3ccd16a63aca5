#include "engine/chat/jinja/evaluator.h"

#include <algorithm>

#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/objects.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {

DepthGuard::DepthGuard(int& depth, int limit, std::string_view what) : depth_(depth) {
  if (++depth_ > limit) {
    --depth_;
    fail_limit(std::string(what) + " nest deeper than " + std::to_string(limit));
  }
}

Evaluator::Evaluator(const Limits& limits, const Variables& variables)
    : limits_(limits), variables_(variables), steps_left_(limits.steps) {}

Evaluator::~Evaluator() {
  for (const auto& object : kept_objects_) object->release();
  for (const ScopePtr& scope : kept_scopes_) scope->variables.clear();
}

std::string Evaluator::render(const Body& body) {
  const auto scope = std::make_shared<Scope>();
  return capture(body, scope);
}

void Evaluator::charge(std::int64_t steps) {
  steps_left_ -= steps;
  if (steps_left_ < 0) fail_limit("rendering takes more than " + std::to_string(limits_.steps) + " steps");
}

void Evaluator::write(std::string_view text) {
  charge_text(text.size());
  if (output_->size() + text.size() > limits_.output_bytes) {
    fail_limit("the output grows beyond " + std::to_string(limits_.output_bytes) + " bytes");
  }
  output_->append(text);
}

std::string Evaluator::capture(const Body& body, const ScopePtr& scope) {
  std::string text;
  std::string* const outer = std::exchange(output_, &text);
  try {
    run(body, scope);
  } catch (...) {
    output_ = outer;
    throw;
  }
  output_ = outer;
  return text;
}

void Evaluator::keep_scope(const ScopePtr& scope) {
  if (kept_scopes_.empty() || kept_scopes_.back() != scope) kept_scopes_.push_back(scope);
}

Evaluator::Flow Evaluator::run(const Body& body, const ScopePtr& scope) {
  for (const StmtPtr& stmt : body) {
    const Flow flow = run(*stmt, scope);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::run(const Stmt& stmt, const ScopePtr& scope) {
  const DepthGuard guard(evaluation_depth_, kMaxEvaluationDepth, "statements and expressions");
  try {
    charge(1);
    return run_statement(stmt, scope);
  } catch (TemplateError& error) {
    if (error.line() == 0) error.set_line(stmt.line);
    throw;
  }
}

Evaluator::Flow Evaluator::run_statement(const Stmt& stmt, const ScopePtr& scope) {
  const auto inner_scope = [&] { return std::make_shared<Scope>(Scope{scope, {}}); };
  switch (stmt.kind) {
    case StmtKind::kText: write(stmt.text); return Flow::kNext;
    case StmtKind::kOutput: write(to_text(evaluate(*stmt.value, scope))); return Flow::kNext;
    case StmtKind::kIf: return run_if(stmt, scope);
    case StmtKind::kFor: run_for(stmt, scope, evaluate(*stmt.value, scope), 1); return Flow::kNext;
    case StmtKind::kSet: assign(*stmt.target, evaluate(*stmt.value, scope), scope); return Flow::kNext;
    case StmtKind::kSetBlock: run_set_block(stmt, scope); return Flow::kNext;
    case StmtKind::kMacro:
      keep_scope(scope);
      scope->variables[stmt.name] = Value::object(std::make_shared<MacroObject>(stmt, scope, false));
      return Flow::kNext;
    case StmtKind::kCallBlock: run_call_block(stmt, scope); return Flow::kNext;
    case StmtKind::kFilterBlock: {
      Value text = Value::text(capture(stmt.body, inner_scope()));
      write(to_text(filter_block_text(*stmt.filter, std::move(text), scope)));
      return Flow::kNext;
    }
    case StmtKind::kWith: return run_with(stmt, scope);
    case StmtKind::kScope: return run(stmt.body, inner_scope());
    case StmtKind::kInline: return run(stmt.body, scope);
    case StmtKind::kBreak: return Flow::kBreak;
    case StmtKind::kContinue: return Flow::kContinue;
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::run_if(const Stmt& stmt, const ScopePtr& scope) {
  for (const Branch& branch : stmt.branches) {
    if (evaluate(*branch.test, scope).truthy()) return run(branch.body, scope);
  }
  return run(stmt.otherwise, scope);
}

void Evaluator::run_for(const Stmt& stmt, const ScopePtr& scope, const Value& iterable, int depth) {
  std::vector<Value> items = iterate(iterable);
  if (stmt.test != nullptr) {
    std::vector<Value> kept;
    for (Value& item : items) {
      const auto test_scope = std::make_shared<Scope>(Scope{scope, {}});
      assign(*stmt.target, item, test_scope);
      if (evaluate(*stmt.test, test_scope).truthy()) kept.push_back(std::move(item));
    }
    items = std::move(kept);
  }
  const auto loop = std::make_shared<LoopObject>(stmt, scope, std::move(items), depth);
  const auto keep_if_stored = [&] {
    if (loop.use_count() > 1) keep_object(loop);
  };
  try {
    for (std::size_t i = 0; i < loop->items().size(); ++i) {
      charge(1);
      loop->move_to(i);
      const auto body_scope = std::make_shared<Scope>(Scope{scope, {}});
      body_scope->variables.emplace("loop", Value::object(loop));
      assign(*stmt.target, loop->items()[i], body_scope);
      if (run(stmt.body, body_scope) == Flow::kBreak) break;
    }
  } catch (...) {
    keep_if_stored();
    throw;
  }
  keep_if_stored();
  if (loop->items().empty()) run(stmt.otherwise, std::make_shared<Scope>(Scope{scope, {}}));
}

std::string Evaluator::run_loop_again(const Stmt& loop, const ScopePtr& scope, const Value& items, int depth) {
  const DepthGuard guard(call_depth_, kMaxCallDepth, "macro calls and recursive loops");
  std::string text;
  std::string* const outer = std::exchange(output_, &text);
  try {
    run_for(loop, scope, items, depth);
  } catch (...) {
    output_ = outer;
    throw;
  }
  output_ = outer;
  return text;
}

void Evaluator::run_set_block(const Stmt& stmt, const ScopePtr& scope) {
  Value value = Value::text(capture(stmt.body, std::make_shared<Scope>(Scope{scope, {}})));
  if (stmt.filter != nullptr) value = filter_block_text(*stmt.filter, std::move(value), scope);
  assign(*stmt.target, value, scope);
}

void Evaluator::run_call_block(const Stmt& stmt, const ScopePtr& scope) {
  keep_scope(scope);
  const Value caller = Value::object(std::make_shared<MacroObject>(stmt, scope, true));
  write(to_text(evaluate_call(*stmt.value, scope, &caller)));
}

Evaluator::Flow Evaluator::run_with(const Stmt& stmt, const ScopePtr& scope) {
  const auto inner = std::make_shared<Scope>(Scope{scope, {}});
  // Every value is computed outside the new scope.
  for (const auto& [target, value] : stmt.assignments) assign(*target, evaluate(*value, scope), inner);
  return run(stmt.body, inner);
}

void Evaluator::assign(const Expr& target, const Value& value, const ScopePtr& scope) {
  if (target.kind == ExprKind::kName) {
    scope->variables[target.name] = value;
    return;
  }
  if (target.kind == ExprKind::kNamespaceRef) {
    const Value object = evaluate_name(target, scope);
    auto* const space = object.is_object() ? dynamic_cast<NamespaceObject*>(&object.as_object()) : nullptr;
    if (space == nullptr) {
      fail("cannot assign attribute '" + target.attribute + "' of '" + target.name + "': only a namespace's can be assigned");
    }
    space->set(target.attribute, value);
    return;
  }
  const std::vector<Value> items = iterate(value);
  if (items.size() != target.children.size()) {
    fail((items.size() < target.children.size() ? "not enough" : "too many") + std::string(" values to unpack: expected ") +
         std::to_string(target.children.size()) + ", got " + std::to_string(items.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) assign(*target.children[i], items[i], scope);
}

std::vector<Value> Evaluator::iterate(const Value& value) {
  std::vector<Value> items;
  if (value.is_undefined()) return items;
  if (value.is_sequence()) {
    items = value.as_sequence().take();
  } else if (value.is_dict()) {
    for (const auto& entry : value.as_dict().entries()) items.push_back(entry.first);
  } else if (value.is_text()) {
    const std::string& text = value.as_string();
    if (value.as_text().num_code_points > kMaxSequenceItems) {
      fail_limit("a loop over a text of more than " + std::to_string(kMaxSequenceItems) + " characters");
    }
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t start = i;
      next_code_point(text, i);
      items.push_back(Value::text(text.substr(start, i - start)));
    }
  } else {
    fail("'" + value.type_name() + "' object is not iterable");
  }
  charge(static_cast<std::int64_t>(items.size()));
  return items;
}

// Every function may walk through all the text it is given.
void Evaluator::charge_texts(const CallArgs& args) {
  for (const Value& value : args.positional) charge(value.is_text() ? value.weight() : 0);
  for (const auto& [name, value] : args.named) charge(value.is_text() ? value.weight() : 0);
}

Value Evaluator::call(const Value& callee, CallArgs& args) {
  callee.require_defined();
  if (!callee.is_object()) fail("'" + callee.type_name() + "' object is not callable");
  charge(1);
  charge_texts(args);
  Value result = callee.as_object().call(*this, args);
  charge(result.is_text() ? result.weight() : 0);
  return result;
}

Value Evaluator::apply_filter(std::string_view name, const Value& input, CallArgs& args) {
  const Function filter = find_filter(name);
  if (filter == nullptr) fail("there is no filter '" + std::string(name) + "'");
  // map applies filters too, and one of them may be map.
  const DepthGuard guard(evaluation_depth_, kMaxEvaluationDepth, "statements and expressions");
  charge(input.is_text() ? input.weight() : 1);
  charge_texts(args);
  Value result = filter(*this, input, args);
  charge(result.is_text() ? result.weight() : 0);
  return result;
}

bool Evaluator::apply_test(std::string_view name, const Value& input, CallArgs& args) {
  const Function test = find_test(name);
  if (test == nullptr) fail("there is no test '" + std::string(name) + "'");
  charge(input.is_text() ? input.weight() : 0);
  charge_texts(args);
  return test(*this, input, args).truthy();
}

std::string Evaluator::call_macro(const Stmt& macro, const ScopePtr& closure, CallArgs& args, bool is_caller) {
  const DepthGuard guard(call_depth_, kMaxCallDepth, "macro calls and recursive loops");
  const std::string what = is_caller ? "caller" : "macro '" + macro.name + "'";
  const auto scope = std::make_shared<Scope>(Scope{closure, {}});
  auto& variables = scope->variables;
  auto& named = args.named;
  const auto take_named = [&](std::string_view name) -> std::optional<Value> {
    const auto place = std::find_if(named.begin(), named.end(), [&](const auto& item) { return item.first == name; });
    if (place == named.end()) return std::nullopt;
    Value value = std::move(place->second);
    named.erase(place);
    return value;
  };
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    std::optional<Value> given;
    if (i < args.positional.size()) given = args.positional[i];
    if (std::optional<Value> by_name = take_named(parameter.name)) {
      if (given) fail(what + " got two values for the argument '" + parameter.name + "'");
      given = std::move(by_name);
    }
    if (!given && parameter.fallback != nullptr) given = evaluate(*parameter.fallback, scope);
    if (!given) given = Value::undefined("parameter '" + parameter.name + "' was not provided");
    variables[parameter.name] = std::move(*given);
  }
  std::optional<Value> caller = take_named("caller");
  if (macro.reads_caller) {
    variables["caller"] = caller ? std::move(*caller) : Value::undefined("no caller is defined: this is not a call block");
  } else if (caller && !is_caller) {
    fail(what + " is used in a call block but does not call caller()");
  }
  if (macro.reads_kwargs) {
    const auto rest = std::make_shared<Dict>();
    for (auto& [name, value] : named) rest->set(Value::text(name), std::move(value));
    variables["kwargs"] = Value::dict(rest);
  } else if (!named.empty()) {
    fail(what + " takes no keyword argument '" + named.front().first + "'");
  }
  const std::size_t num_bound = std::min(args.positional.size(), macro.parameters.size());
  if (macro.reads_varargs) {
    variables["varargs"] =
        Value::tuple({args.positional.begin() + static_cast<std::ptrdiff_t>(num_bound), args.positional.end()});
  } else if (num_bound < args.positional.size()) {
    fail(what + " takes not more than " + std::to_string(macro.parameters.size()) + " argument(s)");
  }
  return capture(macro.body, scope);
}

}  // namespace tandem::engine::jinja
