// Reading a request body field by field: every wrong type or value becomes a 400 that names the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/server/api_error.h"

namespace tandem::engine::server {

using Json = nlohmann::ordered_json;

// JSON text with bounded depth; NaN and Infinity are refused and lone surrogate escapes read as U+FFFD.
std::variant<Json, ApiError> parse_body(std::string_view text);

// A JSON object whose fields are taken one by one. The first problem is kept; later getters then return their defaults, so a
// parser reads straight through and asks error() once at the end. null counts as absent, as OpenAI clients send it.
class JsonFields {
 public:
  explicit JsonFields(const Json& object, std::string prefix = "");

  bool has(std::string_view name);
  const Json* raw(std::string_view name);  // null when absent
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<double> number(std::string_view name, double min, double max);
  std::optional<std::string> string(std::string_view name);
  // A string or a list of at most `max_count` strings.
  std::vector<std::string> strings(std::string_view name, std::size_t max_count);

  // A field this version cannot honour: refused unless it has one of the values that change nothing.
  void refuse_unless(std::string_view name, std::initializer_list<Json> harmless);
  // Fields that may be ignored without changing the answer.
  void ignore(std::initializer_list<std::string_view> names);
  // Names that no getter asked for.
  std::vector<std::string> unknown_fields() const;

  void fail(std::string_view name, std::string message);
  const std::optional<ApiError>& error() const { return error_; }

 private:
  const Json& object_;
  std::string prefix_;
  std::set<std::string, std::less<>> seen_;
  std::optional<ApiError> error_;
};

}  // namespace tandem::engine::server
