// Every file in tests/fuzz/refused must be refused with an Error, every seed in tests/fuzz/corpus must not crash. Findings of
// the fuzzers are added there under names that say what was wrong.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "engine/chat/jinja/template.h"
#include "engine/model_file/file_reader.h"
#include "engine/model_file/gguf_reader.h"
#include "engine/model_file/json_reader.h"
#include "engine/model_file/model_file.h"
#include "engine/model_file/safetensors_reader.h"
#include "engine/models/architecture.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/malformed_files.h"
#include "tests/support/template_conversation.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;

const fs::path kFuzz = fs::path(TANDEM_TEST_DATA) / "fuzz";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code missing;  // no folder: no files of this kind yet
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::size_t> read_as_gguf(const fs::path& path) {
  const FileReader file = TANDEM_TRY(FileReader::open(path));
  return TANDEM_TRY(read_gguf_header(file, 0)).tensors.size();
}

Result<std::size_t> read_as_safetensors(const fs::path& path) {
  const FileReader file = TANDEM_TRY(FileReader::open(path));
  return TANDEM_TRY(read_safetensors_header(file, 0)).tensors.size();
}

struct Kind {
  const char* folder;
  std::size_t min_refused, min_seeds;  // so that a lost folder is noticed
  std::function<Result<std::size_t>(const fs::path&)> read;
};

Result<std::size_t> read_as_config(const fs::path& path) {
  const FileReader file = TANDEM_TRY(FileReader::open(path));
  const std::string text = TANDEM_TRY(file.read_all(1 << 20));
  const auto json = TANDEM_TRY(parse_json(text, path.filename().string()));
  return static_cast<std::size_t>(TANDEM_TRY(read_model_config(json)).num_layers);
}

Result<std::size_t> read_as_model(const fs::path& path) {
  const auto file = TANDEM_TRY(ModelFile::open(path));
  TANDEM_TRY(read_model_config(*file));
  return static_cast<std::size_t>(TANDEM_TRY(Tokenizer::create(*file))->vocab_size());
}

Result<std::size_t> render_template(const fs::path& path) {
  const FileReader file = TANDEM_TRY(FileReader::open(path));
  const std::string text = TANDEM_TRY(file.read_all(1 << 20));
  const auto parsed = TANDEM_TRY(jinja::Template::parse(text));
  jinja::Limits limits;
  limits.steps /= 10;  // what is refused for its work is refused sooner
  return TANDEM_TRY(parsed->render(testing::conversation(), limits)).size();
}

const std::vector<Kind> kKinds{{"gguf", 60, 8, read_as_gguf},
                               {"safetensors", 50, 5, read_as_safetensors},
                               {"config_json", 25, 6, read_as_config},
                               {"gguf_model", 0, 3, read_as_model},
                               {"chat_template", 30, 10, render_template}};

TEST(RefusedFiles, EachGivesAnError) {
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> paths = files_in(kFuzz / "refused" / kind.folder);
    EXPECT_GE(paths.size(), kind.min_refused) << kind.folder;
    for (const fs::path& path : paths) {
      const auto result = kind.read(path);
      ASSERT_FALSE(result) << path;
      EXPECT_NE(result.error().code, ErrorCode::kInternal) << path;
      EXPECT_FALSE(result.error().detail.empty()) << path;
    }
  }
}

TEST(RefusedFiles, MalformedConfigsGiveTheirErrors) {
  for (const testing::MalformedFile& file : testing::malformed_configs()) {
    SCOPED_TRACE(file.name);
    const auto json = parse_json(file.bytes, "config.json");
    const Error error = json ? read_model_config(*json).error() : json.error();
    EXPECT_EQ(error.code, file.code) << error.detail;
    for (const std::string& part : file.parts) EXPECT_NE(error.detail.find(part), std::string::npos) << error.detail;
  }
}

TEST(RefusedFiles, SeedsAreReadable) {
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> paths = files_in(kFuzz / "corpus" / kind.folder);
    EXPECT_GE(paths.size(), kind.min_seeds) << kind.folder;
    for (const fs::path& path : paths) {
      const auto result = kind.read(path);
      EXPECT_TRUE(result) << result.error().detail;
    }
  }
}

}  // namespace
}  // namespace tandem::engine
