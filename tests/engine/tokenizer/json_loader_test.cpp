#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

#include "engine/tokenizer/loaders.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/tokenizer/small_tokenizer.h"
#include "tests/engine/tokenizer/vocabulary_files.h"

namespace tandem::engine {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int32_t>;
using testing::small_byte_level;
using testing::small_sentencepiece;

std::shared_ptr<const Tokenizer> load(const json& root, const std::string& config = "") {
  auto tokenizer = Tokenizer::from_tokenizer_json(root.dump(), config);
  EXPECT_TRUE(tokenizer) << tokenizer.error().detail;
  return tokenizer ? *tokenizer : nullptr;
}

Error refused(const json& root) {
  const auto tokenizer = Tokenizer::from_tokenizer_json(root.dump(), "");
  EXPECT_FALSE(tokenizer);
  return tokenizer ? Error{} : tokenizer.error();
}

Ids encode(const Tokenizer& tokenizer, std::string_view text, SpecialTokens special = SpecialTokens::kParse, bool bos = false) {
  const auto ids = tokenizer.encode(text, special, bos);
  EXPECT_TRUE(ids) << ids.error().detail;
  return ids ? *ids : Ids();
}

TEST(JsonLoader, MergesByRankWithinPieces) {
  const auto tokenizer = load(small_byte_level());
  EXPECT_EQ(encode(*tokenizer, "Hello w"), (Ids{259, 260}));
  EXPECT_EQ(encode(*tokenizer, "Hellw"), (Ids{256, 257, 'w'}));
  EXPECT_EQ(encode(*tokenizer, ""), Ids());
  EXPECT_EQ(tokenizer->token_bytes(260), " w");
  EXPECT_EQ(tokenizer->token_bytes(-1), "");
  EXPECT_EQ(tokenizer->token_bytes(263), "");
  EXPECT_EQ(tokenizer->token_id("\u0120w"), 260);
}

TEST(JsonLoader, UnsupportedComponentsAreNamed) {
  json root = small_byte_level();
  root["pre_tokenizer"] = json::parse(R"({"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]})");
  Error error = refused(root);
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_NE(error.detail.find("pre_tokenizer.pretokenizers[0].type \"UnicodeScripts\""), std::string::npos) << error.detail;
  root = small_byte_level();
  root["normalizer"] = {{"type", "BertNormalizer"}};
  EXPECT_NE(refused(root).detail.find("normalizer.type \"BertNormalizer\""), std::string::npos);
  root = small_byte_level();
  root["decoder"] = {{"type", "WordPiece"}};
  EXPECT_NE(refused(root).detail.find("decoder.type \"WordPiece\""), std::string::npos);
  root = small_byte_level();
  root["post_processor"] = {{"type", "BertProcessing"}};
  EXPECT_NE(refused(root).detail.find("post_processor.type \"BertProcessing\""), std::string::npos);
  root = small_byte_level();
  root["model"]["type"] = "Unigram";
  error = refused(root);
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_NE(error.detail.find("Unigram"), std::string::npos);
}

TEST(JsonLoader, BrokenVocabulariesAreRefused) {
  json root = small_byte_level();
  root["model"]["merges"].push_back("l w");
  EXPECT_NE(refused(root).detail.find("merge 5"), std::string::npos);
  root = small_byte_level();
  root["model"]["vocab"]["xx"] = 17;
  EXPECT_NE(refused(root).detail.find("id 17"), std::string::npos);
  root = small_byte_level();
  root["model"]["vocab"]["xx"] = 4000000000U;
  EXPECT_EQ(refused(root).code, ErrorCode::kCorrupt);
  root = small_byte_level();
  root["model"]["vocab"].erase("a");
  EXPECT_NE(refused(root).detail.find("byte 0x61"), std::string::npos);
  root = small_byte_level();
  root["added_tokens"][0]["content"] = std::string(2000, 'x');
  EXPECT_NE(refused(root).detail.find("2000 bytes"), std::string::npos);
  EXPECT_FALSE(Tokenizer::from_tokenizer_json("{\"model\": ", ""));
  EXPECT_FALSE(Tokenizer::from_tokenizer_json(small_byte_level().dump(), "{"));
}

TEST(JsonLoader, MergesMayBeStringsOrPairs) {
  json root = small_byte_level();
  root["model"]["merges"] = json::parse(R"([["H", "e"], ["l", "l"], ["ll", "o"], ["He", "llo"], ["\u0120", "w"]])");
  EXPECT_EQ(encode(*load(root), "Hello w"), (Ids{259, 260}));
}

TEST(JsonLoader, IgnoreMergesTakesWholePieces) {
  json root = small_byte_level();
  root["model"]["vocab"]["oleH"] = 263;
  EXPECT_EQ(encode(*load(root), "oleH").size(), 4U);
  root["model"]["ignore_merges"] = true;
  EXPECT_EQ(encode(*load(root), "oleH"), Ids{263});
}

TEST(JsonLoader, SentencePieceFormEncodesAndDecodes) {
  const auto tokenizer = load(small_sentencepiece());
  EXPECT_EQ(encode(*tokenizer, "Hello Hello"), (Ids{259, 267, 259, 267}));
  const Ids fallback = encode(*tokenizer, "é");
  EXPECT_EQ(fallback, (Ids{259, 3 + 0xC3, 3 + 0xA9}));
  EXPECT_EQ(tokenizer->decode(fallback, false), "é");
  EXPECT_EQ(tokenizer->leading_spaces_dropped(), 1);
  EXPECT_EQ(tokenizer->decode({259, 259, 267}, false), " Hello");
  IncrementalDetokenizer detokenizer(*tokenizer, true);
  EXPECT_EQ(detokenizer.push(1), "");
  EXPECT_EQ(detokenizer.push(259), "");
  EXPECT_EQ(detokenizer.push(267), "Hello");
  EXPECT_EQ(detokenizer.push(259), " ");
  EXPECT_EQ(detokenizer.push(3 + 0xC3), "");
  EXPECT_EQ(detokenizer.flush(), "\uFFFD");
}

TEST(JsonLoader, BosComesOnceAndOnlyWhereTheTokenizerAddsIt) {
  const auto tokenizer = load(small_sentencepiece());
  EXPECT_TRUE(tokenizer->adds_bos());
  EXPECT_EQ(tokenizer->bos_id(), 1);
  EXPECT_EQ(encode(*tokenizer, "H", SpecialTokens::kParse, true), (Ids{1, 259, 260}));
  EXPECT_EQ(encode(*tokenizer, "<s>H", SpecialTokens::kParse, true), (Ids{1, 259, 260}));
  EXPECT_EQ(encode(*tokenizer, "H", SpecialTokens::kParse, false), (Ids{259, 260}));
  EXPECT_FALSE(load(small_sentencepiece(), R"({"add_bos_token": false})")->adds_bos());
  const auto without = load(small_byte_level());
  EXPECT_EQ(encode(*without, "H", SpecialTokens::kParse, true), Ids{'H'});
  EXPECT_TRUE(load(small_byte_level(), R"({"add_bos_token": true, "bos_token": "<s>"})")->adds_bos());
  const auto missing = load(small_byte_level(), R"({"add_bos_token": true})");
  EXPECT_FALSE(missing->adds_bos());
  EXPECT_EQ(missing->warnings().size(), 1U);
}

TEST(JsonLoader, EndOfGenerationPrefersStopIds) {
  const auto config = nlohmann::ordered_json::parse(R"({"eos_token": {"content": "</s>"}})");
  const auto tokenizer = load_json_tokenizer(small_byte_level().dump(), config, {65, 9999});
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->eos_id(), 262);
  EXPECT_EQ((*tokenizer)->end_of_generation_ids(), (Ids{65, 262}));
  ASSERT_EQ((*tokenizer)->warnings().size(), 1U);
  EXPECT_NE((*tokenizer)->warnings()[0].find("9999"), std::string::npos);
}

TEST(JsonLoader, AddedTokensStripAndRespectWords) {
  json root = small_byte_level();
  json token = root["added_tokens"][0];
  token["id"] = 263, token["content"] = "<strip>", token["lstrip"] = true, token["rstrip"] = true;
  root["added_tokens"].push_back(token);
  token["id"] = 264, token["content"] = "word", token["lstrip"] = false, token["rstrip"] = false, token["single_word"] = true;
  token["special"] = false;
  root["added_tokens"].push_back(token);
  token["id"] = 265, token["content"] = "<s><s>", token["single_word"] = false;
  root["added_tokens"].push_back(token);
  const auto tokenizer = load(root);
  EXPECT_EQ(encode(*tokenizer, "a \n<strip>\u3000 b"), (Ids{'a', 263, 'b'}));
  EXPECT_EQ(encode(*tokenizer, "(word)"), (Ids{'(', 264, ')'}));
  EXPECT_EQ(encode(*tokenizer, "words").size(), 5U);
  EXPECT_EQ(encode(*tokenizer, "\u00e9word").size(), 6U);
  EXPECT_EQ(encode(*tokenizer, "<s><s><s>"), (Ids{265, 261}));
  EXPECT_EQ(encode(*tokenizer, "<s>word", SpecialTokens::kAsText), (Ids{'<', 's', '>', 264}));
}

TEST(JsonLoader, NormalizedAddedTokensAreFoundInNormalizedText) {
  json root = small_byte_level();
  root["normalizer"] = {{"type", "Lowercase"}};
  json token = root["added_tokens"][0];
  token["id"] = 263, token["content"] = "[Tok]", token["normalized"] = true;
  root["added_tokens"].push_back(token);
  const auto tokenizer = load(root);
  EXPECT_EQ(encode(*tokenizer, "A[TOK]b"), (Ids{'a', 263, 'b'}));
  EXPECT_EQ(encode(*tokenizer, "<S>"), (Ids{'<', 's', '>'}));
}

TEST(JsonLoader, RunawayPatternIsAnErrorNotAHang) {
  json root = small_byte_level();
  root["pre_tokenizer"] = json::parse(R"({"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "(a|aa)+$"}, "behavior": "Isolated"},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
  const auto ids = load(root)->encode(std::string(60, 'a') + "c", SpecialTokens::kParse, false);
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(ids.error().detail.find("61 bytes"), std::string::npos) << ids.error().detail;
}

TEST(JsonLoader, MegabytesOfOneLetterAreLinearEnough) {
  json root = small_byte_level();
  for (int i = 0; i < 6; ++i) {
    const std::string part(std::size_t{1} << i, 'l');
    root["model"]["vocab"][part + part] = i == 0 ? 257 : 262 + i;
    if (i > 0) root["model"]["merges"].push_back(part + " " + part);
  }
  const auto tokenizer = load(root);
  EXPECT_EQ(encode(*tokenizer, std::string(std::size_t{1} << 20, 'l')).size(), std::size_t{1} << 14);
}

TEST(JsonLoader, ThreadsShareOneTokenizer) {
  const auto tokenizer = load(small_byte_level());
  std::vector<std::thread> threads;
  std::vector<int> num_wrong(4);
  for (std::size_t t = 0; t < num_wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::string text = "Hello w" + std::to_string(i % 97);
        const auto ids = tokenizer->encode(text, SpecialTokens::kParse, false);
        if (!ids || ids->front() != 259 || tokenizer->decode(*ids, false) != text) ++num_wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, std::vector<int>(4, 0));
}

TEST(JsonLoader, EveryFileOfTheRefusedCorpusIsAnError) {
  int num_files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TANDEM_TEST_DATA) + "/fuzz/refused/tokenizer_json")) {
    const auto tokenizer = Tokenizer::from_tokenizer_json(testing::read_file(entry.path().string()), "");
    ASSERT_FALSE(tokenizer) << entry.path();
    EXPECT_NE(tokenizer.error().code, ErrorCode::kInternal);
    EXPECT_NE(tokenizer.error().detail.find("tokenizer.json"), std::string::npos) << entry.path() << tokenizer.error().detail;
    ++num_files;
  }
  EXPECT_GE(num_files, 8);
}

}  // namespace
}  // namespace tandem::engine
