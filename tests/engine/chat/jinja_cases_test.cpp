// Every case of tests/golden/chat/cases.json: the text, or the failure, that Python's Jinja2 gave for the same input.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/chat/jinja/template.h"

namespace tandem::engine::jinja {
namespace {

using Json = nlohmann::ordered_json;

Json load(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file, nullptr, false);
}
std::string golden(const std::string& name) {
  return std::string(TANDEM_TEST_DATA) + "/golden/chat/" + name;
}

// The text, or the failure, that Python gave. Python's own error texts differ from ours; what a template raises does not.
void check(const Json& item, const std::string& source, const Json& variables) {
  const auto parsed = Template::parse(source);
  const Result<std::string> text = parsed ? (*parsed)->render(variables) : Result<std::string>(parsed.error());
  if (item.contains("expected")) {
    ASSERT_TRUE(text.has_value()) << text.error().detail;
    EXPECT_EQ(*text, item["expected"].get<std::string>());
    return;
  }
  ASSERT_FALSE(text.has_value()) << "rendered to: " << *text;
  if (item.contains("raised")) {
    EXPECT_EQ(text.error().detail, item["raised"].get<std::string>());
  } else {
    EXPECT_NE(text.error().detail.find("chat template, line "), std::string::npos) << text.error().detail;
  }
}

void check_models(const Json& file) {
  for (const Json& item : file["cases"]) {
    SCOPED_TRACE(item["template"].get<std::string>() + " / " + item["name"].get<std::string>());
    check(item, file["templates"][item["template"].get<std::string>()].get<std::string>(), item["variables"]);
  }
}

TEST(JinjaCases, EveryFeatureCaseRendersAsInPython) {
  const Json file = load(golden("cases.json"));
  ASSERT_TRUE(file.is_object());
  ASSERT_GE(file["cases"].size(), 700U);
  for (const Json& item : file["cases"]) {
    SCOPED_TRACE(item["name"].get<std::string>() + ": " + item["template"].get<std::string>());
    check(item, item["template"].get<std::string>(), file["variables"]);
  }
}

TEST(JinjaCases, EveryModelTemplateRendersAsInPython) {
  const Json file = load(golden("model_cases.json"));
  ASSERT_TRUE(file.is_object());
  ASSERT_GE(file["cases"].size(), 400U);
  check_models(file);
}

// Templates that are not part of the repository: see tests/golden/chat/README.md.
TEST(JinjaCases, EveryExtraTemplateRendersAsInPython) {
  const char* const path = std::getenv("TANDEM_EXTRA_TEMPLATE_CASES");
  if (path == nullptr) GTEST_SKIP() << "TANDEM_EXTRA_TEMPLATE_CASES is not set";
  const Json file = load(path);
  ASSERT_TRUE(file.is_object()) << path;
  check_models(file);
}

}  // namespace
}  // namespace tandem::engine::jinja
