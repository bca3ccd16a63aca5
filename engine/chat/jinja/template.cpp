#include "engine/chat/jinja/template.h"

#include <exception>
#include <new>

#include "engine/chat/jinja/evaluator.h"
#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/parser.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

Value from_json(const nlohmann::ordered_json& json, int depth) {
  if (depth > kMaxValueDepth) fail_limit("the conversation's JSON nests deeper than " + std::to_string(kMaxValueDepth));
  switch (json.type()) {
    case nlohmann::ordered_json::value_t::boolean: return Value::boolean(json.get<bool>());
    case nlohmann::ordered_json::value_t::number_integer: return Value::integer(json.get<std::int64_t>());
    case nlohmann::ordered_json::value_t::number_unsigned: return Value::integer(json.get<std::uint64_t>());
    case nlohmann::ordered_json::value_t::number_float: return Value::real(json.get<double>());
    case nlohmann::ordered_json::value_t::string: return Value::text(valid_utf8(json.get_ref<const std::string&>()));
    case nlohmann::ordered_json::value_t::array: {
      std::vector<Value> items;
      items.reserve(json.size());
      for (const auto& item : json) items.push_back(from_json(item, depth + 1));
      return Value::list(std::move(items));
    }
    case nlohmann::ordered_json::value_t::object: {
      const auto dict = std::make_shared<Dict>();
      for (const auto& [key, value] : json.items()) dict->set(Value::text(valid_utf8(key)), from_json(value, depth + 1));
      return Value::dict(dict);
    }
    default: return Value();
  }
}

Error to_error(const TemplateError& error, ErrorCode code) {
  std::string what = error.what();
  if (what.size() > kMaxMessageBytes) {
    std::size_t end = kMaxMessageBytes;
    while (end > 0 && (static_cast<unsigned char>(what[end]) & 0xC0) == 0x80) --end;  // not inside a code point
    what = what.substr(0, end) + "…";
  }
  if (error.kind() == TemplateError::Kind::kRaised) return Error{code, what};
  const std::string line = error.line() > 0 ? ", line " + std::to_string(error.line()) : "";
  return Error{code, "chat template" + line + ": " + what};
}

class ParsedTemplate : public Template {
 public:
  explicit ParsedTemplate(std::string_view source) {
    if (source.size() > kMaxSourceBytes) {
      throw TemplateError(TemplateError::Kind::kLimit, "the source has " + std::to_string(source.size()) + " bytes; at most " +
                                                           std::to_string(kMaxSourceBytes) + " are allowed");
    }
    Parser parser(tokenize(valid_utf8(source)));
    body_ = parser.parse();
    names_read_ = parser.names_read();
  }

  Result<std::string> render(const nlohmann::ordered_json& json, const Limits& limits) const override {
    try {
      Variables variables;
      for (const auto& [name, value] : json.items()) {
        if (is_global(name))
          return Error{ErrorCode::kInvalidArgument, "chat template: the variable name '" + name + "' is reserved"};
        variables.emplace(name, from_json(value, 1));
      }
      return Evaluator(limits, variables).render(body_);
    } catch (const TemplateError& error) {
      return to_error(error, ErrorCode::kInvalidArgument);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "chat template: not enough memory to render"};
    } catch (const std::exception& error) {
      return Error{ErrorCode::kInternal, std::string("chat template: ") + error.what()};
    }
  }

  bool reads(std::string_view name) const override { return names_read_.contains(name); }

 private:
  Body body_;
  std::set<std::string, std::less<>> names_read_;
};

}  // namespace

Result<std::shared_ptr<const Template>> Template::parse(std::string_view source) {
  try {
    return std::shared_ptr<const Template>(std::make_shared<ParsedTemplate>(source));
  } catch (const TemplateError& error) {
    return to_error(error, ErrorCode::kCorrupt);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "chat template: not enough memory to parse"};
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInternal, std::string("chat template: ") + error.what()};
  }
}

bool is_global_name(std::string_view name) {
  return is_global(name);
}

}  // namespace tandem::engine::jinja
