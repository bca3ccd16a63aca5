// Any bytes as a tokenizer.json, then a text through what came of it: loading must end in a tokenizer or an Error with words,
// encoding in ids of the vocabulary, and streamed text must be what decode gives. A NUL byte ends the JSON; the text and the
// rest of the input follow it.
#include <cstdlib>
#include <string_view>

#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

constexpr std::string_view kText =
    "Hello, World's 123 \xE4\xBD\xA0\xE5\xA5\xBD  \r\n\n e\xCC\x81 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB "
    "<s></s><|im_end|> aaaa aaaa "
    "\xFF\xC3 \xE2\x96\x81x tail  ";

void expect(bool condition) {
  if (!condition) std::abort();
}

void check_text(const Tokenizer& tokenizer, std::string_view text, SpecialTokens special) {
  const auto ids = tokenizer.encode(text, special, true);
  if (!ids) {
    expect(!ids.error().detail.empty() && ids.error().code != ErrorCode::kInternal);
    return;
  }
  for (const std::int32_t id : *ids) expect(id >= 0 && id < tokenizer.vocab_size());
  const auto again = tokenizer.encode(text, special, true);  // from the cache of pieces
  expect(again.has_value() && *again == *ids);
  for (const bool skip : {false, true}) {
    IncrementalDetokenizer detokenizer(tokenizer, skip);
    std::string streamed;
    for (const std::int32_t id : *ids) streamed += detokenizer.push(id);
    expect(streamed + detokenizer.flush() == tokenizer.decode(*ids, skip));
  }
}

void run(std::string_view input) {
  const std::size_t end = input.find('\0');
  const std::string_view json = input.substr(0, end);
  const std::string_view text = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  const auto tokenizer = Tokenizer::from_tokenizer_json(json, R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}})");
  if (!tokenizer) {
    expect(!tokenizer.error().detail.empty() && tokenizer.error().code != ErrorCode::kInternal);
    return;
  }
  for (const SpecialTokens special : {SpecialTokens::kParse, SpecialTokens::kAsText}) {
    check_text(**tokenizer, kText, special);
    check_text(**tokenizer, text, special);
  }
  for (std::int32_t id = -1; id <= 300; ++id) (void)(*tokenizer)->token_bytes(id);
  for (const std::int32_t id : (*tokenizer)->end_of_generation_ids()) expect(id >= 0 && id < (*tokenizer)->vocab_size());
}

}  // namespace
}  // namespace tandem::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::engine::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
