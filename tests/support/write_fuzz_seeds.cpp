// write_fuzz_seeds FOLDER: writes the small files the fuzzers start from, FOLDER/corpus/<kind>/, and the files that must be
// refused, FOLDER/refused/<kind>/. FOLDER is tests/fuzz in the source tree; run it after a change to the makers and commit.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/gguf_writer.h"
#include "tests/support/malformed_files.h"

namespace tandem::testing {
namespace {

constexpr std::size_t kMaxSeedBytes = 16 * 1024;

template <class File>
bool write_all(const std::filesystem::path& folder, const std::vector<File>& files) {
  std::filesystem::create_directories(folder);
  for (const File& file : files) {
    if (file.bytes.size() > kMaxSeedBytes) continue;
    const Result<void> written = write_file(folder / file.name, file.bytes);
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().detail.c_str());
    return false;
  }
  return true;
}

bool write_seeds(const std::filesystem::path& folder) {
  return write_all(folder / "corpus" / "gguf", sound_gguf_files()) &&
         write_all(folder / "refused" / "gguf", malformed_gguf_files()) &&
         write_all(folder / "corpus" / "gguf_model", sound_gguf_models()) &&
         write_all(folder / "refused" / "config_json", malformed_configs()) &&
         write_all(folder / "corpus" / "safetensors", sound_safetensors_files()) &&
         write_all(folder / "refused" / "safetensors", malformed_safetensors_files());
}

}  // namespace
}  // namespace tandem::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_fuzz_seeds FOLDER\n");
    return 2;
  }
  return tandem::testing::write_seeds(argv[1]) ? 0 : 1;
}
