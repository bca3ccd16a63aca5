#include "engine/tokenizer/tokenizer.h"

#include "engine/model_file/model_file.h"
#include "engine/tokenizer/loaders.h"
#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

// The error with the file it is about in front.
Error in_file(Error error, const std::string& file) {
  error.detail = file + ": " + error.detail;
  return error;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::create(const ModelFile& file) {
  auto tokenizer = file.format() == ModelFormat::kGguf ? load_gguf_tokenizer(file.gguf()) : load_model_folder_tokenizer(file);
  if (!tokenizer) return in_file(std::move(tokenizer).error(), file.path().string());
  return tokenizer;
}

std::string IncrementalDetokenizer::push(std::int32_t id) {
  if (skip_special_ && tokenizer_.is_control(id)) return {};
  std::string_view bytes = tokenizer_.token_bytes(id);
  while (spaces_to_drop_ > 0 && !bytes.empty()) {
    if (bytes.front() != ' ') {
      spaces_to_drop_ = 0;
      break;
    }
    bytes.remove_prefix(1);
    --spaces_to_drop_;
  }
  pending_.append(bytes);
  return utf8::take_complete(pending_);
}

std::string IncrementalDetokenizer::flush() {
  std::string rest = utf8::replace_invalid(pending_);
  pending_.clear();
  return rest;
}

}  // namespace tandem::engine
