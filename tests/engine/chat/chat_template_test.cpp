#include "engine/chat/chat_template.h"

#include <gtest/gtest.h>

#include "engine/model_file/model_file.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

std::shared_ptr<const ChatTemplate> parsed(std::string source) {
  auto result = ChatTemplate::parse(std::move(source), "test.gguf");
  EXPECT_TRUE(result.has_value()) << result.error().detail;
  return result.has_value() ? *result : nullptr;
}

ChatTemplateInput one_user(Json content = "Hi") {
  ChatTemplateInput input;
  input.messages = Json::array({{{"role", "user"}, {"content", std::move(content)}}});
  return input;
}

TEST(ChatTemplate, GivesTheTemplateItsVariables) {
  const auto chat =
      parsed("{{ bos_token }}{{ messages[0].content }}{{ tools }}{{ add_generation_prompt }}{{ eos_token }}{{ level }}");
  ChatTemplateInput input = one_user();
  input.bos_token = "<s>";
  input.eos_token = "</s>";
  input.kwargs["level"] = 3;
  EXPECT_EQ(chat->render(input).value(), "<s>HiNoneTrue</s>3");
}

TEST(ChatTemplate, ReservedArgumentsAreRefused) {
  for (const char* name : {"messages", "tools", "bos_token", "add_generation_prompt", "namespace", "raise_exception"}) {
    ChatTemplateInput input = one_user();
    input.kwargs[name] = 1;
    const auto text = parsed("x")->render(input);
    ASSERT_FALSE(text.has_value()) << name;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(text.error().detail.find(name), std::string::npos);
  }
}

TEST(ChatTemplate, BrokenTemplateNamesFileAndLine) {
  const auto result = ChatTemplate::parse("a\n{% if %}", "model.gguf");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().detail, "model.gguf: chat template, line 2: expected an expression, got '%}'");
}

TEST(ChatTemplate, RaisedMessageIsTheError) {
  const auto text = parsed("{{ raise_exception('Roles must alternate.') }}")->render(one_user());
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(text.error().detail, "Roles must alternate.");
}

TEST(ChatTemplate, MentionsTellsWhichVariablesAreRead) {
  const auto chat = parsed("{% if enable_thinking is defined and enable_thinking %}{{ a.b }}{% endif %}{# other #}'text'");
  EXPECT_TRUE(chat->mentions("enable_thinking"));
  EXPECT_TRUE(chat->mentions("a"));
  EXPECT_FALSE(chat->mentions("b"));
  EXPECT_FALSE(chat->mentions("other"));
  EXPECT_FALSE(chat->mentions("text"));
  EXPECT_TRUE(parsed("{% macro m() %}{{ enable_thinking }}{% endmacro %}")->mentions("enable_thinking"));
}

TEST(ChatTemplate, PartsAreJoinedUnlessTheTemplatePrintsThem) {
  const Json parts = Json::array({{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}});
  EXPECT_EQ(parsed("{{ messages[0].content }}")->render(one_user(parts)).value(), "ab");
  // Looks at parts in a branch, but drops them.
  EXPECT_EQ(parsed("{{ messages[0].content if messages[0].content is string else '' }}")->render(one_user(parts)).value(),
            "ab");
  const auto with_parts = parsed(
      "{% if messages[0].content is string %}{{ messages[0].content }}{% else %}{% for p in messages[0].content %}"
      "<{{ p.text }}>{% endfor %}{% endif %}");
  EXPECT_EQ(with_parts->render(one_user(parts)).value(), "<a><b>");
}

TEST(ChatTemplate, StepTemplatesGetStrippedContents) {
  const auto chat = parsed("{% if false %}<|im_start|>tool_response{% endif %}[{{ messages[0].content }}]");
  EXPECT_EQ(chat->render(one_user(" \n hi\t\n")).value(), "[hi]");
}

TEST(ChatTemplate, DemoModelsTemplateRenders) {
  const auto file = ModelFile::open(std::string(TANDEM_RESOURCES) + "/demo-model/tandem-demo-Q8_0.gguf");
  ASSERT_TRUE(file.has_value()) << file.error().detail;
  const auto chat = ChatTemplate::from_model(**file, false);
  ASSERT_TRUE(chat.has_value()) << chat.error().detail;
  ASSERT_NE(*chat, nullptr);
  const auto text = (*chat)->render(one_user("How are you?"));
  ASSERT_TRUE(text.has_value()) << text.error().detail;
  EXPECT_NE(text->find("How are you?"), std::string::npos);
}

}  // namespace
}  // namespace tandem::engine
