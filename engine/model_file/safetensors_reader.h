// Reads and checks the header of one safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/model_file/file_reader.h"
#include "engine/model_file/model_file.h"

namespace tandem::engine {

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorInfo> tensors;  // in the order of their data, which fills the file without gap or overlap
};

// `file_idx` is stored in the tensor infos. Errors: kCorrupt for a broken rule (the message names file, tensor and numbers),
// kUnsupported for a dtype of the format this program does not read, kIo.
Result<SafetensorsHeader> read_safetensors_header(const FileReader& file, std::uint32_t file_idx);

}  // namespace tandem::engine
