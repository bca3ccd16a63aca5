#include "engine/chat/chat_messages.h"

#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

Json prepared(const char* messages, MessageStyle style = {}) {
  auto result = prepare_messages(Json::parse(messages), style);
  EXPECT_TRUE(result.has_value()) << result.error().detail;
  return result.has_value() ? *result : Json();
}
std::string error_of(const char* messages, MessageStyle style = {}) {
  const auto result = prepare_messages(Json::parse(messages), style);
  return result.has_value() ? "" : result.error().detail;
}

TEST(ChatMessages, ArgumentTextBecomesAnObjectInItsOrder) {
  const Json out = prepared(R"([{"role": "assistant", "content": "", "tool_calls":
      [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"b\": 1, \"a\": [2.0]}"}}]}])");
  EXPECT_EQ(out[0]["tool_calls"][0]["function"]["arguments"].dump(), R"({"b":1,"a":[2.0]})");
}

TEST(ChatMessages, EmptyArgumentTextIsAnEmptyObject) {
  const Json out = prepared(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ""}}]}])");
  EXPECT_EQ(out[0]["tool_calls"][0]["function"]["arguments"], Json::object());
}

TEST(ChatMessages, ArgumentTextThatIsNoObjectStaysText) {
  for (const char* text : {"not json", "[1]", "{\\\"a\\\": ", "3"}) {
    const std::string message =
        std::string(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ")") + text + R"("}}]}])";
    EXPECT_TRUE(prepared(message.c_str())[0]["tool_calls"][0]["function"]["arguments"].is_string()) << text;
  }
}

TEST(ChatMessages, ContentLeftOutBesideCallsIsNull) {
  EXPECT_TRUE(prepared(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}])")[0]["content"].is_null());
  EXPECT_FALSE(prepared(R"([{"role": "assistant"}])")[0].contains("content"));
  EXPECT_TRUE(prepared(R"([{"role": "assistant", "content": null}])")[0]["content"].is_null());
}

TEST(ChatMessages, TextOnlyTemplatesRefuseOtherParts) {
  EXPECT_NE(error_of(R"([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}])")
                .find("messages[0].content: a part of type \"image_url\""),
            std::string::npos);
  MessageStyle style;
  style.takes_parts = true;
  EXPECT_TRUE(prepared(R"([{"role": "user", "content": [{"type": "image_url"}]}])", style)[0]["content"].is_array());
}

TEST(ChatMessages, MalformedConversationsNameTheMessage) {
  EXPECT_NE(error_of("[]").find("at least one message"), std::string::npos);
  EXPECT_NE(error_of("{}").find("at least one message"), std::string::npos);
  EXPECT_NE(error_of("[1]").find("messages[0] must be an object"), std::string::npos);
  EXPECT_NE(error_of(R"([{"role": "user", "content": "x"}, {"content": "x"}])").find("messages[1] needs a \"role\""),
            std::string::npos);
  EXPECT_NE(error_of(R"([{"role": "", "content": "x"}])").find("messages[0]"), std::string::npos);
  EXPECT_NE(error_of(R"([{"role": "user", "content": 5}])").find("messages[0].content"), std::string::npos);
  EXPECT_NE(error_of(R"([{"role": "assistant", "tool_calls": 5}])").find("messages[0].tool_calls"), std::string::npos);
  EXPECT_NE(error_of(R"([{"role": "assistant", "tool_calls": [{}]}])").find("function with a name"), std::string::npos);
}

}  // namespace
}  // namespace tandem::engine
