#include "tests/support/temp_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.h"

namespace tandem::testing {

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tandem-test-XXXXXX").string();
  CHECK(::mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tandem::testing
