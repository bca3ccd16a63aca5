#include "tests/engine/tokenizer/small_tokenizer.h"

#include "engine/tokenizer/byte_alphabet.h"

namespace tandem::engine::testing {
namespace {

using nlohmann::json;

json added_token(int id, const char* content, bool special) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", special}};
}

}  // namespace

json small_byte_level() {
  json vocab;
  for (int byte = 0; byte < 256; ++byte) vocab[alphabet_from_bytes(std::string(1, static_cast<char>(byte)))] = byte;
  int next = 256;
  for (const char* text : {"He", "ll", "llo", "Hello", "\u0120w"}) vocab[text] = next++;
  json root = json::parse(R"({
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": null,
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "merges": ["H e", "l l", "ll o", "He llo", "\u0120 w"]}
  })");
  root["model"]["vocab"] = vocab;
  root["added_tokens"] = json::array({added_token(261, "<s>", true), added_token(262, "</s>", true)});
  return root;
}

json small_sentencepiece() {
  json vocab;
  vocab["<unk>"] = 0, vocab["<s>"] = 1, vocab["</s>"] = 2;
  constexpr const char* kHex = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) vocab[std::string("<0x") + kHex[byte / 16] + kHex[byte % 16] + ">"] = 3 + byte;
  int next = 259;
  for (const char* text : {"\u2581", "H", "e", "l", "o", "He", "ll", "llo", "Hello"}) vocab[text] = next++;
  json root = json::parse(R"({
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
    "pre_tokenizer": null,
    "post_processor": {"type": "TemplateProcessing", "single": [
      {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]},
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
      "merges": [["H", "e"], ["l", "l"], ["ll", "o"], ["He", "llo"]]}
  })");
  root["model"]["vocab"] = vocab;
  root["added_tokens"] =
      json::array({added_token(0, "<unk>", true), added_token(1, "<s>", true), added_token(2, "</s>", true)});
  return root;
}

}  // namespace tandem::engine::testing
