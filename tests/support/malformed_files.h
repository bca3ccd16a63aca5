// Files that break one rule of their format each, made in code. Unit tests expect the error; the same files seed the fuzzers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::testing {

struct MalformedFile {
  std::string name;  // what is wrong, usable as a file name
  std::string bytes;
  ErrorCode code = ErrorCode::kCorrupt;
  std::vector<std::string> parts;  // what the message must contain
};

// Files whose header must be read without an error.
struct SoundFile {
  std::string name;
  std::string bytes;
  std::size_t num_tensors = 0;
};

std::vector<MalformedFile> malformed_gguf_files();
std::vector<SoundFile> sound_gguf_files();
// Headers of tiny models, with their keys and tokenizers, and without tensors.
std::vector<SoundFile> sound_gguf_models();
std::vector<MalformedFile> malformed_safetensors_files();
std::vector<SoundFile> sound_safetensors_files();

// config.json texts; the sound ones are tests/golden/*/*/config.json.
std::vector<MalformedFile> malformed_configs();

// A safetensors image: length, header as given, data.
std::string safetensors_image(const std::string& header, const std::string& data = {});

}  // namespace tandem::testing
