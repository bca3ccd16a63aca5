// The functions every template sees.
#include <array>
#include <ctime>
#include <map>

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

class Cycler : public Object {
 public:
  explicit Cycler(std::vector<Value> items) : items_(std::move(items)) {}
  std::string type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(std::string_view name) const override;
  void release() override { items_.assign(1, Value()); }
  Value next() {
    Value item = items_[idx_];
    idx_ = (idx_ + 1) % items_.size();
    return item;
  }
  void reset() { idx_ = 0; }
  const Value& current() const { return items_[idx_]; }

 private:
  std::vector<Value> items_;
  std::size_t idx_ = 0;
};

// cycler.next and cycler.reset, not called yet.
class CyclerMethod : public Object {
 public:
  CyclerMethod(const Cycler& cycler, bool is_next) : cycler_(const_cast<Cycler&>(cycler)), is_next_(is_next) {}
  std::string type_name() const override { return "method"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator&, CallArgs&) override {
    if (is_next_) return cycler_.next();
    cycler_.reset();
    return Value();
  }

 private:
  Cycler& cycler_;  // kept by the evaluator until the render ends
  bool is_next_;
};

std::optional<Value> Cycler::attribute(std::string_view name) const {
  if (name == "current") return current();
  if (name == "next" || name == "reset") return Value::object(std::make_shared<CyclerMethod>(*this, name == "next"));
  return std::nullopt;
}

class Joiner : public Object {
 public:
  explicit Joiner(std::string separator) : separator_(std::move(separator)) {}
  std::string type_name() const override { return "Joiner"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator&, CallArgs&) override {
    if (used_) return Value::text(separator_);
    used_ = true;
    return Value::text("");
  }

 private:
  std::string separator_;
  bool used_ = false;
};

std::shared_ptr<Dict> dict_from(Evaluator& evaluator, const CallArgs& args, std::string_view what) {
  const auto dict = std::make_shared<Dict>();
  if (args.positional.size() > 1) fail(std::string(what) + " takes at most one positional argument");
  if (!args.positional.empty()) {
    const Value& source = args.positional.front();
    if (source.is_dict()) {
      evaluator.charge(static_cast<std::int64_t>(source.as_dict().size()));
      for (const auto& [key, value] : source.as_dict().entries()) dict->set(key, value);
    } else {
      for (const Value& pair : evaluator.iterate(source)) {
        const std::vector<Value> parts = evaluator.iterate(pair);
        if (parts.size() != 2) fail(std::string(what) + " needs pairs of key and value");
        evaluator.charge(parts[0].weight());
        dict->set(parts[0], parts[1]);
      }
    }
  }
  for (const auto& [name, value] : args.named) dict->set(Value::text(name), value);
  return dict;
}

Value make_namespace(Evaluator& evaluator, const Value&, CallArgs& args) {
  const auto space = std::make_shared<NamespaceObject>(evaluator);
  const auto dict = dict_from(evaluator, args, "namespace");
  for (const auto& [key, value] : dict->entries()) space->set(to_text(key), value);
  evaluator.keep_object(space);
  return Value::object(space);
}

Value make_dict(Evaluator& evaluator, const Value&, CallArgs& args) {
  return Value::dict(dict_from(evaluator, args, "dict"));
}

Value make_range(Evaluator& evaluator, const Value&, CallArgs& args) {
  if (!args.named.empty()) fail("range takes no keyword arguments");
  const ArgReader reader("range", args, {"start", "stop", "step"});
  reader.required(0);
  Int start = reader.integer(0, 0);
  Int stop = reader.integer(1, 0);
  const Int step = reader.integer(2, 1);
  if (!reader.has(1)) {
    stop = start;
    start = 0;
  }
  if (step == 0) fail("range: the step must not be zero");
  const Int span = step > 0 ? stop - start : start - stop;
  const Int stride = step > 0 ? step : -step;
  const Int count = span <= 0 ? 0 : (span + stride - 1) / stride;
  if (count > static_cast<Int>(kMaxRangeItems)) {
    fail_limit("range(" + int_text(start) + ", " + int_text(stop) + ") is longer than " + std::to_string(kMaxRangeItems));
  }
  evaluator.charge(static_cast<std::int64_t>(count));
  std::vector<Value> items;
  items.reserve(static_cast<std::size_t>(count));
  for (Int i = 0; i < count; ++i) items.push_back(Value::integer(start + i * step));
  return Value::sequence(std::make_shared<Sequence>(Sequence::Kind::kRange, std::move(items)));
}

Value raise_exception(Evaluator&, const Value&, CallArgs& args) {
  const ArgReader reader("raise_exception", args, {"message"});
  throw TemplateError(TemplateError::Kind::kRaised, to_text(reader.required(0)));
}

Value strftime_now(Evaluator&, const Value&, CallArgs& args) {
  const ArgReader reader("strftime_now", args, {"format"});
  const Value& format = reader.required(0);
  format.require_defined();
  if (!format.is_text()) fail("strftime_now needs a format string");
  return Value::text(local_time_text(format.as_string()));
}

Value make_cycler(Evaluator& evaluator, const Value&, CallArgs& args) {
  if (args.positional.empty()) fail("cycler needs at least one item");
  const auto cycler = std::make_shared<Cycler>(args.positional);
  evaluator.keep_object(cycler);
  return Value::object(cycler);
}

Value make_joiner(Evaluator&, const Value&, CallArgs& args) {
  const ArgReader reader("joiner", args, {"sep"});
  return Value::object(std::make_shared<Joiner>(reader.text(0, ", ")));
}

// Placeholder text. Fixed words, so that a prompt never depends on chance.
Value lipsum(Evaluator&, const Value&, CallArgs& args) {
  const ArgReader reader("lipsum", args, {"n", "html", "min", "max"});
  const std::int64_t count = reader.integer(0, 5);
  if (count < 0 || count > 1000) fail("lipsum: 0 to 1000 paragraphs");
  const bool html = reader.flag(1, true);
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += html ? "\n" : "\n\n";
    text += std::string(html ? "<p>" : "") + "Lorem ipsum dolor sit amet, consectetur adipiscing elit." + (html ? "</p>" : "");
  }
  return Value::text(text, html);
}

const std::map<std::string_view, Function>& global_functions() {
  static const std::map<std::string_view, Function> kGlobals = {
      {"namespace", make_namespace},  {"dict", make_dict},     {"range", make_range},   {"raise_exception", raise_exception},
      {"strftime_now", strftime_now}, {"cycler", make_cycler}, {"joiner", make_joiner}, {"lipsum", lipsum},
  };
  return kGlobals;
}

}  // namespace

std::optional<Value> find_global(std::string_view name) {
  const auto place = global_functions().find(name);
  if (place == global_functions().end()) return std::nullopt;
  return Value::object(std::make_shared<GlobalFunction>(name, place->second));
}

bool is_global(std::string_view name) {
  return global_functions().contains(name);
}

std::string local_time_text(const std::string& format) {
  if (format.size() > 1000) fail_limit("strftime_now: a format of more than 1000 bytes");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  // A leading byte tells an empty result from a buffer that is too small.
  const std::string marked = "." + format;
  std::array<char, 16384> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), marked.c_str(), &local);
  if (length == 0) fail_limit("strftime_now: the text is longer than " + std::to_string(buffer.size()) + " bytes");
  return valid_utf8(std::string_view(buffer.data() + 1, length - 1));
}

}  // namespace tandem::engine::jinja
