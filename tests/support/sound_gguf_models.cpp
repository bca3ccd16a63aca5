#include "tests/support/gguf_writer.h"
#include "tests/support/malformed_files.h"

namespace tandem::testing {
namespace {

void add_sizes(GgufWriter& writer, const std::string& architecture) {
  writer.add_string("general.architecture", architecture).add_string("general.name", "tiny");
  writer.add_u32(architecture + ".block_count", 2).add_u32(architecture + ".context_length", 64);
  writer.add_u32(architecture + ".embedding_length", 16).add_u32(architecture + ".feed_forward_length", 32);
  writer.add_u32(architecture + ".attention.head_count", 4).add_u32(architecture + ".attention.head_count_kv", 2);
  writer.add_u32(architecture + ".rope.dimension_count", 4).add_f32(architecture + ".rope.freq_base", 10000.0f);
  writer.add_f32(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
}

// The 256 letters byte-level vocabularies write bytes with: itself where printable, else U+0100 and up. All below U+0800.
std::vector<std::string> byte_letters() {
  std::vector<std::string> letters;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    const unsigned code = printable ? byte : next++;
    if (code < 0x80) {
      letters.emplace_back(1, static_cast<char>(code));
    } else {
      letters.push_back({static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))});
    }
  }
  return letters;
}

void add_byte_level_tokenizer(GgufWriter& writer, const std::string& pre) {
  std::vector<std::string> tokens = byte_letters();
  tokens.insert(tokens.end(), {"he", "ll", "llo", "<s>", "</s>", "<tool>"});
  std::vector<std::int32_t> types(tokens.size(), 1);
  types[259] = types[260] = 3;
  types[261] = 4;
  writer.add_string("tokenizer.ggml.model", "gpt2").add_string("tokenizer.ggml.pre", pre);
  writer.add_strings("tokenizer.ggml.tokens", tokens).add_array("tokenizer.ggml.token_type", types);
  writer.add_strings("tokenizer.ggml.merges", {"h e", "l l", "ll o"});
  writer.add_u32("tokenizer.ggml.bos_token_id", 259).add_u32("tokenizer.ggml.eos_token_id", 260);
  writer.add_bool("tokenizer.ggml.add_bos_token", true).add_string("tokenizer.chat_template", "{{ bos_token }}");
}

void add_score_tokenizer(GgufWriter& writer) {
  writer.add_string("tokenizer.ggml.model", "llama");
  writer.add_strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x0A>", "▁", "H", "e", "l", "o", "el", "▁H"});
  writer.add_array<float>("tokenizer.ggml.scores", {0, 0, 0, 0, -1, -2, -3, -4, -5, -6, -7});
  writer.add_array<std::int32_t>("tokenizer.ggml.token_type", {2, 3, 3, 6, 1, 1, 1, 1, 1, 1, 1});
  writer.add_u32("tokenizer.ggml.unknown_token_id", 0).add_bool("tokenizer.ggml.add_space_prefix", true);
}

}  // namespace

std::vector<SoundFile> sound_gguf_models() {
  std::vector<SoundFile> files;
  for (const std::string architecture : {"llama", "qwen3", "qwen3moe"}) {
    GgufWriter writer;
    add_sizes(writer, architecture);
    if (architecture == "llama") {
      add_score_tokenizer(writer);
    } else {
      writer.add_u32(architecture + ".attention.key_length", 4).add_u32(architecture + ".attention.value_length", 4);
      add_byte_level_tokenizer(writer, "qwen2");
    }
    if (architecture == "qwen3moe") {
      writer.add_u32(architecture + ".expert_count", 4).add_u32(architecture + ".expert_used_count", 2);
      writer.add_u32(architecture + ".expert_feed_forward_length", 8);
    }
    files.push_back({architecture, writer.bytes(), 0});
  }
  return files;
}

}  // namespace tandem::testing
