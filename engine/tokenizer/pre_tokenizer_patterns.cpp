#include "engine/tokenizer/pre_tokenizer_patterns.h"

#include <algorithm>
#include <array>

namespace tandem::engine {
namespace {

constexpr std::array<std::string_view, 1> kLlama3 = {
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 1> kQwen2 = {
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 1> kQwen35 = {
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 3> kDeepSeekV3 = {
    R"re(\p{N}{1,3})re", R"re([一-龥぀-ゟ゠-ヿ]+)re",
    R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 1> kGpt4o = {
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 1> kGpt2 = {
    R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re"};
constexpr std::array<std::string_view, 4> kDefault = {R"re([\p{P}\$\+<=>\^~\|]+)re", kGpt2[0], R"re(\p{N}+)re",
                                                      R"re([0-9][0-9][0-9])re"};

constexpr PreTokenizerSpec kLlama3Spec{kLlama3, true, true, false};
constexpr PreTokenizerSpec kLlama3WithoutBosSpec{kLlama3, true, false, false};
constexpr PreTokenizerSpec kQwen2Spec{kQwen2, false, false, true};
constexpr PreTokenizerSpec kQwen35Spec{kQwen35, false, false, true};
constexpr PreTokenizerSpec kDeepSeekV3Spec{kDeepSeekV3, false, false, false};
constexpr PreTokenizerSpec kGpt4oSpec{kGpt4o, false, false, false};
constexpr PreTokenizerSpec kGpt2Spec{kGpt2, false, false, false};
constexpr PreTokenizerSpec kDefaultSpec{kDefault, false, false, false};

struct Named {
  std::string_view name;
  const PreTokenizerSpec* spec;
};
constexpr Named kNamed[] = {
    {"llama-bpe", &kLlama3Spec},
    {"llama3", &kLlama3Spec},
    {"llama-v3", &kLlama3Spec},
    {"falcon3", &kLlama3Spec},
    {"falcon-h1", &kLlama3Spec},
    {"pixtral", &kLlama3Spec},
    {"midm-2.0", &kLlama3Spec},
    {"lfm2", &kLlama3Spec},
    {"smaug-bpe", &kLlama3WithoutBosSpec},
    {"qwen2", &kQwen2Spec},
    {"deepseek-r1-qwen", &kQwen2Spec},
    {"megrez", &kQwen2Spec},
    {"kormo", &kQwen2Spec},
    {"qwen35", &kQwen35Spec},
    {"deepseek-v3", &kDeepSeekV3Spec},
    {"joyai-llm", &kDeepSeekV3Spec},
    {"hunyuan-dense", &kDeepSeekV3Spec},
    {"gpt-4o", &kGpt4oSpec},
    {"llama4", &kGpt4oSpec},
    {"kanana2", &kGpt4oSpec},
    {"gpt-2", &kGpt2Spec},
    {"phi-2", &kGpt2Spec},
    {"gigachat", &kGpt2Spec},
    {"mellum", &kGpt2Spec},
    {"default", &kDefaultSpec},
};

}  // namespace

const PreTokenizerSpec* find_pre_tokenizer(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kNamed), std::end(kNamed), [&](const Named& named) { return named.name == name; });
  return found == std::end(kNamed) ? nullptr : found->spec;
}

std::string_view gpt2_pattern() {
  return kGpt2[0];
}

}  // namespace tandem::engine
