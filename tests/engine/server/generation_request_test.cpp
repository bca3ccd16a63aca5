#include "engine/server/generation_request.h"

#include <gtest/gtest.h>

namespace tandem::engine::server {
namespace {

constexpr const char* kHello = R"("messages":[{"role":"user","content":"hi"}])";

std::variant<GenerationRequest, ApiError> chat(const std::string& fields) {
  return parse_chat_request(Json::parse("{" + std::string(kHello) + (fields.empty() ? "" : ",") + fields + "}"), {});
}
std::variant<GenerationRequest, ApiError> completion(const std::string& fields) {
  return parse_completion_request(Json::parse("{" + fields + "}"), {});
}

GenerationRequest accepted(std::variant<GenerationRequest, ApiError> result) {
  if (const auto* error = std::get_if<ApiError>(&result)) ADD_FAILURE() << error->message;
  return std::holds_alternative<GenerationRequest>(result) ? std::get<GenerationRequest>(std::move(result))
                                                           : GenerationRequest{};
}

void expect_refused(std::variant<GenerationRequest, ApiError> result, const std::string& param) {
  const auto* error = std::get_if<ApiError>(&result);
  ASSERT_NE(error, nullptr) << param;
  EXPECT_EQ(error->status, 400);
  EXPECT_EQ(error->param, param) << error->message;
}

TEST(ChatRequest, SamplingFieldsReachTheEngine) {
  const auto request = accepted(chat(R"("temperature":0.5,"top_p":0.9,"top_k":20,"min_p":0.1,"repetition_penalty":1.1,
    "presence_penalty":-1,"frequency_penalty":2,"seed":7,"stop":["a","b"],"max_tokens":5,"max_completion_tokens":9,
    "logprobs":true,"top_logprobs":3,"stop_token_ids":[1,2],"n":2)"));
  ASSERT_EQ(request.prompts.size(), 1U);
  const SamplingParams& s = request.prompts[0].sampling;
  EXPECT_FLOAT_EQ(s.temperature, 0.5F);
  EXPECT_FLOAT_EQ(s.top_p, 0.9F);
  EXPECT_EQ(s.top_k, 20);
  EXPECT_FLOAT_EQ(s.min_p, 0.1F);
  EXPECT_FLOAT_EQ(s.repetition_penalty, 1.1F);
  EXPECT_FLOAT_EQ(s.presence_penalty, -1.0F);
  EXPECT_FLOAT_EQ(s.frequency_penalty, 2.0F);
  EXPECT_EQ(s.seed, 7U);
  EXPECT_EQ(s.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(s.max_tokens, 9) << "the newer name wins";
  EXPECT_EQ(s.logprobs, 3);
  EXPECT_EQ(s.stop_token_ids, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(request.n, 2);
}

TEST(ChatRequest, WrongValuesNameTheirField) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("temperature":-1)", "temperature"},
      {R"("temperature":"hot")", "temperature"},
      {R"("top_p":0)", "top_p"},
      {R"("top_p":1.5)", "top_p"},
      {R"("n":0)", "n"},
      {R"("n":1000)", "n"},
      {R"("max_tokens":0)", "max_tokens"},
      {R"("stop":[""])", "stop"},
      {R"("stop":[1])", "stop"},
      {R"("top_logprobs":5)", "top_logprobs"},
      {R"("logprobs":true,"top_logprobs":21)", "top_logprobs"},
      {R"("stream_options":{"include_usage":true})", "stream_options"},
      {R"("response_format":{"type":"grammar"})", "response_format"},
      {R"("chat_template":"{{ x }}")", "chat_template"},
      {R"("tool_choice":"required")", "tool_choice"},
      {R"("tools":[{"type":"retrieval"}])", "tools"},
      {R"("logit_bias":{"5":1})", "logit_bias"},
      {R"("continue_final_message":true)", "continue_final_message"},
      {R"("stop_token_ids":[-1])", "stop_token_ids"},
  };
  for (const auto& [fields, param] : cases) expect_refused(chat(fields), param);
}

TEST(ChatRequest, MessagesAreChecked) {
  for (const char* body : {R"({})", R"({"messages":[]})", R"({"messages":"hi"})", R"({"messages":[{"content":"x"}]})",
                           R"({"messages":[{"role":"user","content":5}]})",
                           R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]})"}) {
    expect_refused(parse_chat_request(Json::parse(body), {}), "messages");
  }
}

TEST(ChatRequest, ResponseFormatBecomesASchema) {
  EXPECT_TRUE(accepted(chat(R"("response_format":{"type":"text"})")).prompts[0].json_schema.is_null());
  EXPECT_EQ(accepted(chat(R"("response_format":{"type":"json_object"})")).prompts[0].json_schema, Json({{"type", "object"}}));
  const auto request = accepted(
      chat(R"("response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"enum":[1]}}})"));
  EXPECT_EQ(request.prompts[0].json_schema, Json({{"enum", {1}}}));
  expect_refused(chat(R"("response_format":{"type":"json_schema"})"), "response_format");
  expect_refused(chat(R"("response_format":{"type":"json_schema","json_schema":{"schema":null}})"), "response_format");
}

TEST(ChatRequest, ToolChoiceNoneHidesTools) {
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"f","parameters":{}}}])";
  EXPECT_FALSE(accepted(chat(tools)).tools.is_null());
  EXPECT_TRUE(accepted(chat(tools + R"(,"tool_choice":"none")")).tools.is_null());
}

TEST(ChatRequest, DeveloperRoleReadsAsSystemAndUnknownFieldsAreListed) {
  const auto request = accepted(parse_chat_request(
      Json::parse(
          R"({"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}],"colour":"red","user":"u"})"),
      {}));
  EXPECT_EQ(std::get<ChatPrompt>(request.prompts[0].prompt).messages[0]["role"], "system");
  EXPECT_EQ(request.unknown_fields, std::vector<std::string>{"colour"});
}

TEST(CompletionRequest, PromptFormsAndDefaults) {
  EXPECT_EQ(accepted(completion(R"("prompt":"a")")).prompts[0].sampling.max_tokens, 16);
  EXPECT_EQ(accepted(completion(R"("prompt":["a","b"],"n":2)")).prompts.size(), 2U);
  const auto tokens = accepted(completion(R"("prompt":[1,2,3])"));
  EXPECT_EQ(std::get<TokenPrompt>(tokens.prompts[0].prompt).ids, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(accepted(completion(R"("prompt":[[1],[2,3]])")).prompts.size(), 2U);
  expect_refused(completion(R"("prompt":[])"), "prompt");
  expect_refused(completion(R"("prompt":[[1],"a",{}])"), "prompt");
  expect_refused(completion(R"("prompt":[-1])"), "prompt");
  expect_refused(completion(R"("max_tokens":3)"), "prompt");
  expect_refused(completion(R"("prompt":"a","suffix":"z")"), "suffix");
  expect_refused(completion(R"("prompt":"a","best_of":3)"), "best_of");
}

}  // namespace
}  // namespace tandem::engine::server
