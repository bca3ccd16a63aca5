#include "engine/sampling/grammar/json_schema.h"

#include <gtest/gtest.h>

#include "tests/engine/sampling/grammar/matching.h"

namespace tandem::engine {
namespace {

using tandem::testing::holds;
using tandem::testing::random_word;
using Json = nlohmann::ordered_json;

std::shared_ptr<const Grammar> compiled(const char* schema) {
  auto grammar = json_schema_grammar(Json::parse(schema));
  EXPECT_TRUE(grammar) << schema << ": " << (grammar ? "" : grammar.error().detail);
  return grammar ? *grammar : nullptr;
}

struct Case {
  const char* schema;
  std::vector<const char*> valid, invalid;
};

TEST(JsonSchema, TextsAreHeldExactlyAsTheSchemaSays) {
  const std::vector<Case> cases{
      {R"({"type":"string"})", {R"("")", R"("a\n\"é")", "\"\xE4\xBD\xA0\""}, {R"(a)", R"("a)", "\"\n\"", R"("\q")", R"(null)"}},
      {R"({"type":"string","minLength":2,"maxLength":3})",
       {R"("ab")", "\"\xE4\xBD\xA0\xE5\xA5\xBD\"", R"("\n\\x")"},
       {R"("a")", R"("abcd")"}},
      {R"({"type":["integer","null"]})", {"3", "-7", "null"}, {"3.5", "\"3\"", "true"}},
      {R"({"type":"integer","minimum":1,"maximum":12})", {"1", "9", "12"}, {"0", "13", "-1", "1.0"}},
      {R"({"enum":["red",5,null,{"a":[1]}]})", {R"("red")", "5", "null", R"({"a":[1]})"}, {R"("blue")", "6", "{}"}},
      {R"({"const":"x"})", {R"("x")"}, {R"("y")"}},
      {R"({"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2})",
       {"[true]", "[true,false]", "[ true, false ]"},
       {"[]", "[true,true,true]", "[1]"}},
      {R"({"type":"array","prefixItems":[{"const":1},{"const":2}],"items":false})", {"[]", "[1]", "[1,2]"}, {"[2]", "[1,2,3]"}},
      {R"({"type":"array","maxItems":0})", {"[]"}, {"[1]"}},
      {R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false})",
       {R"({"a":1})", R"({"a":1,"b":"x"})", "{\n  \"a\": 1,\n  \"b\": \"x\"\n}"},
       {"{}", R"({"b":"x"})", R"({"a":1,"c":2})", R"({"a":"1"})", R"({"a":1,})"}},
      {R"({"type":"object","properties":{"a":{},"b":{},"c":{}}})",
       {"{}", R"({"a":1})", R"({"b":[]})", R"({"a":{},"c":null})", R"({"b":1,"c":2})"},
       {R"({"c":1,)", R"({,"a":1})"}},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})", {"{}", R"({"x":1,"y":2})"}, {R"({"x":"1"})"}},
      {R"({"type":"object","required":["z"]})", {R"({"z":0})"}, {"{}"}},
      {R"({"type":"object","additionalProperties":false})", {"{}", "{ }"}, {R"({"a":1})"}},
      {R"({"anyOf":[{"type":"integer"},{"type":"string","pattern":"^[A-Z]{2}$"}]})", {"4", R"("AB")"}, {R"("ab")", "null"}},
      {R"({"oneOf":[{"type":"object","properties":{"t":{"const":"a"},"x":{"type":"integer"}},"required":["t","x"]},
                    {"type":"object","properties":{"t":{"const":"b"}},"required":["t"]}]})",
       {R"({"t":"a","x":1})", R"({"t":"b"})"},
       {R"({"t":"c"})", R"({"t":"a"})"}},
      {R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},
           "required":["v","next"],"additionalProperties":false}}})",
       {R"({"v":1,"next":null})", R"({"v":1,"next":{"v":2,"next":null}})"},
       {R"({"v":1})", R"({"v":1,"next":{}})"}},
      {R"({"type":"string","format":"date"})",
       {R"("2026-12-01")", R"("2024-02-28")"},
       {R"("2026-13-01")", R"("2026-04-31")", R"("2026-2-1")"}},
      {R"({"type":"string","format":"uuid"})", {R"("123e4567-e89b-12d3-a456-426614174000")"}, {R"("123e4567")"}},
      {R"({"type":"string","format":"ipv4"})", {R"("10.0.255.1")"}, {R"("256.1.1.1")", R"("1.1.1")", R"("01.1.1.1")"}},
      {R"({"type":"string","pattern":"\"\\\\"})", {R"("a\"\\b")"}, {R"("a")"}},
      {"true", {"1", "{}", R"([null,"a",{"b":[]}])"}, {"", "nul"}},
  };
  for (const Case& one : cases) {
    const auto grammar = compiled(one.schema);
    ASSERT_NE(grammar, nullptr);
    for (const char* text : one.valid) EXPECT_TRUE(holds(grammar, text)) << one.schema << "\n" << text;
    for (const char* text : one.invalid) EXPECT_FALSE(holds(grammar, text)) << one.schema << "\n" << text;
  }
}

TEST(JsonSchema, UnsupportedKeywordIsNamedWithItsPlace) {
  for (const auto& [schema, keyword] : std::vector<std::pair<const char*, const char*>>{
           {R"({"type":"object","patternProperties":{}})", "patternProperties"},
           {R"({"properties":{"a":{"not":{}}}})", "not"},
           {R"({"type":"array","uniqueItems":true})", "uniqueItems"},
           {R"({"type":"integer","multipleOf":2})", "multipleOf"},
           {R"({"type":"string","format":"hostname"})", "format"},
           {R"({"type":"string","minLength":5000})", "minLength"},
           {R"({"if":{},"then":{}})", "if"},
           {R"({"allOf":[{},{}]})", "allOf"},
           {R"({"oneOf":[{"type":"string"},{"type":"string","maxLength":3}]})", "oneOf"},
           {R"({"$ref":"https://example.org/schema"})", "$ref"},
           {R"({"type":"object","minProperties":1})", "minProperties"}}) {
    const auto result = json_schema_grammar(Json::parse(schema));
    ASSERT_FALSE(result) << schema;
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported) << schema;
    EXPECT_NE(result.error().detail.find(std::string("\"") + keyword + "\""), std::string::npos) << result.error().detail;
  }
}

TEST(JsonSchema, MalformedAndUnsatisfiableSchemasAreRefused) {
  for (const char* schema : {"false", "5", "[]", R"({"type":"strange"})", R"({"enum":[]})",
                             R"({"type":"integer","minimum":3,"maximum":2})", R"({"$ref":"#/$defs/none"})",
                             R"({"type":"string","pattern":"["})", R"({"required":"a"})", R"({"type":"string","minLength":-1})",
                             R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"},"minItems":1}}})",
                             R"({"$ref":"#"})"}) {
    const auto result = json_schema_grammar(Json::parse(schema));
    ASSERT_FALSE(result) << schema;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << schema << ": " << result.error().detail;
  }
}

TEST(JsonSchema, DeepNestingIsRefusedNotFollowed) {
  std::string schema = "{}";
  for (int i = 0; i < 500; ++i) schema = R"({"type":"array","items":)" + schema + "}";
  EXPECT_FALSE(json_schema_grammar(Json::parse(schema)));
}

TEST(JsonSchema, RandomWordsAreJson) {
  std::mt19937_64 random(3);
  const auto any = compiled(R"({"type":"object"})");
  for (int i = 0; i < 300; ++i) {
    const std::string word = random_word(any, random, 60);
    const Json parsed = Json::parse(word, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << word;
    EXPECT_TRUE(parsed.is_object());
  }
}

}  // namespace
}  // namespace tandem::engine
