// The parts of tokenizer.json other than the model: each is read into the class that does it, or refused by name.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pre_tokenizer.h"

namespace tandem::engine {

// `node` may be null (absent): nothing is added. Errors name the component by its path, as "pre_tokenizer.pretokenizers[1]".
Result<void> read_normalizer(const nlohmann::json& node, const std::string& path, Normalizer& out);

struct PreTokenizerConfig {
  PreTokenizer steps;
  bool byte_level = false;  // pieces are tokenised as bytes
};
Result<void> read_pre_tokenizer(const nlohmann::json& node, const std::string& path, PreTokenizerConfig& out);

// How the text of a vocabulary token becomes bytes. Immutable once read.
class TokenDecoder {
 public:
  Result<void> read(const nlohmann::json& node, const std::string& path);
  void add_byte_level() { steps_.push_back({Kind::kByteLevel, {}, {}, 0}); }

  bool is_empty() const { return steps_.empty(); }
  std::string decode(const std::string& token_text) const;
  std::int32_t leading_spaces_dropped() const { return leading_spaces_dropped_; }

 private:
  enum class Kind : std::uint8_t { kByteLevel, kReplace, kByteFallback, kStrip };
  struct Step {
    Kind kind;
    std::string from, to;
    std::size_t count;
  };
  std::vector<Step> steps_;
  bool is_fused_ = false;  // later steps see the whole text, not one token
  std::int32_t leading_spaces_dropped_ = 0;
};

// What the post-processor puts before and behind a text: token texts.
struct PostProcessorConfig {
  std::vector<std::string> before, behind;
};
Result<void> read_post_processor(const nlohmann::json& node, const std::string& path, PostProcessorConfig& out);

// Fields of an object, with their path in the message when the type is another one. Absent or null: `fallback`.
Result<std::string> string_field(const nlohmann::json& object, const std::string& path, const char* name,
                                 std::string fallback = "");
Result<bool> bool_field(const nlohmann::json& object, const std::string& path, const char* name, bool fallback);

}  // namespace tandem::engine
