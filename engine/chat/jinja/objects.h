// The objects a template can hold: namespaces, loops, macros, bound methods, and the functions among the globals.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/evaluator.h"
#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

// A filter, a test (which returns a boolean) or a method: `self` is what it is applied to.
using Function = Value (*)(Evaluator&, const Value& self, CallArgs&);

class NamespaceObject : public Object {
 public:
  explicit NamespaceObject(Evaluator& evaluator) : evaluator_(evaluator) {}
  std::string type_name() const override { return "Namespace"; }
  std::string repr() const override;
  std::optional<Value> attribute(std::string_view name) const override;
  void set(const std::string& name, Value value);
  void release() override { variables_ = std::make_shared<Dict>(); }

 private:
  Evaluator& evaluator_;  // pays for printing: the namespace may hold itself, and its weight changes
  std::shared_ptr<Dict> variables_ = std::make_shared<Dict>();
};

// `loop` inside {% for %}.
class LoopObject : public Object {
 public:
  LoopObject(const Stmt& stmt, ScopePtr scope, std::vector<Value> items, int depth)
      : stmt_(stmt), scope_(std::move(scope)), items_(std::move(items)), depth_(depth) {}
  std::string type_name() const override { return "LoopContext"; }
  std::optional<Value> attribute(std::string_view name) const override;
  std::optional<std::size_t> length() const override { return items_.size(); }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, CallArgs& args) override;  // loop(items): one level deeper in a recursive loop
  void release() override;
  void move_to(std::size_t idx) { idx_ = idx; }
  const std::vector<Value>& items() const { return items_; }
  Value cycle(CallArgs& args) const;
  Value changed(CallArgs& args);

 private:
  const Stmt& stmt_;
  ScopePtr scope_;
  std::vector<Value> items_;
  int depth_;
  std::size_t idx_ = 0;
  std::optional<std::vector<Value>> last_changed_;
};

class MacroObject : public Object {
 public:
  MacroObject(const Stmt& stmt, ScopePtr closure, bool is_caller)
      : stmt_(stmt), closure_(std::move(closure)), is_caller_(is_caller) {}
  std::string type_name() const override { return "Macro"; }
  std::optional<Value> attribute(std::string_view name) const override;
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, CallArgs& args) override;

 private:
  const Stmt& stmt_;
  ScopePtr closure_;
  bool is_caller_;  // the body of a call block
};

// value.method, not called yet.
class BoundMethod : public Object {
 public:
  BoundMethod(Value self, std::string_view name, Function function)
      : self_(std::move(self)), name_(name), function_(function) {}
  std::string type_name() const override { return "builtin_function_or_method"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, CallArgs& args) override {
    evaluator.charge(self_.is_text() ? self_.weight() : 0);
    return function_(evaluator, self_, args);
  }
  int depth() const override { return 1 + self_.depth(); }

 private:
  Value self_;
  std::string name_;
  Function function_;
};

class GlobalFunction : public Object {
 public:
  GlobalFunction(std::string_view name, Function function) : name_(name), function_(function) {}
  std::string type_name() const override { return "function"; }
  std::string repr() const override { return "<function " + name_ + ">"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, CallArgs& args) override { return function_(evaluator, Value(), args); }

 private:
  std::string name_;
  Function function_;
};

// value.name and value[key] with the sandbox's rules; undefined when there is no such thing.
Value get_attribute(const Value& value, const std::string& name);
Value get_item(Evaluator& evaluator, const Value& value, const Value& key);
Value get_slice(Evaluator& evaluator, const Value& value, const Value& start, const Value& stop, const Value& step);

}  // namespace tandem::engine::jinja
