// Reads and checks the header of one GGUF file (versions 2 and 3).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/model_file/file_reader.h"
#include "engine/model_file/model_file.h"

namespace tandem::engine {

struct GgufHeader {
  std::uint32_t version = 0;
  std::uint32_t alignment = 32;
  std::uint64_t data_offset = 0;  // of the data section, from the start of the file
  GgufMetadata metadata;
  std::vector<TensorInfo> tensors;  // in file order, each checked against the file's length
};

// `file_idx` is stored in the tensor infos. Errors: kCorrupt for a broken rule (the message names file, key or tensor and the
// numbers), kUnsupported for a version or tensor type this program does not read, kIo.
Result<GgufHeader> read_gguf_header(const FileReader& file, std::uint32_t file_idx);

}  // namespace tandem::engine
