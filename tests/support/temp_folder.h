// TempFolder: a fresh folder for one test, removed with everything in it at the end of its scope.
#pragma once

#include <filesystem>

namespace tandem::testing {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tandem::testing
