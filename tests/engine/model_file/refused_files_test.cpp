// Every file in tests/fuzz/refused must be refused with an Error, every seed in tests/fuzz/corpus must not crash. Findings of
// the fuzzers are added there under names that say what was wrong.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "engine/model_file/file_reader.h"
#include "engine/model_file/gguf_reader.h"
#include "engine/model_file/safetensors_reader.h"

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;

const fs::path kFuzz = fs::path(TANDEM_TEST_DATA) / "fuzz";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
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
  std::function<Result<std::size_t>(const fs::path&)> read;
};

const std::vector<Kind> kKinds{{"gguf", read_as_gguf}, {"safetensors", read_as_safetensors}};

TEST(RefusedFiles, EachGivesAnErrorWithItsName) {
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> paths = files_in(kFuzz / "refused" / kind.folder);
    EXPECT_GE(paths.size(), 40u) << kind.folder;
    for (const fs::path& path : paths) {
      const auto result = kind.read(path);
      ASSERT_FALSE(result) << path;
      EXPECT_NE(result.error().code, ErrorCode::kInternal) << path;
      EXPECT_NE(result.error().detail.find(path.filename().string()), std::string::npos) << result.error().detail;
    }
  }
}

TEST(RefusedFiles, SeedsAreReadable) {
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> paths = files_in(kFuzz / "corpus" / kind.folder);
    EXPECT_GE(paths.size(), 5u) << kind.folder;
    for (const fs::path& path : paths) {
      const auto result = kind.read(path);
      EXPECT_TRUE(result) << result.error().detail;
    }
  }
}

}  // namespace
}  // namespace tandem::engine
