#include "engine/server/json_fields.h"

#include <gtest/gtest.h>

namespace tandem::engine::server {
namespace {

Json parsed(std::string_view text) {
  auto result = parse_body(text);
  EXPECT_TRUE(std::holds_alternative<Json>(result)) << text;
  return std::holds_alternative<Json>(result) ? std::get<Json>(result) : Json::object();
}

bool refused(std::string_view text) {
  return std::holds_alternative<ApiError>(parse_body(text));
}

TEST(ParseBody, MalformedTextIsRefused) {
  for (const char* text :
       {"", "{", "[]", "1", "null", "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":1}x", "{'a':1}", "{\"a\":\"\xFF\"}"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(ParseBody, NestingIsBounded) {
  const auto nested = [](int depth) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']') +
           "}";
  };
  EXPECT_FALSE(refused(nested(60)));
  EXPECT_TRUE(refused(nested(100)));
  EXPECT_TRUE(refused(nested(1000000)));
}

TEST(ParseBody, LoneSurrogatesBecomeReplacementCharacters) {
  EXPECT_EQ(parsed(R"({"a":"x\ud800y"})")["a"], "x\xEF\xBF\xBDy");
  EXPECT_EQ(parsed(R"({"a":"\udc00"})")["a"], "\xEF\xBF\xBD");
  EXPECT_EQ(parsed(R"({"a":"\ud83d\ude00"})")["a"], "\xF0\x9F\x98\x80");
  EXPECT_EQ(parsed(R"({"a":"\\ud800"})")["a"], "\\ud800");
}

TEST(JsonFields, FirstWrongTypeIsKeptAndNamed) {
  const Json body = parsed(R"({"stream":"yes","n":"many"})");
  JsonFields fields(body);
  EXPECT_FALSE(fields.boolean("stream"));
  EXPECT_FALSE(fields.integer("n", 1, 4));
  ASSERT_TRUE(fields.error());
  EXPECT_EQ(fields.error()->param, "stream");
  EXPECT_EQ(fields.error()->status, 400);
}

TEST(JsonFields, IntegersMustBeInRangeAndWhole) {
  for (const char* text :
       {R"({"n":0})", R"({"n":5})", R"({"n":1.5})", R"({"n":18446744073709551615})", R"({"n":-1})", R"({"n":true})"}) {
    const Json body = parsed(text);
    JsonFields fields(body);
    EXPECT_FALSE(fields.integer("n", 1, 4)) << text;
    ASSERT_TRUE(fields.error()) << text;
    EXPECT_NE(fields.error()->message.find("from 1 to 4"), std::string::npos);
  }
}

TEST(JsonFields, NullCountsAsAbsent) {
  const Json body = parsed(R"({"stop":null,"seed":null})");
  JsonFields fields(body);
  EXPECT_FALSE(fields.has("stop"));
  EXPECT_TRUE(fields.strings("stop", 4).empty());
  EXPECT_FALSE(fields.integer("seed", 0, 9));
  EXPECT_FALSE(fields.error());
}

TEST(JsonFields, UnaskedNamesAreUnknown) {
  const Json body = parsed(R"({"model":"m","colour":"red","user":"u"})");
  JsonFields fields(body);
  fields.string("model");
  fields.ignore({"user"});
  EXPECT_EQ(fields.unknown_fields(), std::vector<std::string>{"colour"});
}

TEST(JsonFields, UnsupportedFieldPassesOnlyWithAHarmlessValue) {
  const Json body = parsed(R"({"a":false,"b":true})");
  JsonFields fields(body);
  fields.refuse_unless("a", {false});
  EXPECT_FALSE(fields.error());
  fields.refuse_unless("b", {false});
  ASSERT_TRUE(fields.error());
  EXPECT_EQ(fields.error()->param, "b");
}

}  // namespace
}  // namespace tandem::engine::server
