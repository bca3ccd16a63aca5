#include "engine/model_file/json_reader.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace tandem::engine {
namespace {

void expect_refused(const std::string& text, const std::string& part) {
  const auto json = parse_json(text, "config.json");
  ASSERT_FALSE(json) << text.substr(0, 100);
  EXPECT_EQ(json.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(json.error().detail.find("config.json"), std::string::npos) << json.error().detail;
  EXPECT_NE(json.error().detail.find(part), std::string::npos) << json.error().detail;
}

TEST(JsonReader, ValuesAndKeyOrderComeBack) {
  const auto json = parse_json(R"( {"z": [1, -2, 2.5, "é", true, null, {}], "a": {"b": []}, "n": 18446744073709551615} )", "f");
  ASSERT_TRUE(json) << json.error().detail;
  EXPECT_EQ(json->dump(), R"({"z":[1,-2,2.5,"é",true,null,{}],"a":{"b":[]},"n":18446744073709551615})");
  EXPECT_EQ(json->at("n").get<std::uint64_t>(), ~0ull);
  EXPECT_EQ(json->begin().key(), "z");
}

TEST(JsonReader, ScalarsAreDocumentsToo) {
  EXPECT_EQ(*parse_json("7", "f"), 7);
  EXPECT_TRUE(parse_json("null", "f")->is_null());
}

TEST(JsonReader, DuplicateKeysAreRefusedAtAnyDepth) {
  expect_refused(R"({"a": 1, "a": 2})", "\"a\" appears twice");
  expect_refused(R"({"x": [{"b": 1, "c": 2, "b": 3}]})", "\"b\" appears twice");
  expect_refused(R"({"a": 1, "\u0061": 2})", "\"a\" appears twice");
  EXPECT_TRUE(parse_json(R"({"a": {"a": 1}, "b": {"a": 2}})", "f"));
}

TEST(JsonReader, DeepNestingIsRefused) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "f"));
  expect_refused(std::string(65, '[') + std::string(65, ']'), "deeper than 64");
  expect_refused(std::string(1'000'000, '['), "deeper than 64");
}

TEST(JsonReader, IntegersThatNeedMoreThan64BitsAreRefused) {
  expect_refused(R"({"n": 18446744073709551616})", "18446744073709551616");
  expect_refused(R"({"n": -9223372036854775809})", "-9223372036854775809");
  EXPECT_EQ(parse_json(R"({"n": -9223372036854775808})", "f")->at("n").get<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(parse_json("1e20", "f")->get<double>(), 1e20);
  expect_refused("1e999", "JSON");
}

TEST(JsonReader, TextThatIsNotJsonIsRefused) {
  for (const char* text :
       {"", " ", "{", "{}x", "{'a': 1}", "[1,]", "{\"a\": NaN}", "\"\xff\"", "\"\xed\xa0\x80\"", "// c\n1"}) {
    expect_refused(text, "not valid JSON");
  }
  expect_refused(std::string("{}\0garbage", 10), "not valid JSON at byte 2");
}

TEST(JsonReader, ManyKeysStayFast) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  const auto json = parse_json(text + "}", "f");
  ASSERT_TRUE(json) << json.error().detail;
  EXPECT_EQ(json->size(), 200'000u);
}

}  // namespace
}  // namespace tandem::engine
