// Value: what a template computes with. Follows Python: ordered dicts, exact integers, strings counted in code points.
//
// Values are immutable except for objects (namespace, loop, cycler), so sharing a pointer is sharing the value. A Value may
// only be used by the render that made it, on one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tandem::engine::jinja {

class Value;
class Sequence;
class Dict;
class Object;
class Evaluator;

// Wide enough for every 64-bit number of JSON and one product of two; results beyond it are an error, never a wrong number.
using Int = __int128;

struct None {};
// A name, key or index that is not there. `what` explains it when it is used in a way that needs a value.
struct Undefined {
  std::shared_ptr<const std::string> what;
};
struct Text {
  std::string utf8;        // always valid UTF-8
  bool is_markup = false;  // made by |escape or |safe: not escaped again
  std::size_t num_code_points = 0;
  bool is_ascii() const { return num_code_points == utf8.size(); }
};

class Value {
 public:
  Value() : storage_(None{}) {}
  static Value undefined(std::string what);
  static Value boolean(bool value) { return Value(Storage(value)); }
  static Value integer(Int value) { return Value(Storage(value)); }
  static Value real(double value) { return Value(Storage(value)); }
  static Value text(std::string utf8, bool is_markup = false);
  static Value sequence(std::shared_ptr<Sequence> sequence) { return Value(Storage(std::move(sequence))); }
  static Value list(std::vector<Value> items);
  static Value tuple(std::vector<Value> items);
  static Value generator(std::vector<Value> items);  // iterates once, has no length
  static Value dict(std::shared_ptr<const Dict> dict) { return Value(Storage(std::move(dict))); }
  static Value object(std::shared_ptr<Object> object) { return Value(Storage(std::move(object))); }

  bool is_undefined() const { return std::holds_alternative<Undefined>(storage_); }
  bool is_none() const { return std::holds_alternative<None>(storage_); }
  bool is_bool() const { return std::holds_alternative<bool>(storage_); }
  bool is_int() const { return std::holds_alternative<Int>(storage_); }  // not for booleans
  bool is_float() const { return std::holds_alternative<double>(storage_); }
  bool is_number() const { return is_bool() || is_int() || is_float(); }
  bool is_text() const { return std::holds_alternative<TextPtr>(storage_); }
  bool is_sequence() const { return std::holds_alternative<SequencePtr>(storage_); }
  bool is_dict() const { return std::holds_alternative<DictPtr>(storage_); }
  bool is_object() const { return std::holds_alternative<ObjectPtr>(storage_); }

  bool as_bool() const { return std::get<bool>(storage_); }
  Int as_int() const;        // of an int or a bool
  double as_double() const;  // of any number
  const Text& as_text() const { return *std::get<TextPtr>(storage_); }
  const std::string& as_string() const { return as_text().utf8; }
  Sequence& as_sequence() const { return *std::get<SequencePtr>(storage_); }
  const Dict& as_dict() const { return *std::get<DictPtr>(storage_); }
  Object& as_object() const { return *std::get<ObjectPtr>(storage_); }
  const std::shared_ptr<Object>& object_ptr() const { return std::get<ObjectPtr>(storage_); }

  bool truthy() const;
  int depth() const;              // 0 for scalars; a container is one deeper than its deepest item
  std::int64_t weight() const;    // work to print or compare it, shared parts counted each time they occur
  std::string type_name() const;  // Python's: "str", "dict", "NoneType", …
  // Throws "'x' is undefined" for an undefined value.
  void require_defined() const;

 private:
  using TextPtr = std::shared_ptr<const Text>;
  using SequencePtr = std::shared_ptr<Sequence>;
  using DictPtr = std::shared_ptr<const Dict>;
  using ObjectPtr = std::shared_ptr<Object>;
  using Storage = std::variant<None, Undefined, bool, Int, double, TextPtr, SequencePtr, DictPtr, ObjectPtr>;
  explicit Value(Storage storage) : storage_(std::move(storage)) {}
  Storage storage_;
};

class Sequence {
 public:
  enum class Kind { kList, kTuple, kRange, kKeys, kValues, kItems, kGenerator };
  Sequence(Kind kind, std::vector<Value> items);

  Kind kind() const { return kind_; }
  int depth() const { return depth_; }
  std::int64_t weight() const { return weight_; }
  const std::vector<Value>& items() const { return items_; }
  bool has_length() const { return kind_ != Kind::kGenerator; }
  bool has_index() const { return kind_ == Kind::kList || kind_ == Kind::kTuple || kind_ == Kind::kRange; }
  // The items from the read position on; a generator is empty afterwards.
  std::vector<Value> take();
  // A generator's next item, or nullopt at its end.
  std::optional<Value> next();

 private:
  Kind kind_;
  std::vector<Value> items_;
  std::size_t read_idx_ = 0;  // of a generator
  int depth_ = 1;
  std::int64_t weight_ = 1;
};

// Insertion-ordered; 1, 1.0 and True are the same key.
class Dict {
 public:
  using Entry = std::pair<Value, Value>;
  // Replaces the value of an equal key in place. Unhashable keys throw.
  void set(Value key, Value value);
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  int depth() const { return depth_; }
  std::int64_t weight() const { return weight_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;  // by key_text() of the key
  int depth_ = 1;
  std::int64_t weight_ = 1;
};

struct CallArgs {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

// Functions, macros, bound methods, namespaces, loops and the like.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string type_name() const = 0;
  virtual std::string repr() const { return "<" + type_name() + ">"; }
  virtual std::optional<Value> attribute(std::string_view) const { return std::nullopt; }
  virtual bool is_callable() const { return false; }
  virtual Value call(Evaluator& evaluator, CallArgs& args);
  virtual std::optional<std::size_t> length() const { return std::nullopt; }
  // Of the values that it keeps alive and that release() does not drop; see Value::depth().
  virtual int depth() const { return 0; }
  // Drops the values it holds. Objects can hold each other in rings or long chains, which reference counting alone would
  // leak or free recursively.
  virtual void release() {}
};

// A text that is the same exactly for keys that Python holds for equal; throws for unhashable values.
std::string key_text(const Value& key);

// Python's == and <. `less` throws for types without an order.
bool equal(const Value& left, const Value& right);
bool less(const Value& left, const Value& right, std::string_view operator_text = "<");

// str() and repr().
std::string to_text(const Value& value);
std::string to_repr(const Value& value);
std::string int_text(Int value);
std::string float_text(double value);  // repr(float): shortest digits that round-trip

}  // namespace tandem::engine::jinja
