#include "engine/sampling/grammar/json_schema.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/sampling/grammar/number_grammar.h"
#include "engine/sampling/grammar/regex_grammar.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxLength = 4096;  // characters or items a bound may name: each one is a rule
constexpr std::int64_t kMaxIndent = 40;
constexpr std::size_t kMaxRules = 400000;
constexpr int kMaxDepth = 64;

const std::set<std::string, std::less<>> kAnnotations{
    "title", "description", "default",    "examples",         "$schema",
    "$id",   "$comment",    "deprecated", "readOnly",         "writeOnly",
    "$defs", "definitions", "strict",     "contentMediaType", "contentEncoding"};

// Formats written so that every member is valid; some rare valid ones are left out (29 February, quoted mail names).
const std::map<std::string, std::string, std::less<>> kFormats{
    {"date",
     "^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))$"},
    {"time", "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"},
    {"date-time",
     "^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))T([01]["
     "0-9]|2[0-3]):"
     "[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"},
    {"uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"},
    {"ipv4", "^(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3}$"},
    {"email", "^[a-z0-9]{1,20}([._+-][a-z0-9]{1,20}){0,3}@[a-z0-9]{1,20}(-[a-z0-9]{1,20}){0,2}(\\.[a-z]{2,10}){1,3}$"},
};

// Characters of a JSON string: themselves where JSON allows it, the shortest escape where it does not.
GrammarSequence write_string_characters(GrammarBuilder& builder, const CodePointRanges& ranges) {
  std::vector<GrammarSequence> alternatives;
  const auto add_escape = [&](const std::string& text) { alternatives.push_back(builder.literal(text)); };
  for (auto [first, last] : normalised(ranges)) {
    for (; first <= last && first < 0x20; ++first) {
      switch (first) {
        case '\b': add_escape("\\b"); break;
        case '\f': add_escape("\\f"); break;
        case '\n': add_escape("\\n"); break;
        case '\r': add_escape("\\r"); break;
        case '\t': add_escape("\\t"); break;
        default: add_escape(std::string("\\u00") + (first < 16 ? "0" : "1") + "0123456789abcdef"[first % 16]);
      }
    }
    for (const std::uint32_t special : {std::uint32_t{'"'}, std::uint32_t{'\\'}}) {
      if (first <= special && special <= last) {
        add_escape(special == '"' ? "\\\"" : "\\\\");
        if (first < special) alternatives.push_back(builder.code_points(first, special - 1));
        first = special + 1;
      }
    }
    if (first <= last) alternatives.push_back(builder.code_points(first, last));
  }
  return builder.any_of(std::move(alternatives));
}

bool is_whole(const Json& value) {
  return value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
}

class SchemaCompiler {
 public:
  explicit SchemaCompiler(const Json& root) : root_(root) {}

  Result<std::shared_ptr<const Grammar>> compile() {
    const RuleId start = builder_.new_rule();
    builder_.add_alternative(start, TANDEM_TRY(schema(root_, "", 0)));
    return finish(start);
  }

 private:
  Result<std::shared_ptr<const Grammar>> finish(RuleId start) {
    auto grammar = std::make_shared<Grammar>();
    if (!builder_.finish(start, *grammar)) return Error{ErrorCode::kInvalidArgument, "schema: no JSON value can satisfy it"};
    return std::shared_ptr<const Grammar>(std::move(grammar));
  }

  static std::string where(const std::string& path) { return path.empty() ? "schema" : "schema at " + path; }
  static Error unsupported(const std::string& path, const std::string& keyword, const std::string& why = "") {
    return {ErrorCode::kUnsupported, where(path) + ": \"" + keyword + "\" is not supported" + (why.empty() ? "" : ": " + why)};
  }
  static Error malformed(const std::string& path, const std::string& what) {
    return {ErrorCode::kInvalidArgument, where(path) + ": " + what};
  }

  // Limited white space: a model that likes to indent may, and none can go on for ever.
  GrammarSequence space() {
    if (!space_rule_) {
      space_rule_ = builder_.new_rule();
      builder_.add_alternative(*space_rule_, {});
      builder_.add_alternative(*space_rule_, builder_.literal(" "));
      builder_.add_alternative(*space_rule_,
                               concat({builder_.literal("\n"), builder_.repeat(builder_.literal(" "), 0, kMaxIndent)}));
    }
    return {GrammarBuilder::rule(*space_rule_)};
  }
  GrammarSequence comma() { return concat({builder_.literal(","), space()}); }

  GrammarSequence character() {
    if (!character_rule_) {
      character_rule_ = builder_.new_rule();
      builder_.add_alternative(*character_rule_, write_string_characters(builder_, {{0, 0x10FFFF}}));
    }
    return {GrammarBuilder::rule(*character_rule_)};
  }
  GrammarSequence any_string() {
    if (!string_rule_) {
      string_rule_ = builder_.new_rule();
      builder_.add_alternative(*string_rule_,
                               concat({builder_.literal("\""), builder_.repeat(character(), 0, -1), builder_.literal("\"")}));
    }
    return {GrammarBuilder::rule(*string_rule_)};
  }

  RuleId any_object_rule() {
    if (!any_object_) {
      any_object_ = builder_.new_rule();
      builder_.add_alternative(*any_object_, map_of({GrammarBuilder::rule(any_value_rule())}));
    }
    return *any_object_;
  }
  RuleId any_value_rule() {
    if (!any_value_) {
      any_value_ = builder_.new_rule();
      const GrammarSequence value{GrammarBuilder::rule(*any_value_)};
      for (const char* word : {"true", "false", "null"}) builder_.add_alternative(*any_value_, builder_.literal(word));
      builder_.add_alternative(*any_value_, any_string());
      builder_.add_alternative(*any_value_, number_grammar(builder_, false, {}));
      builder_.add_alternative(*any_value_, list_of(value, 0, -1));
      builder_.add_alternative(*any_value_, {GrammarBuilder::rule(any_object_rule())});
    }
    return *any_value_;
  }

  GrammarSequence map_of(const GrammarSequence& value) {
    const GrammarSequence member = concat({any_string(), builder_.literal(":"), space(), value});
    const GrammarSequence members = concat({member, builder_.repeat(concat({comma(), member}), 0, -1)});
    return concat({builder_.literal("{"), space(), builder_.optional(concat({members, space()})), builder_.literal("}")});
  }
  GrammarSequence list_of(const GrammarSequence& item, std::int64_t min, std::int64_t max) {
    GrammarSequence items;
    if (max != 0) {
      items =
          concat({item, builder_.repeat(concat({comma(), item}), std::max<std::int64_t>(min - 1, 0), max < 0 ? -1 : max - 1),
                  space()});
      if (min == 0) items = builder_.optional(std::move(items));
    }
    return concat({builder_.literal("["), space(), items, builder_.literal("]")});
  }

  Result<GrammarSequence> schema(const Json& node, const std::string& path, int depth) {
    if (depth > kMaxDepth) return malformed(path, "it is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    if (builder_.num_rules() > kMaxRules) return malformed(path, "it is too large when written out");
    if (node.is_boolean()) {
      if (node.get<bool>()) return GrammarSequence{GrammarBuilder::rule(any_value_rule())};
      return builder_.any_of({});  // nothing
    }
    if (!node.is_object()) return malformed(path, "a schema must be an object, true or false");

    std::set<std::string, std::less<>> keywords;
    for (const auto& [key, value] : node.items()) {
      if (!kAnnotations.contains(key)) keywords.insert(key);
    }
    const auto only = [&](const char* keyword) -> Result<void> {
      for (const std::string& other : keywords) {
        // A type beside the alternatives repeats what they say often enough; every other sibling would have to be intersected.
        if (other != keyword) return unsupported(path, other, std::string("beside \"") + keyword + "\"");
      }
      return {};
    };
    if (keywords.contains("$ref")) {
      TANDEM_TRY(only("$ref"));
      return reference(node["$ref"], path, depth);
    }
    for (const char* keyword : {"anyOf", "oneOf", "allOf"}) {
      if (!keywords.contains(keyword)) continue;
      TANDEM_TRY(only(keyword));
      return combination(node[keyword], keyword, path, depth);
    }
    if (keywords.contains("const")) return literals(Json::array({node["const"]}), node, keywords, path);
    if (keywords.contains("enum")) {
      if (!node["enum"].is_array() || node["enum"].empty())
        return malformed(path, "\"enum\" must be a list with at least one value");
      return literals(node["enum"], node, keywords, path);
    }
    return typed(node, keywords, path, depth);
  }

  Result<GrammarSequence> reference(const Json& ref, const std::string& path, int depth) {
    if (!ref.is_string()) return malformed(path, "\"$ref\" must be a string");
    const std::string target = ref.get<std::string>();
    if (target.empty() || target.front() != '#')
      return unsupported(path, "$ref", "to another document (" + target.substr(0, 100) + ")");
    const auto known = references_.find(target);
    if (known != references_.end()) return GrammarSequence{GrammarBuilder::rule(known->second)};
    const Json* node = nullptr;
    try {
      const Json::json_pointer pointer(decoded(target.substr(1)));
      if (!root_.contains(pointer)) return malformed(path, "\"$ref\" to " + target.substr(0, 100) + " leads nowhere");
      node = &root_.at(pointer);
    } catch (const Json::exception&) {
      return unsupported(path, "$ref", "of the form " + target.substr(0, 100) + "; use a JSON pointer like #/$defs/name");
    }
    const RuleId id = builder_.new_rule();
    references_.emplace(target, id);
    builder_.add_alternative(id, TANDEM_TRY(schema(*node, target, depth + 1)));
    return GrammarSequence{GrammarBuilder::rule(id)};
  }

  static std::string decoded(const std::string& fragment) {
    std::string out;
    for (std::size_t i = 0; i < fragment.size(); ++i) {
      if (fragment[i] == '%' && i + 2 < fragment.size() && std::isxdigit(static_cast<unsigned char>(fragment[i + 1])) != 0 &&
          std::isxdigit(static_cast<unsigned char>(fragment[i + 2])) != 0) {
        out.push_back(static_cast<char>(std::stoi(fragment.substr(i + 1, 2), nullptr, 16)));
        i += 2;
      } else {
        out.push_back(fragment[i]);
      }
    }
    return out;
  }

  Result<GrammarSequence> combination(const Json& list, const std::string& keyword, const std::string& path, int depth) {
    if (!list.is_array() || list.empty()) return malformed(path, "\"" + keyword + "\" must be a list with at least one schema");
    if (keyword == "allOf" && list.size() > 1) return unsupported(path, "allOf", "of more than one schema");
    if (keyword == "oneOf" && list.size() > 1) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::size_t j = i + 1; j < list.size(); ++j) {
          if (!exclude_each_other(list[i], list[j], 0)) {
            return unsupported(path, "oneOf",
                               "alternatives " + std::to_string(i) + " and " + std::to_string(j) +
                                   " may both match; tell them apart by type or by a required constant property, or use anyOf");
          }
        }
      }
    }
    std::vector<GrammarSequence> alternatives;
    for (std::size_t i = 0; i < list.size(); ++i) {
      alternatives.push_back(TANDEM_TRY(schema(list[i], path + "/" + keyword + "/" + std::to_string(i), depth + 1)));
    }
    return builder_.any_of(std::move(alternatives));
  }

  // The JSON types a schema can match, as far as it says so directly; empty: not known.
  std::set<std::string> types_of(const Json& node, int depth) const {
    if (!node.is_object() || depth > 8) return {};
    if (node.contains("$ref") && node["$ref"].is_string() && node["$ref"].get<std::string>().substr(0, 1) == "#") {
      try {
        return types_of(root_.at(Json::json_pointer(decoded(node["$ref"].get<std::string>().substr(1)))), depth + 1);
      } catch (const Json::exception&) {
        return {};
      }
    }
    std::set<std::string> types;
    const auto add = [&](const Json& value) { types.insert(value.is_number() ? "number" : std::string(value.type_name())); };
    if (node.contains("const")) {
      add(node["const"]);
    } else if (node.contains("enum") && node["enum"].is_array()) {
      for (const Json& value : node["enum"]) add(value);
    } else if (node.contains("type") && node["type"].is_string()) {
      types.insert(node["type"] == "integer" ? "number" : node["type"].get<std::string>());
    } else if (node.contains("type") && node["type"].is_array()) {
      for (const Json& type : node["type"]) {
        if (type.is_string()) types.insert(type == "integer" ? "number" : type.get<std::string>());
      }
    }
    return types;
  }
  static std::optional<std::vector<Json>> constants_of(const Json& node) {
    if (!node.is_object()) return std::nullopt;
    if (node.contains("const")) return std::vector<Json>{node["const"]};
    if (node.contains("enum") && node["enum"].is_array()) return std::vector<Json>(node["enum"].begin(), node["enum"].end());
    return std::nullopt;
  }
  const Json& resolved(const Json& node, int depth) const {
    if (!node.is_object() || depth > 8 || !node.contains("$ref") || !node["$ref"].is_string()) return node;
    const std::string target = node["$ref"].get<std::string>();
    if (target.substr(0, 1) != "#") return node;
    try {
      return resolved(root_.at(Json::json_pointer(decoded(target.substr(1)))), depth + 1);
    } catch (const Json::exception&) {
      return node;
    }
  }
  bool exclude_each_other(const Json& a_node, const Json& b_node, int depth) const {
    const Json& a = resolved(a_node, 0);
    const Json& b = resolved(b_node, 0);
    const auto a_types = types_of(a, 0);
    const auto b_types = types_of(b, 0);
    if (!a_types.empty() && !b_types.empty() &&
        std::none_of(a_types.begin(), a_types.end(), [&](const std::string& type) { return b_types.contains(type); })) {
      return true;
    }
    const auto a_values = constants_of(a);
    const auto b_values = constants_of(b);
    if (a_values && b_values) {
      return std::none_of(a_values->begin(), a_values->end(), [&](const Json& value) {
        return std::find(b_values->begin(), b_values->end(), value) != b_values->end();
      });
    }
    // Objects told apart by a property that both require.
    if (depth > 2 || !a.is_object() || !b.is_object() || !a.contains("properties") || !b.contains("properties")) return false;
    if (!a["properties"].is_object() || !b["properties"].is_object()) return false;
    const auto requires_name = [](const Json& node, const std::string& name) {
      return node.contains("required") && node["required"].is_array() &&
             std::find(node["required"].begin(), node["required"].end(), Json(name)) != node["required"].end();
    };
    for (const auto& [name, value] : a["properties"].items()) {
      if (requires_name(a, name) && requires_name(b, name) && b["properties"].contains(name) &&
          exclude_each_other(value, b["properties"][name], depth + 1)) {
        return true;
      }
    }
    return false;
  }

  Result<GrammarSequence> literals(const Json& values, const Json& node, const std::set<std::string, std::less<>>& keywords,
                                   const std::string& path) {
    for (const std::string& keyword : keywords) {
      if (keyword != "const" && keyword != "enum" && keyword != "type")
        return unsupported(path, keyword, "beside \"enum\" or \"const\"");
    }
    if (keywords.contains("const") && keywords.contains("enum")) return unsupported(path, "const", "beside \"enum\"");
    std::set<std::string> types;
    if (keywords.contains("type")) {
      for (const std::string& type : TANDEM_TRY(type_list(node["type"], path))) types.insert(type);
    }
    std::vector<GrammarSequence> alternatives;
    for (const Json& value : values) {
      if (!types.empty() && !matches_type(value, types)) continue;
      alternatives.push_back(builder_.literal(value.dump()));
    }
    return builder_.any_of(std::move(alternatives));
  }

  static bool matches_type(const Json& value, const std::set<std::string>& types) {
    if (types.contains(value.type_name())) return true;
    return types.contains("integer") && is_whole(value);
  }

  Result<std::vector<std::string>> type_list(const Json& type, const std::string& path) const {
    static const std::set<std::string, std::less<>> kTypes{"object", "array", "string", "number", "integer", "boolean", "null"};
    std::vector<std::string> names;
    const Json list = type.is_array() ? type : Json::array({type});
    for (const Json& name : list) {
      if (!name.is_string() || !kTypes.contains(name.get<std::string>()))
        return malformed(path, "unknown \"type\" " + name.dump().substr(0, 60));
      names.push_back(name.get<std::string>());
    }
    if (names.empty()) return malformed(path, "\"type\" is an empty list");
    return names;
  }

  // Which type each keyword belongs to; a keyword here is understood by the function of that type.
  static const std::map<std::string, std::string, std::less<>>& type_of_keyword() {
    static const std::map<std::string, std::string, std::less<>> kMap{
        {"properties", "object"}, {"required", "object"},         {"additionalProperties", "object"},
        {"items", "array"},       {"prefixItems", "array"},       {"minItems", "array"},
        {"maxItems", "array"},    {"minLength", "string"},        {"maxLength", "string"},
        {"pattern", "string"},    {"format", "string"},           {"minimum", "number"},
        {"maximum", "number"},    {"exclusiveMinimum", "number"}, {"exclusiveMaximum", "number"}};
    return kMap;
  }

  Result<GrammarSequence> typed(const Json& node, const std::set<std::string, std::less<>>& keywords, const std::string& path,
                                int depth) {
    for (const std::string& keyword : keywords) {
      if (keyword == "type" || type_of_keyword().contains(keyword)) continue;
      if (keyword == "uniqueItems" && node[keyword] == false) continue;
      return unsupported(path, keyword);
    }
    std::vector<std::string> types{"object", "array", "string", "number", "boolean", "null"};
    if (keywords.contains("type")) types = TANDEM_TRY(type_list(node["type"], path));
    if (keywords.empty()) return GrammarSequence{GrammarBuilder::rule(any_value_rule())};

    std::vector<GrammarSequence> alternatives;
    const bool has_number = std::find(types.begin(), types.end(), "number") != types.end();
    for (const std::string& type : types) {
      if (type == "null") {
        alternatives.push_back(builder_.literal("null"));
      } else if (type == "boolean") {
        alternatives.push_back(builder_.any_of({builder_.literal("true"), builder_.literal("false")}));
      } else if (type == "integer") {
        if (!has_number) alternatives.push_back(TANDEM_TRY(number(node, true, path)));
      } else if (type == "number") {
        alternatives.push_back(TANDEM_TRY(number(node, false, path)));
      } else if (type == "string") {
        alternatives.push_back(TANDEM_TRY(string(node, path)));
      } else if (type == "array") {
        alternatives.push_back(TANDEM_TRY(array(node, path, depth)));
      } else {
        alternatives.push_back(TANDEM_TRY(object(node, path, depth)));
      }
    }
    return builder_.any_of(std::move(alternatives));
  }

  Result<GrammarSequence> number(const Json& node, bool integer, const std::string& path) {
    NumberBounds bounds;
    const auto read = [&](const char* keyword, std::optional<Decimal>& bound) -> Result<bool> {
      if (!node.contains(keyword)) return false;
      if (!node[keyword].is_number()) return malformed(path, std::string("\"") + keyword + "\" must be a number");
      bound = TANDEM_TRY(to_decimal(node[keyword]));
      return true;
    };
    for (const auto& [inclusive, exclusive, bound, flag] :
         {std::tuple{"minimum", "exclusiveMinimum", &bounds.min, &bounds.min_exclusive},
          std::tuple{"maximum", "exclusiveMaximum", &bounds.max, &bounds.max_exclusive}}) {
      const bool has_inclusive = TANDEM_TRY(read(inclusive, *bound));
      const bool has_exclusive = TANDEM_TRY(read(exclusive, *bound));
      if (has_inclusive && has_exclusive) return unsupported(path, exclusive, std::string("beside \"") + inclusive + "\"");
      *flag = has_exclusive;
    }
    return number_grammar(builder_, integer, bounds);
  }

  Result<std::int64_t> length(const Json& node, const char* keyword, std::int64_t absent, const std::string& path) const {
    if (!node.contains(keyword)) return absent;
    const Json& value = node[keyword];
    if (!is_whole(value) || value.get<double>() < 0)
      return malformed(path, std::string("\"") + keyword + "\" must be a whole number from 0 on");
    if (value.get<double>() > double(kMaxLength)) {
      return unsupported(path, keyword, "above " + std::to_string(kMaxLength) + " (it is " + value.dump() + ")");
    }
    return value.get<std::int64_t>();
  }

  Result<GrammarSequence> string(const Json& node, const std::string& path) {
    const GrammarSequence quote = builder_.literal("\"");
    const std::int64_t min = TANDEM_TRY(length(node, "minLength", 0, path));
    const std::int64_t max = TANDEM_TRY(length(node, "maxLength", -1, path));
    const bool has_length = min > 0 || max >= 0;
    std::string pattern;
    if (node.contains("pattern")) {
      if (!node["pattern"].is_string()) return malformed(path, "\"pattern\" must be a string");
      if (has_length) return unsupported(path, "pattern", "together with a length; write the length into the pattern");
      pattern = node["pattern"].get<std::string>();
    }
    if (node.contains("format")) {
      if (!node["format"].is_string()) return malformed(path, "\"format\" must be a string");
      const auto known = kFormats.find(node["format"].get<std::string>());
      if (known == kFormats.end()) return unsupported(path, "format", node["format"].dump().substr(0, 60));
      if (has_length || !pattern.empty()) return unsupported(path, "format", "together with \"pattern\" or a length");
      pattern = known->second;
    }
    if (node.contains("pattern") || node.contains("format")) {
      auto body = regex_grammar(builder_, pattern, write_string_characters);
      if (!body) return Error{body.error().code, where(path) + ": " + body.error().detail};
      return concat({quote, *body, quote});
    }
    if (!has_length) return any_string();
    if (max >= 0 && max < min) return builder_.any_of({});
    return concat({quote, builder_.repeat(character(), min, max), quote});
  }

  Result<GrammarSequence> array(const Json& node, const std::string& path, int depth) {
    const std::int64_t min = TANDEM_TRY(length(node, "minItems", 0, path));
    const std::int64_t max = TANDEM_TRY(length(node, "maxItems", -1, path));
    if (max >= 0 && max < min) return builder_.any_of({});
    GrammarSequence item{GrammarBuilder::rule(any_value_rule())};
    if (node.contains("items")) {
      if (node["items"].is_array()) return unsupported(path, "items", "as a list; use prefixItems");
      item = as_rule(TANDEM_TRY(schema(node["items"], path + "/items", depth + 1)));
    }
    if (!node.contains("prefixItems")) return list_of(item, min, max);

    if (!node["prefixItems"].is_array()) return malformed(path, "\"prefixItems\" must be a list");
    std::vector<GrammarSequence> first;
    for (std::size_t i = 0; i < node["prefixItems"].size(); ++i) {
      first.push_back(
          as_rule(TANDEM_TRY(schema(node["prefixItems"][i], path + "/prefixItems/" + std::to_string(i), depth + 1))));
    }
    // From the back: item i, then what may follow it.
    const auto count = static_cast<std::int64_t>(first.size());
    const bool closed = node.contains("items") && node["items"] == false;
    GrammarSequence rest;
    if (!closed && (max < 0 || max > count)) {
      rest = builder_.repeat(concat({comma(), item}), std::max<std::int64_t>(min - count, 0), max < 0 ? -1 : max - count);
    } else if (min > count) {
      return builder_.any_of({});
    }
    for (std::int64_t i = count - 1; i >= 0; --i) {
      if (max >= 0 && i >= max) {
        rest = {};
        continue;
      }
      GrammarSequence here = concat({i > 0 ? comma() : GrammarSequence{}, first[static_cast<std::size_t>(i)], rest});
      rest = i >= min ? builder_.optional(std::move(here)) : std::move(here);
    }
    return concat({builder_.literal("["), space(), rest, space(), builder_.literal("]")});
  }

  GrammarSequence as_rule(GrammarSequence sequence) {
    if (sequence.size() == 1) return sequence;
    const RuleId id = builder_.new_rule();
    builder_.add_alternative(id, std::move(sequence));
    return {GrammarBuilder::rule(id)};
  }

  Result<GrammarSequence> object(const Json& node, const std::string& path, int depth) {
    const Json no_properties = Json::object();
    const Json& properties = node.contains("properties") ? node["properties"] : no_properties;
    if (!properties.is_object()) return malformed(path, "\"properties\" must be an object");
    Json additional = true;
    if (node.contains("additionalProperties")) additional = node["additionalProperties"];
    std::set<std::string> required;
    std::vector<std::string> unlisted;  // required, but not among the properties
    if (node.contains("required")) {
      if (!node["required"].is_array()) return malformed(path, "\"required\" must be a list");
      for (const Json& name : node["required"]) {
        if (!name.is_string()) return malformed(path, "\"required\" must hold strings");
        const std::string text = name.get<std::string>();
        if (required.insert(text).second && !properties.contains(text)) unlisted.push_back(text);
      }
    }
    const GrammarSequence value_of_others = as_rule(TANDEM_TRY(schema(additional, path + "/additionalProperties", depth + 1)));
    if (properties.empty() && unlisted.empty()) {
      if (additional == false) return concat({builder_.literal("{"), space(), builder_.literal("}")});
      return map_of(value_of_others);
    }

    struct Member {
      GrammarSequence text;
      bool required = false;
    };
    std::vector<Member> members;
    const auto member = [&](const std::string& name, const GrammarSequence& value) {
      return as_rule(concat({builder_.literal(Json(name).dump()), builder_.literal(":"), space(), value}));
    };
    for (const auto& [name, value] : properties.items()) {
      const GrammarSequence body = as_rule(TANDEM_TRY(schema(value, path + "/properties/" + name, depth + 1)));
      members.push_back({member(name, body), required.contains(name)});
    }
    for (const std::string& name : unlisted) members.push_back({member(name, value_of_others), true});

    // after[i]: what may come from member i on when a member has been written before it; first[i]: when none has.
    GrammarSequence after;
    GrammarSequence first;
    for (std::size_t i = members.size(); i-- > 0;) {
      GrammarSequence with_comma = concat({comma(), members[i].text, after});
      GrammarSequence alone = concat({members[i].text, after});
      if (members[i].required) {
        first = as_rule(std::move(alone));
        after = as_rule(std::move(with_comma));
      } else {
        first = builder_.any_of({std::move(alone), first});
        after = builder_.any_of({std::move(with_comma), after});
      }
    }
    return concat({builder_.literal("{"), space(), first, space(), builder_.literal("}")});
  }

  const Json& root_;
  GrammarBuilder builder_;
  std::map<std::string, RuleId> references_;
  std::optional<RuleId> space_rule_, character_rule_, string_rule_, any_object_, any_value_;
};

}  // namespace

Result<std::shared_ptr<const Grammar>> json_schema_grammar(const Json& schema) {
  try {
    return SchemaCompiler(schema).compile();
  } catch (const Json::exception& exception) {
    return Error{ErrorCode::kInvalidArgument, std::string("schema: ") + exception.what()};
  }
}

}  // namespace tandem::engine
