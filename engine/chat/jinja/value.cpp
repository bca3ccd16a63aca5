#include "engine/chat/jinja/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

// A container may hold the same list many times over, level upon level: small in memory, endless to print. So the size that
// counts is that of the tree written out.
void include_item(const Value& item, int& depth, std::int64_t& weight) {
  depth = std::max(depth, 1 + item.depth());
  weight += item.weight();
  if (depth > kMaxValueDepth) fail_limit("values nest deeper than " + std::to_string(kMaxValueDepth));
  if (weight > kMaxValueWeight) {
    fail_limit("a list or dict grows beyond " + std::to_string(kMaxValueWeight) + " items and pieces of text");
  }
}

std::string_view sequence_type_name(Sequence::Kind kind) {
  switch (kind) {
    case Sequence::Kind::kList: return "list";
    case Sequence::Kind::kTuple: return "tuple";
    case Sequence::Kind::kRange: return "range";
    case Sequence::Kind::kKeys: return "dict_keys";
    case Sequence::Kind::kValues: return "dict_values";
    case Sequence::Kind::kItems: return "dict_items";
    case Sequence::Kind::kGenerator: return "generator";
  }
  return "list";
}

bool is_list_or_tuple(const Value& value) {
  return value.is_sequence() &&
         (value.as_sequence().kind() == Sequence::Kind::kList || value.as_sequence().kind() == Sequence::Kind::kTuple);
}

bool equal_sequences(const Sequence& left, const Sequence& right) {
  if (&left == &right) return true;
  if (left.kind() != right.kind()) return false;
  if (left.kind() == Sequence::Kind::kGenerator || left.kind() == Sequence::Kind::kValues) return false;  // by identity
  return std::equal(left.items().begin(), left.items().end(), right.items().begin(), right.items().end(), equal);
}

bool equal_dicts(const Dict& left, const Dict& right) {
  if (&left == &right) return true;
  if (left.size() != right.size()) return false;
  return std::all_of(left.entries().begin(), left.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = right.find(entry.first);
    return other != nullptr && equal(entry.second, *other);
  });
}

// −1, 0, 1; 2 when a NaN takes part. A double is compared with an integer exactly.
int compare_numbers(const Value& left, const Value& right) {
  if (!left.is_float() && !right.is_float()) {
    const Int a = left.as_int();
    const Int b = right.as_int();
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const auto compare = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2; };
  if (left.is_float() && right.is_float()) return compare(left.as_double(), right.as_double());
  const double real = left.is_float() ? left.as_double() : right.as_double();
  const Int whole = left.is_float() ? right.as_int() : left.as_int();
  int order;  // of the float against the integer
  if (std::isnan(real)) return 2;
  if (std::abs(real) >= 0x1p126) {
    order = real < 0 ? -1 : 1;
  } else {
    const double floor = std::floor(real);
    order = compare(static_cast<Int>(floor), whole);
    if (order == 0 && real > floor) order = 1;
  }
  return left.is_float() ? order : -order;
}

std::string join_repr(const std::vector<Value>& items) {
  std::string out;
  for (const Value& item : items) {
    if (!out.empty()) out += ", ";
    out += to_repr(item);
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  }
  return out;
}

std::string repr_sequence(const Sequence& sequence) {
  switch (sequence.kind()) {
    case Sequence::Kind::kList: return "[" + join_repr(sequence.items()) + "]";
    case Sequence::Kind::kTuple: return "(" + join_repr(sequence.items()) + (sequence.items().size() == 1 ? ",)" : ")");
    case Sequence::Kind::kRange: {
      const auto& items = sequence.items();
      if (items.empty()) return "range(0, 0)";
      const Int step = items.size() > 1 ? items[1].as_int() - items[0].as_int() : 1;
      std::string out = "range(" + int_text(items[0].as_int()) + ", " + int_text(items.back().as_int() + (step > 0 ? 1 : -1));
      return out + (step == 1 ? ")" : ", " + int_text(step) + ")");
    }
    case Sequence::Kind::kGenerator: return "<generator object>";
    default: return std::string(sequence_type_name(sequence.kind())) + "([" + join_repr(sequence.items()) + "])";
  }
}

std::string repr_dict(const Dict& dict) {
  std::string out = "{";
  for (const auto& [key, value] : dict.entries()) {
    if (out.size() > 1) out += ", ";
    out += to_repr(key) + ": " + to_repr(value);
    if (out.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
  }
  return out + "}";
}

}  // namespace

Value Value::undefined(std::string what) {
  return Value(Storage(Undefined{std::make_shared<const std::string>(std::move(what))}));
}

Value Value::text(std::string utf8, bool is_markup) {
  if (utf8.size() > kMaxStringBytes) {
    fail_limit("a text of " + std::to_string(utf8.size()) + " bytes; at most " + std::to_string(kMaxStringBytes) +
               " are allowed");
  }
  auto text = std::make_shared<Text>();
  text->num_code_points = count_code_points(utf8);
  text->utf8 = std::move(utf8);
  text->is_markup = is_markup;
  return Value(Storage(TextPtr(std::move(text))));
}

Value Value::list(std::vector<Value> items) {
  return sequence(std::make_shared<Sequence>(Sequence::Kind::kList, std::move(items)));
}
Value Value::tuple(std::vector<Value> items) {
  return sequence(std::make_shared<Sequence>(Sequence::Kind::kTuple, std::move(items)));
}
Value Value::generator(std::vector<Value> items) {
  return sequence(std::make_shared<Sequence>(Sequence::Kind::kGenerator, std::move(items)));
}

Int Value::as_int() const {
  return is_bool() ? Int{as_bool()} : std::get<Int>(storage_);
}
double Value::as_double() const {
  return is_float() ? std::get<double>(storage_) : static_cast<double>(as_int());
}

bool Value::truthy() const {
  if (is_none() || is_undefined()) return false;
  if (is_bool()) return as_bool();
  if (is_int()) return as_int() != 0;
  if (is_float()) return as_double() != 0.0;
  if (is_text()) return !as_string().empty();
  if (is_sequence()) return !as_sequence().has_length() || !as_sequence().items().empty();
  if (is_dict()) return as_dict().size() > 0;
  return as_object().length().value_or(1) > 0;
}

int Value::depth() const {
  if (is_sequence()) return as_sequence().depth();
  if (is_dict()) return as_dict().depth();
  return is_object() ? as_object().depth() : 0;
}

std::int64_t Value::weight() const {
  if (is_text()) return 1 + static_cast<std::int64_t>(as_string().size()) / kBytesPerStep;
  if (is_sequence()) return as_sequence().weight();
  if (is_dict()) return as_dict().weight();
  return 1;
}

std::string Value::type_name() const {
  if (is_none()) return "NoneType";
  if (is_undefined()) return "Undefined";
  if (is_bool()) return "bool";
  if (is_int()) return "int";
  if (is_float()) return "float";
  if (is_text()) return as_text().is_markup ? "Markup" : "str";
  if (is_sequence()) return std::string(sequence_type_name(as_sequence().kind()));
  if (is_dict()) return "dict";
  return as_object().type_name();
}

void Value::require_defined() const {
  if (const auto* undefined = std::get_if<Undefined>(&storage_)) fail(*undefined->what);
}

Sequence::Sequence(Kind kind, std::vector<Value> items) : kind_(kind), items_(std::move(items)) {
  for (const Value& item : items_) include_item(item, depth_, weight_);
}

std::vector<Value> Sequence::take() {
  if (kind_ != Kind::kGenerator) return items_;
  std::vector<Value> rest(items_.begin() + static_cast<std::ptrdiff_t>(read_idx_), items_.end());
  read_idx_ = items_.size();
  return rest;
}

std::optional<Value> Sequence::next() {
  if (read_idx_ >= items_.size()) return std::nullopt;
  return items_[read_idx_++];
}

void Dict::set(Value key, Value value) {
  const auto [place, is_new] = index_.try_emplace(key_text(key), entries_.size());
  include_item(key, depth_, weight_);
  include_item(value, depth_, weight_);
  if (is_new) {
    entries_.emplace_back(std::move(key), std::move(value));
  } else {
    entries_[place->second].second = std::move(value);
  }
}

const Value* Dict::find(const Value& key) const {
  const auto place = index_.find(key_text(key));
  return place == index_.end() ? nullptr : &entries_[place->second].second;
}

const Value* Dict::find(std::string_view key) const {
  const auto place = index_.find("s" + std::string(key));
  return place == index_.end() ? nullptr : &entries_[place->second].second;
}

Value Object::call(Evaluator&, CallArgs&) {
  fail("'" + type_name() + "' object is not callable");
}

std::string key_text(const Value& key) {
  if (key.is_text()) return "s" + key.as_string();
  if (key.is_none()) return "n";
  if (key.is_undefined()) return "u";
  if (key.is_bool() || key.is_int()) return "i" + int_text(key.as_int());
  if (key.is_float()) {
    const double real = key.as_double();
    if (std::abs(real) < 0x1p100 && real == std::floor(real)) return "i" + int_text(static_cast<Int>(real));
    return "f" + float_text(real);
  }
  if (key.is_sequence() && key.as_sequence().kind() == Sequence::Kind::kTuple) {
    std::string out = "t";
    for (const Value& item : key.as_sequence().items()) {
      const std::string part = key_text(item);
      out += std::to_string(part.size()) + ":" + part;
    }
    return out;
  }
  if (key.is_object()) return "o" + std::to_string(reinterpret_cast<std::uintptr_t>(key.object_ptr().get()));
  fail("unhashable type: '" + key.type_name() + "'");
}

bool equal(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return compare_numbers(left, right) == 0;
  if (left.is_text() && right.is_text()) return left.as_string() == right.as_string();
  if (left.is_none() || right.is_none()) return left.is_none() && right.is_none();
  if (left.is_undefined() || right.is_undefined()) return left.is_undefined() && right.is_undefined();
  if (left.is_sequence() && right.is_sequence()) return equal_sequences(left.as_sequence(), right.as_sequence());
  if (left.is_dict() && right.is_dict()) return equal_dicts(left.as_dict(), right.as_dict());
  if (left.is_object() && right.is_object()) return left.object_ptr() == right.object_ptr();
  return false;
}

bool less(const Value& left, const Value& right, std::string_view operator_text) {
  left.require_defined();
  right.require_defined();
  if (left.is_number() && right.is_number()) return compare_numbers(left, right) == -1;
  // UTF-8 keeps the order of code points.
  if (left.is_text() && right.is_text()) return left.as_string() < right.as_string();
  if (is_list_or_tuple(left) && is_list_or_tuple(right) && left.as_sequence().kind() == right.as_sequence().kind()) {
    const auto& a = left.as_sequence().items();
    const auto& b = right.as_sequence().items();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!equal(a[i], b[i])) return less(a[i], b[i], operator_text);
    }
    return a.size() < b.size();
  }
  fail("'" + std::string(operator_text) + "' not supported between instances of '" + left.type_name() + "' and '" +
       right.type_name() + "'");
}

std::string to_text(const Value& value) {
  if (value.is_text()) return value.as_string();
  if (value.is_undefined()) return "";
  return to_repr(value);
}

std::string to_repr(const Value& value) {
  if (value.is_none()) return "None";
  if (value.is_undefined()) return "Undefined";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_int()) return int_text(value.as_int());
  if (value.is_float()) return float_text(value.as_double());
  if (value.is_text())
    return (value.as_text().is_markup ? "Markup(" : "") + quoted(value.as_string()) + (value.as_text().is_markup ? ")" : "");
  if (value.is_sequence()) return repr_sequence(value.as_sequence());
  if (value.is_dict()) return repr_dict(value.as_dict());
  return value.as_object().repr();
}

std::string int_text(Int value) {
  const bool negative = value < 0;
  unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // Python switches to an exponent below 1e-4 and from 1e16 on; to_chars alone would take whichever is shorter.
  char buffer[64];
  const double magnitude = std::abs(value);
  const bool use_exponent = magnitude != 0.0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 use_exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string out(buffer, end.ptr);
  if (!use_exponent && out.find('.') == std::string::npos) out += ".0";
  return out;
}

}  // namespace tandem::engine::jinja
