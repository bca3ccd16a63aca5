// Evaluator: one render of a syntax tree. Walks the tree, writes text, and stops at the first error or limit.
//
// Scopes follow Jinja: `for`, `with`, macros, and set, filter, call and generation blocks open one; `if` does not. A name is
// looked up in the scopes that enclose it in the source, then in the render's variables, then among the globals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Variables = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

struct Scope {
  std::shared_ptr<Scope> parent;
  Variables variables;
};
using ScopePtr = std::shared_ptr<Scope>;

// Counts one level of `depth` while it lives; throws at `limit`.
class DepthGuard {
 public:
  DepthGuard(int& depth, int limit, std::string_view what);
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

// Used for one render, then dropped; not shared between threads.
class Evaluator {
 public:
  // `variables` must stay valid during render().
  Evaluator(const Limits& limits, const Variables& variables);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Throws TemplateError, always with a line.
  std::string render(const Body& body);

  // For filters, functions and methods.
  void charge(std::int64_t steps);
  void charge_text(std::size_t bytes) { charge(1 + static_cast<std::int64_t>(bytes) / kBytesPerStep); }
  // Held while an object prints what it holds, which may be itself.
  DepthGuard guard_print() { return {print_depth_, kMaxPrintDepth, "printed namespaces"}; }
  Value call(const Value& callee, CallArgs& args);
  Value apply_filter(std::string_view name, const Value& input, CallArgs& args);
  bool apply_test(std::string_view name, const Value& input, CallArgs& args);
  // `item in container`.
  bool contains(const Value& container, const Value& item);
  // The items `for` would see; throws for values that do not iterate.
  std::vector<Value> iterate(const Value& value);
  // Keeps an object that can hold others until the render ends, then calls its release().
  void keep_object(std::shared_ptr<Object> object) { kept_objects_.push_back(std::move(object)); }
  std::string call_macro(const Stmt& macro, const ScopePtr& closure, CallArgs& args, bool is_caller);
  std::string run_loop_again(const Stmt& loop, const ScopePtr& scope, const Value& items, int depth);

 private:
  enum class Flow { kNext, kBreak, kContinue };

  // evaluator.cpp: statements
  Flow run(const Body& body, const ScopePtr& scope);
  Flow run(const Stmt& stmt, const ScopePtr& scope);
  Flow run_statement(const Stmt& stmt, const ScopePtr& scope);
  Flow run_if(const Stmt& stmt, const ScopePtr& scope);
  void run_for(const Stmt& stmt, const ScopePtr& scope, const Value& items, int depth);
  void run_set_block(const Stmt& stmt, const ScopePtr& scope);
  void run_call_block(const Stmt& stmt, const ScopePtr& scope);
  Flow run_with(const Stmt& stmt, const ScopePtr& scope);
  std::string capture(const Body& body, const ScopePtr& scope);
  void assign(const Expr& target, const Value& value, const ScopePtr& scope);
  void write(std::string_view text);
  void charge_texts(const CallArgs& args);
  void keep_scope(const ScopePtr& scope);

  // evaluator_expressions.cpp
  Value evaluate(const Expr& expr, const ScopePtr& scope);
  Value evaluate_node(const Expr& expr, const ScopePtr& scope);
  Value evaluate_name(const Expr& expr, const ScopePtr& scope) const;
  Value evaluate_subscript(const Expr& expr, const ScopePtr& scope);
  Value evaluate_call(const Expr& expr, const ScopePtr& scope, const Value* caller);
  Value filter_block_text(const Expr& filter, Value text, const ScopePtr& scope);
  Value evaluate_unary(const Expr& expr, const ScopePtr& scope);
  Value evaluate_concat(const Expr& expr, const ScopePtr& scope);
  Value evaluate_compare(const Expr& expr, const ScopePtr& scope);
  Value evaluate_conditional(const Expr& expr, const ScopePtr& scope);
  Value evaluate_dict(const Expr& expr, const ScopePtr& scope);
  CallArgs evaluate_arguments(const Arguments& arguments, const ScopePtr& scope);

  const Limits& limits_;
  const Variables& variables_;
  std::string* output_ = nullptr;
  std::int64_t steps_left_;
  int evaluation_depth_ = 0;
  int call_depth_ = 0;
  int print_depth_ = 0;
  std::vector<std::shared_ptr<Object>> kept_objects_;
  std::vector<ScopePtr> kept_scopes_;  // scopes that macros refer to: a scope that holds its macro is a cycle
};

}  // namespace tandem::engine::jinja
