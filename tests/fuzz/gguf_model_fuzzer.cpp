// Any bytes as a GGUF model: what is made from its keys, the model's config and the tokenizer, must come out whole or as an
// Error, and the tokenizer must stand any text and any of its own ids.
#include <cstdlib>

#include "engine/model_file/model_file.h"
#include "engine/models/architecture.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/memory_file.h"

namespace tandem::engine {
namespace {

void use(const Tokenizer& tokenizer) {
  const auto ids = tokenizer.encode("Hello <s>\xff 42\n世界", SpecialTokens::kParse, true);
  if (ids) {
    for (const std::int32_t id : *ids) {
      if (id < 0 || id >= tokenizer.vocab_size()) std::abort();
    }
    (void)tokenizer.decode(*ids, true);
  }
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) (void)tokenizer.token_bytes(id);
  for (const std::int32_t id : {tokenizer.bos_id(), tokenizer.eos_id()}) {
    if (id < -1 || id >= tokenizer.vocab_size()) std::abort();
  }
}

void run(const std::uint8_t* data, std::size_t size) {
  const testing::MemoryFile memory(data, size);
  const auto file = ModelFile::open(memory.path());
  if (!file) return;
  const auto config = read_model_config(**file);
  if (!config && config.error().code == ErrorCode::kInternal) std::abort();
  const auto tokenizer = Tokenizer::create(**file);
  if (tokenizer) use(**tokenizer);
}

}  // namespace
}  // namespace tandem::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::engine::run(data, size);
  return 0;
}
