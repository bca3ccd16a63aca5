#include "engine/server/json_fields.h"

#include <cmath>
#include <limits>

namespace tandem::engine::server {
namespace {

constexpr int kMaxJsonDepth = 64;

// Replaces "\udXXX" escapes that have no partner by "\ufffd": the parser would refuse the whole body for one of them.
std::string mend_lone_surrogates(std::string_view text) {
  std::string out(text);
  const auto hex = [&](std::size_t at) -> int {
    if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return -1;
    int value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char c = out[i];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '\\') continue;
    if (out[i + 1] != 'u') {
      ++i;  // an escaped character, perhaps a backslash
      continue;
    }
    const int value = hex(i);
    if (value >= 0xD800 && value <= 0xDBFF) {
      const int next = hex(i + 6);
      if (next >= 0xDC00 && next <= 0xDFFF) {
        i += 11;
        continue;
      }
      out.replace(i, 6, "\\ufffd");
    } else if (value >= 0xDC00 && value <= 0xDFFF) {
      out.replace(i, 6, "\\ufffd");
    }
    i += 5;
  }
  return out;
}

}  // namespace

std::variant<Json, ApiError> parse_body(std::string_view text) {
  bool too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t event, Json&) {
    if (depth > kMaxJsonDepth && (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start)) {
      too_deep = true;
      return false;
    }
    return true;
  };
  try {
    Json body = text.find("\\u") == std::string_view::npos ? Json::parse(text, limit_depth)
                                                           : Json::parse(mend_lone_surrogates(text), limit_depth);
    if (too_deep) return ApiError{400, "The body is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels."};
    if (!body.is_object()) return ApiError{400, std::string("The body must be a JSON object, not ") + body.type_name() + "."};
    return body;
  } catch (const Json::exception& exception) {
    return ApiError{400, std::string("The body is not valid JSON: ") + exception.what()};
  }
}

JsonFields::JsonFields(const Json& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {}

void JsonFields::fail(std::string_view name, std::string message) {
  if (!error_) error_ = bad_request(prefix_ + std::string(name), prefix_ + std::string(name) + " " + std::move(message));
}

const Json* JsonFields::raw(std::string_view name) {
  seen_.emplace(name);
  const auto it = object_.find(std::string(name));
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

bool JsonFields::has(std::string_view name) {
  return raw(name) != nullptr;
}

std::optional<bool> JsonFields::boolean(std::string_view name) {
  const Json* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    fail(name, std::string("must be true or false, not ") + value->type_name() + ".");
    return std::nullopt;
  }
  return value->get<bool>();
}

std::optional<std::int64_t> JsonFields::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  const Json* value = raw(name);
  if (value == nullptr) return std::nullopt;
  const std::string range = "must be an integer from " + std::to_string(min) + " to " + std::to_string(max);
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max())) {
    fail(name, range + ", not " + value->dump() + ".");
    return std::nullopt;
  }
  if (!value->is_number_integer() || value->get<std::int64_t>() < min || value->get<std::int64_t>() > max) {
    fail(name, range + ", not " + value->dump().substr(0, 64) + ".");
    return std::nullopt;
  }
  return value->get<std::int64_t>();
}

std::optional<double> JsonFields::number(std::string_view name, double min, double max) {
  const Json* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < min || value->get<double>() > max) {
    fail(name, "must be a number from " + Json(min).dump() + " to " + Json(max).dump() + ", not " +
                   value->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64) + ".");
    return std::nullopt;
  }
  return value->get<double>();
}

std::optional<std::string> JsonFields::string(std::string_view name) {
  const Json* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    fail(name, std::string("must be a string, not ") + value->type_name() + ".");
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::vector<std::string> JsonFields::strings(std::string_view name, std::size_t max_count) {
  const Json* value = raw(name);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  if (!value->is_array() || value->size() > max_count) {
    fail(name, "must be a string or a list of at most " + std::to_string(max_count) + " strings.");
    return {};
  }
  std::vector<std::string> result;
  for (const Json& item : *value) {
    if (!item.is_string()) {
      fail(name, "must hold strings only.");
      return {};
    }
    result.push_back(item.get<std::string>());
  }
  return result;
}

void JsonFields::refuse_unless(std::string_view name, std::initializer_list<Json> harmless) {
  const Json* value = raw(name);
  if (value == nullptr) return;
  for (const Json& allowed : harmless) {
    if (*value == allowed) return;
  }
  fail(name, "is not supported by this version; leave it out.");
}

void JsonFields::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) seen_.emplace(name);
}

std::vector<std::string> JsonFields::unknown_fields() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_.items()) {
    if (!seen_.contains(name)) names.push_back(prefix_ + name);
  }
  return names;
}

}  // namespace tandem::engine::server
