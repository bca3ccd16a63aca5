#include "tests/engine/tokenizer/vocabulary_files.h"

#include <array>
#include <bit>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "engine/tokenizer/bpe_model.h"

namespace tandem::engine::testing {
namespace {

constexpr std::int64_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6;

struct Vocabulary {
  std::vector<std::string> texts;
  std::vector<std::int64_t> types;

  void put(std::size_t id, const std::string& text, std::int64_t type) {
    for (std::size_t i = texts.size(); i <= id; ++i) {
      texts.push_back("[PAD" + std::to_string(i) + "]");
      types.push_back(kUnused);
    }
    texts[id] = text;
    types[id] = type;
  }
};

Vocabulary read_vocabulary(const nlohmann::json& root) {
  Vocabulary vocabulary;
  for (const auto& [text, id] : root["model"]["vocab"].items()) vocabulary.put(id.get<std::size_t>(), text, kNormal);
  for (const auto& token : root["added_tokens"]) {
    vocabulary.put(token["id"].get<std::size_t>(), token["content"], token["special"].get<bool>() ? kControl : kUserDefined);
  }
  return vocabulary;
}

std::pair<std::string, std::string> parts_of(const nlohmann::json& merge) {
  if (merge.is_array()) return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  const std::string line = merge.get<std::string>();
  const std::size_t space = line.find(' ');
  return {line.substr(0, space), line.substr(space + 1)};
}

void add_common(GgufMetadata& metadata, std::string model, Vocabulary vocabulary) {
  metadata.add("tokenizer.ggml.model", std::move(model));
  metadata.add("tokenizer.ggml.tokens", GgufMetadata::Array(std::move(vocabulary.texts)));
  metadata.add("tokenizer.ggml.token_type", GgufMetadata::Array(std::move(vocabulary.types)));
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

GgufMetadata byte_level_metadata(const nlohmann::json& tokenizer_json, std::string_view pre) {
  std::vector<std::string> merges;
  for (const auto& merge : tokenizer_json["model"]["merges"]) {
    const auto [left, right] = parts_of(merge);
    merges.push_back(left + " " + right);
  }
  GgufMetadata metadata;
  add_common(metadata, "gpt2", read_vocabulary(tokenizer_json));
  metadata.add("tokenizer.ggml.pre", std::string(pre));
  metadata.add("tokenizer.ggml.merges", GgufMetadata::Array(std::move(merges)));
  return metadata;
}

GgufMetadata score_based_metadata(const nlohmann::json& tokenizer_json) {
  Vocabulary vocabulary = read_vocabulary(tokenizer_json);
  const auto& merges = tokenizer_json["model"]["merges"];
  std::map<std::string, double> score_of;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right] = parts_of(merges[rank]);
    score_of.emplace(left + right, -static_cast<double>(rank));
  }
  std::vector<double> scores;
  for (std::size_t id = 0; id < vocabulary.texts.size(); ++id) {
    const std::string& text = vocabulary.texts[id];
    scores.push_back(score_of.contains(text) ? score_of[text] : -static_cast<double>(merges.size()));
    if (byte_of_byte_token(text) >= 0) vocabulary.types[id] = kByte;
    if (text == "<unk>") vocabulary.types[id] = kUnknown;
  }
  GgufMetadata metadata;
  add_common(metadata, "llama", std::move(vocabulary));
  metadata.add("tokenizer.ggml.scores", GgufMetadata::Array(std::move(scores)));
  return metadata;
}

std::string sha256(std::string_view data) {
  // FIPS 180-4. The constants are the fractions of the square and cube roots of the first primes.
  constexpr std::array<std::uint32_t, 64> kRound = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
      0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
      0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
      0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
      0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
      0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::array<std::uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string message(data);
  message.push_back('\x80');
  while (message.size() % 64 != 56) message.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<char>((std::uint64_t{data.size()} * 8) >> shift));
  for (std::size_t block = 0; block < message.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = (w[i / 4] << 8) | static_cast<unsigned char>(message[block + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) hash[i] += added[i];
  }
  std::string text;
  for (const std::uint32_t word : hash) {
    for (int shift = 28; shift >= 0; shift -= 4) text.push_back("0123456789abcdef"[(word >> shift) & 15]);
  }
  return text;
}

}  // namespace tandem::engine::testing
