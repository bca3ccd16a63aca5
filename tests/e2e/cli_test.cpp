// tandem-node as scripts use it: exit status, what is on stdout, and the keys of each JSON document.
#include <array>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>

#include "tests/engine/golden_model.h"
#include "tests/support/safetensors_io.h"
#include "tests/support/temp_folder.h"

namespace tandem::node {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string out, err;
};

class CliTest : public ::testing::Test {
 protected:
  // Arguments are passed to a shell: quote what needs it.
  Outcome run(const std::string& arguments, const std::string& input = "") {
    const fs::path err = folder_.path() / "stderr";
    const fs::path in = folder_.path() / "stdin";
    std::ofstream(in) << input;
    const std::string command = std::string(TANDEM_NODE) + " " + arguments + " <" + in.string() + " 2>" + err.string();
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.out.append(buffer.data(), n);
    const int raw = pclose(pipe);
    outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
    std::stringstream text;
    text << std::ifstream(err).rdbuf();
    outcome.err = text.str();
    return outcome;
  }
  json run_json(const std::string& arguments) {
    const Outcome outcome = run(arguments + " --json");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    const json document = json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << outcome.out;
    return document;
  }
  testing::TempFolder folder_;
};

TEST_F(CliTest, BadUsageExitsWithTwoAndPrintsNothingToStdout) {
  for (const char* arguments : {"", "fly", "generate", "generate demo", "plan demo --nodes 3", "plan demo --context x",
                                "generate demo --prompt a --bogus"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
  }
}

TEST_F(CliTest, NumbersOutOfRangeAreRefusedInWords) {
  for (const char* arguments : {"generate demo --prompt a --memory-gib nan", "generate demo --prompt a --memory-gib 1e300",
                                "generate demo --prompt a --max-tokens -1", "generate demo --prompt a --seed -1",
                                "plan demo --memory-gib nan", "plan demo --context 0"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << outcome.err;
    EXPECT_NE(outcome.err.find("is not a number"), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.err.size(), 200U) << outcome.err;
  }
}

TEST_F(CliTest, OutputThatCannotBeWrittenFails) {
  for (const char* arguments : {"tokenize demo --text hi --json", "inspect demo", "plan demo"}) {
    const Outcome outcome = run(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find("could not be written"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliTest, GenerateAnswersWithTheShippedModel) {
  const std::string arguments = "generate demo --prompt 'What does TTFT stand for?' --temperature 0 --threads 1";
  const Outcome text = run(arguments);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("time to first token"), std::string::npos) << text.out;
  const json document = run_json(arguments);
  EXPECT_EQ(document["text"].get<std::string>() + "\n", text.out) << "the same request gives the same text";
  EXPECT_EQ(document["finish_reason"], "stop");
  EXPECT_GT(document["usage"]["completion_tokens"], 5);
  for (const char* key : {"ttft_ms", "tpot_ms", "total_ms", "tokens_per_s"})
    EXPECT_TRUE(document["timings"][key].is_number()) << key;
}

TEST_F(CliTest, GenerateKeepsToMaxTokensAndSeed) {
  const std::string arguments = "generate demo --prompt 'Tell me a story' --temperature 1.5 --seed 5 --max-tokens 7";
  const json first = run_json(arguments);
  EXPECT_EQ(first["finish_reason"], "length");
  EXPECT_EQ(first["usage"]["completion_tokens"], 7);
  EXPECT_EQ(first["seed"], 5);
  EXPECT_EQ(run_json(arguments)["text"], first["text"]);
  EXPECT_NE(run_json("generate demo --prompt 'Tell me a story' --temperature 1.5 --seed 6 --max-tokens 7")["text"],
            first["text"]);
}

TEST_F(CliTest, PromptThatDoesNotFitIsRefusedWithBothNumbers) {
  const Outcome outcome = run("generate demo --context 64 --prompt '" + std::string(4000, 'a') + "' --json");
  EXPECT_EQ(outcome.status, 1);
  const json document = json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << outcome.out;
  EXPECT_EQ(document["error"]["code"], "context_exhausted");
  EXPECT_NE(document["error"]["message"].get<std::string>().find("64"), std::string::npos) << document;
}

TEST_F(CliTest, ChatAnswersEachLineOfItsInput) {
  const Outcome outcome = run("chat demo --temperature 0", "What is 36 + 48?\nAnd plus 7?\n/exit\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("84"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("91"), std::string::npos) << "the second question needs the first: " << outcome.out;
}

TEST_F(CliTest, TokenizeGivesIdsAndPieces) {
  const json document = run_json("tokenize demo --text 'Hi 你好'");
  ASSERT_EQ(document["ids"].size(), document["pieces"].size());
  ASSERT_GT(document["ids"].size(), 1U);
  const json special = run_json("tokenize demo --text '<|im_start|>'");
  EXPECT_EQ(special["ids"], json::array({8189}));
}

TEST_F(CliTest, LogitsOfAFolderMatchItsReference) {
  const testing::GoldenPrompt prompt = testing::load_golden_prompts("micro/qwen3").front();
  {
    std::ofstream file(folder_.path() / "ids");
    for (const std::int32_t id : prompt.ids) file << id << "\n ";
  }
  const std::string output = (folder_.path() / "logits.safetensors").string();
  const Outcome outcome = run("logits " + testing::golden_folder("micro/qwen3").string() + " --ids-file " +
                              (folder_.path() / "ids").string() + " --output " + output);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto tensors = testing::load_safetensors(output);
  ASSERT_TRUE(tensors) << tensors.error().detail;
  const testing::LoadedTensor& logits = tensors->at("logits");
  ASSERT_EQ(logits.shape.size(), 2U);
  EXPECT_EQ(logits.shape[0], static_cast<std::int64_t>(prompt.ids.size()));
  const std::vector<float> values = logits.f32();
  ASSERT_EQ(values.size(), prompt.logits.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], prompt.logits[i], 2e-3 * prompt.logit_std) << i;
}

TEST_F(CliTest, IdsThatAreNotIdsAreNamed) {
  std::ofstream(folder_.path() / "ids") << "1 2 three";
  const Outcome outcome = run("logits " + testing::golden_folder("micro/qwen3").string() + " --ids-file " +
                              (folder_.path() / "ids").string() + " --output " + (folder_.path() / "out").string());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("three"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(CliTest, InspectListsTypesAndFindsNothingWrongWithTheDemo) {
  const json document = run_json("inspect demo --verify");
  EXPECT_EQ(document["parameters"], 13376896);
  EXPECT_EQ(document["quantization"], "Q8_0");
  EXPECT_TRUE(document["problems"].empty()) << document["problems"];
  std::uint64_t tensors = 0;
  for (const json& type : document["tensors_by_type"]) tensors += type["tensors"].get<std::uint64_t>();
  EXPECT_EQ(tensors, document["num_tensors"]);
}

TEST_F(CliTest, PlanHasTheContractsKeys) {
  for (const char* model : {"demo", "qwen3-32b-q8_0"}) {
    const json plan = run_json(std::string("plan ") + model + " --nodes 2 --context 1024 --concurrency 2 --kv-dtype q8_0");
    for (const char* key : {"model", "nodes", "fits", "per_node", "kv_bytes_per_token", "max_context", "max_concurrency",
                            "decode_tokens_per_s_limit", "reasons", "nearest_fit"}) {
      EXPECT_TRUE(plan.contains(key)) << key;
    }
    ASSERT_EQ(plan["per_node"].size(), 2U);
    for (const json& node : plan["per_node"]) {
      std::uint64_t sum = 0;
      for (const char* key : {"weights_bytes", "kv_bytes", "state_bytes", "activation_bytes", "communication_bytes",
                              "runtime_bytes", "reserve_bytes"}) {
        ASSERT_TRUE(node[key].is_number_unsigned()) << key;
        sum += node[key].get<std::uint64_t>();
      }
      EXPECT_EQ(node["total_bytes"], sum);
      EXPECT_TRUE(node["capacity_bytes"].is_number_unsigned());
    }
    EXPECT_TRUE(plan["fits"].get<bool>());
  }
}

TEST_F(CliTest, PlanOfAModelThatDoesNotFitSaysWhyAndWhatWould) {
  const json plan = run_json("plan qwen3-32b-q8_0 --memory-gib 60 --context 40960 --concurrency 16");
  EXPECT_FALSE(plan["fits"].get<bool>());
  EXPECT_FALSE(plan["reasons"].empty());
  ASSERT_TRUE(plan["nearest_fit"].is_object()) << plan;
  EXPECT_LE(plan["nearest_fit"]["context"].get<std::int64_t>() * plan["nearest_fit"]["concurrency"].get<std::int64_t>(),
            40960 * 16);
}

TEST_F(CliTest, PlanOfASmallContextModelFitsWithoutAsking) {
  EXPECT_TRUE(run_json("plan demo")["fits"].get<bool>()) << "made for 1024 tokens, less than the usual 4096";
}

TEST_F(CliTest, PlanTakesAConfigAlone) {
  const json plan = run_json("plan " + (testing::golden_folder("large/qwen3") / "config.json").string());
  EXPECT_TRUE(plan["fits"].get<bool>());
}

TEST_F(CliTest, HostileFilesEndInAMessage) {
  const std::vector<std::pair<const char*, std::string>> files{
      {"empty.gguf", ""},
      {"short.gguf", "GGUF"},
      {"noise.gguf", "GGUF\3\0\0\0" + std::string(64, '\xFF')},
      {"text.safetensors", "not a model"},
      {"config.json", "{\"architectures\": [\"Unknown\"]}"},
  };
  for (const auto& [name, content] : files) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    for (const std::string command : {"inspect", "plan", "generate --prompt hi"}) {
      const Outcome outcome = run(command + " " + path.string());
      EXPECT_EQ(outcome.status, 1) << command << " " << name << ": " << outcome.out << outcome.err;
      EXPECT_NE(outcome.err.find(name), std::string::npos) << command << ": " << outcome.err;
    }
  }
}

TEST_F(CliTest, WhatThisVersionCannotDoIsSaid) {
  const Outcome cuda = run("generate demo --prompt hi --device cuda");
  EXPECT_EQ(cuda.status, 1);
  EXPECT_NE(cuda.err.find("cuda"), std::string::npos);
  const Outcome ranks = run("generate demo --prompt hi --tp-size 2");
  EXPECT_EQ(ranks.status, 1);
  EXPECT_NE(ranks.err.find("--tp-size 1"), std::string::npos);
  const Outcome missing = run("generate qwen3-8b-q8_0 --prompt hi");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("Qwen/Qwen3-8B-GGUF"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace tandem::node
