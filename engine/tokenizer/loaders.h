// How a tokenizer is read from each kind of model file. Used by Tokenizer::create and by tests.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {

class GgufMetadata;
class ModelFile;

// From the "tokenizer.ggml." keys of a GGUF header. Errors name the key.
Result<std::shared_ptr<const Tokenizer>> load_gguf_tokenizer(const GgufMetadata& metadata);

// From tokenizer.json, tokenizer_config.json, generation_config.json and config.json of a safetensors folder.
Result<std::shared_ptr<const Tokenizer>> load_model_folder_tokenizer(const ModelFile& file);

// From tokenizer.json's text and tokenizer_config.json (null where absent). `stop_ids` end a generation as well; those
// without a token are left out with a warning. Errors name the component.
Result<std::shared_ptr<const Tokenizer>> load_json_tokenizer(std::string_view tokenizer_json,
                                                             const nlohmann::ordered_json& tokenizer_config,
                                                             const std::vector<std::int64_t>& stop_ids);

// Texts that end a generation in the known chat formats, for files that do not say.
void add_end_of_generation_by_text(const std::function<std::int32_t(std::string_view)>& find_id,
                                   std::vector<std::int32_t>& ids);

}  // namespace tandem::engine
