#include "engine/model_catalog/model_catalog.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace tandem::engine {
namespace {

const CatalogEntry* find(const std::vector<CatalogEntry>& entries, std::string_view id) {
  for (const CatalogEntry& entry : entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

TEST(Catalog, EveryShippedEntryCanBePlanned) {
  const auto entries = load_catalog();
  ASSERT_TRUE(entries) << entries.error().detail;
  EXPECT_GT(entries->size(), 10U);
  for (const CatalogEntry& entry : *entries) {
    const auto model = describe_entry(entry);
    ASSERT_TRUE(model) << entry.id << ": " << model.error().detail;
    EXPECT_GT(model->num_parameters(), 10'000'000U) << entry.id;
    const auto plan = make_plan(*model, dgx_spark(), {});
    EXPECT_TRUE(plan) << entry.id << ": " << (plan ? "" : plan.error().detail);
  }
}

TEST(Catalog, SizesAreThePublishedOnes) {
  const auto entries = load_catalog();
  ASSERT_TRUE(entries);
  const std::vector<std::pair<const char*, double>> published{{"qwen3-0.6b-bf16", 0.596e9},
                                                              {"qwen3-8b-q8_0", 8.19e9},
                                                              {"qwen3-30b-a3b-q8_0", 30.53e9},
                                                              {"llama-3.2-1b-bf16", 1.24e9},
                                                              {"llama-3.1-70b-bf16", 70.55e9}};
  for (const auto& [id, parameters] : published) {
    const CatalogEntry* entry = find(*entries, id);
    ASSERT_NE(entry, nullptr) << id;
    const auto model = describe_entry(*entry);
    ASSERT_TRUE(model);
    EXPECT_NEAR(static_cast<double>(model->num_parameters()), parameters, parameters * 0.01) << id;
  }
}

TEST(Catalog, MalformedTextNamesEntryAndField) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "whole file"},
      {R"({"entries":[]})", "whole file"},
      {R"({"configs":{},"entries":[5]})", "entry 0"},
      {R"({"configs":{},"entries":[{"id":"a b"}]})", "slashes or spaces"},
      {R"({"configs":{},"entries":[{"id":"a"}]})", "\"name\""},
      {R"({"configs":{},"entries":[{"id":"a","name":"A","weight_type":"Q99"}]})", "Q99"},
      {R"({"configs":{},"entries":[{"id":"a","name":"A","weight_type":"BF16","repository":"r","config":"c"}]})",
       "configuration \"c\""},
      {R"({"configs":{},"entries":[{"id":"a","name":"A","weight_type":"Q8_0","shipped":"x"},{"id":"a","name":"A","weight_type":"Q8_0","shipped":"x"}]})",
       "twice"},
  };
  for (const auto& [text, words] : cases) {
    const auto entries = parse_catalog(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_NE(entries.error().detail.find(words), std::string::npos) << entries.error().detail;
  }
}

TEST(ResolveModel, DemoIsTheShippedFileAndPathsStayPaths) {
  const auto demo = resolve_model("demo");
  ASSERT_TRUE(demo) << demo.error().detail;
  EXPECT_TRUE(std::filesystem::exists(*demo));
  EXPECT_EQ(*resolve_model("/nowhere/model.gguf"), "/nowhere/model.gguf");
}

TEST(ResolveModel, EntryThatIsNotHereSaysWhereToGetIt) {
  const auto result = resolve_model("qwen3-8b-q8_0");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_NE(result.error().detail.find("Qwen/Qwen3-8B-GGUF"), std::string::npos);
  EXPECT_NE(resolve_model("no-such-model").error().detail.find("demo"), std::string::npos);
  EXPECT_FALSE(resolve_model(""));
}

TEST(FindResource, ChosenFolderComesFirst) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "tandem_resources_test";
  std::filesystem::create_directories(folder);
  {
    std::FILE* file = std::fopen((folder / "catalog.json").c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fclose(file);
  }
  ASSERT_EQ(setenv("TANDEM_RESOURCES", folder.c_str(), 1), 0);
  const auto found = find_resource("catalog.json");
  unsetenv("TANDEM_RESOURCES");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(found, folder / "catalog.json");
  EXPECT_FALSE(find_resource("no-such-file"));
}

}  // namespace
}  // namespace tandem::engine
