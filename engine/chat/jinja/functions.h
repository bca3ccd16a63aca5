// The tables of filters, tests, methods and globals. They are apart from the variables of a render, so that nothing a request
// sends can replace them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/chat/jinja/objects.h"
#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

// Null when there is none of that name.
Function find_filter(std::string_view name);
Function find_test(std::string_view name);
Function find_text_method(std::string_view name);
Function find_dict_method(std::string_view name);
Function find_sequence_method(std::string_view name);
std::optional<Value> find_global(std::string_view name);
bool is_global(std::string_view name);

// Parts of the filter table, by file.
Function find_text_filter(std::string_view name);
Function find_sequence_filter(std::string_view name);

// "a.b.0": attributes, keys and indices, one after the other; a path that is no string is one key.
Value attribute_path(Evaluator& evaluator, const Value& value, const Value& path);

// left op right for + - * / // % **, with Python's types and signs.
Value arithmetic(Evaluator& evaluator, std::string_view op, const Value& left, const Value& right);

// format % arguments, and str.format.
std::string percent_format(Evaluator& evaluator, const std::string& format, const Value& arguments);
std::string brace_format(Evaluator& evaluator, const std::string& format, CallArgs& args);

// json.dumps with separators (", ", ": "), or with (",", ": ") and line breaks when `indent` is set.
struct JsonStyle {
  std::optional<std::string> indent;
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> item_separator;
  std::optional<std::string> key_separator;
};
std::string to_json(Evaluator& evaluator, const Value& value, const JsonStyle& style);
// Local time in the manner of time.strftime.
std::string local_time_text(const std::string& format);

}  // namespace tandem::engine::jinja
