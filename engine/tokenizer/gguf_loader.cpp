#include <algorithm>
#include <array>
#include <optional>

#include "engine/model_file/model_file.h"
#include "engine/model_file/quoted_name.h"
#include "engine/tokenizer/bpe_model.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/loaders.h"
#include "engine/tokenizer/pipeline_tokenizer.h"
#include "engine/tokenizer/pre_tokenizer_patterns.h"
#include "engine/tokenizer/score_bpe_model.h"

namespace tandem::engine {
namespace {

constexpr std::string_view kUnderscore = "\xE2\x96\x81";  // U+2581, which stands for a space in SentencePiece vocabularies

enum class TokenType : std::uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

std::string key(std::string_view name) {
  return "tokenizer.ggml." + std::string(name);
}

Error corrupt(std::string detail) {
  return Error{ErrorCode::kCorrupt, std::move(detail)};
}

// An absent key is nullopt; a key of the wrong type stays an Error.
template <class T>
Result<std::optional<T>> optional_value(Result<T> result) {
  if (result) return std::optional<T>(std::move(result).value());
  if (result.error().code == ErrorCode::kNotFound) return std::optional<T>();
  return std::move(result).error();
}

struct Vocabulary {
  std::vector<std::string> texts;
  std::vector<TokenType> types;
  std::vector<float> scores;

  std::int32_t size() const { return static_cast<std::int32_t>(texts.size()); }
  TokenType type(std::int32_t id) const { return types[static_cast<std::size_t>(id)]; }
  const std::string& text(std::int32_t id) const { return texts[static_cast<std::size_t>(id)]; }
};

Result<void> check_length(std::string_view name, std::size_t length, std::size_t num_tokens) {
  if (length == num_tokens) return {};
  return corrupt(key(name) + " has " + std::to_string(length) + " entries, tokenizer.ggml.tokens has " +
                 std::to_string(num_tokens));
}

Result<Vocabulary> read_vocabulary(const GgufMetadata& metadata) {
  Vocabulary vocabulary;
  vocabulary.texts = TANDEM_TRY(metadata.get_string_array(key("tokens")));
  const std::size_t count = vocabulary.texts.size();
  if (count == 0 || count > static_cast<std::size_t>(kMaxTokenId)) {
    return corrupt("tokenizer.ggml.tokens has " + std::to_string(count) + " entries; 1 to " + std::to_string(kMaxTokenId) +
                   " are allowed");
  }
  vocabulary.types.assign(count, TokenType::kNormal);
  if (const auto types = TANDEM_TRY(optional_value(metadata.get_int_array(key("token_type"))))) {
    TANDEM_TRY(check_length("token_type", types->size(), count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t type = (*types)[i];
      if (type < 0 || type > 6) {
        return corrupt("tokenizer.ggml.token_type of token " + std::to_string(i) + " is " + std::to_string(type) +
                       "; 1 to 6 are defined");
      }
      vocabulary.types[i] = type == 0 ? TokenType::kNormal : static_cast<TokenType>(type);
    }
  }
  vocabulary.scores.assign(count, 0.0F);
  if (metadata.contains(key("scores"))) {
    std::vector<double> scores;
    if (const auto ints = metadata.get_int_array(key("scores"))) {
      scores.assign(ints->begin(), ints->end());
    } else {
      scores = TANDEM_TRY(metadata.get_float_array(key("scores")));
    }
    TANDEM_TRY(check_length("scores", scores.size(), count));
    for (std::size_t i = 0; i < count; ++i) {
      // A NaN would break the order that merging relies on.
      if (!(scores[i] == scores[i])) return corrupt("tokenizer.ggml.scores of token " + std::to_string(i) + " is not a number");
      vocabulary.scores[i] = static_cast<float>(scores[i]);
    }
  }
  StringIndex seen(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string& text = vocabulary.texts[i];
    if (text.empty()) text = "[EMPTY_" + std::to_string(i) + "]";
    if (!seen.insert(text, static_cast<std::int32_t>(i))) {
      return corrupt("tokenizer.ggml.tokens: " + quoted_name(text) + " is both token " + std::to_string(seen.find(text)) +
                     " and " + std::to_string(i));
    }
  }
  return vocabulary;
}

// A special id of the header or its built-in default (-1: none), checked against the vocabulary.
Result<std::int32_t> read_id(const GgufMetadata& metadata, const Vocabulary& vocabulary, std::string_view name,
                             std::int32_t fallback) {
  const auto stored = TANDEM_TRY(optional_value(metadata.get_uint(key(name))));
  if (!stored && fallback < 0) return -1;
  const std::uint64_t id = stored ? *stored : static_cast<std::uint64_t>(fallback);
  // Writers put 2^32 - 1 where a tokenizer has no such token.
  if (stored && id == 0xFFFFFFFFU) return -1;
  if (id >= vocabulary.texts.size()) {
    return corrupt(key(name) + (stored ? " is " : " is absent, and its default ") + std::to_string(id) +
                   " lies outside the vocabulary of " + std::to_string(vocabulary.texts.size()) + " tokens");
  }
  return static_cast<std::int32_t>(id);
}

Result<void> check_charsmap(const GgufMetadata& metadata, std::vector<std::string>& warnings) {
  const auto map = TANDEM_TRY(optional_value(metadata.get_int_array(key("precompiled_charsmap"))));
  if (!map || map->empty()) return {};
  if (map->size() < 4)
    return corrupt("tokenizer.ggml.precompiled_charsmap has " + std::to_string(map->size()) + " bytes, at least 4 are needed");
  std::uint64_t inner = 0;
  for (std::size_t i = 0; i < 4; ++i) inner |= static_cast<std::uint64_t>((*map)[i] & 0xFF) << (8 * i);
  if (inner > map->size() - 4) {
    return corrupt("tokenizer.ggml.precompiled_charsmap says its table has " + std::to_string(inner) + " bytes, but " +
                   std::to_string(map->size() - 4) + " follow");
  }
  warnings.push_back("tokenizer.ggml.precompiled_charsmap is not applied: unusual characters may be read as other tokens");
  return {};
}

// Ids that no generated text depends on, but that a file must not get wrong either.
Result<void> check_other_ids(const GgufMetadata& metadata, const Vocabulary& vocabulary) {
  constexpr std::array<std::string_view, 12> kNames = {
      "padding_token_id", "mask_token_id",    "seperator_token_id", "fim_pre_token_id", "fim_suf_token_id", "fim_mid_token_id",
      "fim_pad_token_id", "fim_rep_token_id", "fim_sep_token_id",   "prefix_token_id",  "suffix_token_id",  "middle_token_id"};
  for (const std::string_view name : kNames) TANDEM_TRY(read_id(metadata, vocabulary, name, -1));
  if (const auto ids = TANDEM_TRY(optional_value(metadata.get_int_array(key("suppress_tokens"))))) {
    for (const std::int64_t id : *ids) {
      if (id < 0 || id >= vocabulary.size()) {
        return corrupt("tokenizer.ggml.suppress_tokens holds " + std::to_string(id) + ", outside the vocabulary of " +
                       std::to_string(vocabulary.size()) + " tokens");
      }
    }
  }
  return {};
}

struct SpecialIds {
  std::int32_t bos = -1, eos = -1, eot = -1, eom = -1, unk = -1;
};

// What both kinds of vocabulary share: token table, added tokens, special ids, end of generation.
Result<void> fill_common(const GgufMetadata& metadata, const Vocabulary& vocabulary, const SpecialIds& ids,
                         bool adds_bos_default, TokenizerParts& parts) {
  TANDEM_TRY(check_other_ids(metadata, vocabulary));
  TANDEM_TRY(check_charsmap(metadata, parts.warnings));
  parts.bos_id = ids.bos;
  parts.eos_id = ids.eos;
  for (const std::int32_t id : {ids.eos, ids.eot, ids.eom}) {
    if (id >= 0) parts.end_of_generation_ids.push_back(id);
  }
  StringIndex by_text(vocabulary.texts.size());
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) by_text.insert(vocabulary.text(id), id);
  add_end_of_generation_by_text([&](std::string_view text) { return by_text.find(text); }, parts.end_of_generation_ids);

  // Files without types, or with wrong ones, exist: what starts a text or ends a generation is a control token anyway.
  std::vector<bool> is_control(vocabulary.texts.size());
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    is_control[static_cast<std::size_t>(id)] =
        vocabulary.type(id) == TokenType::kControl || vocabulary.type(id) == TokenType::kUnknown;
  }
  if (ids.bos >= 0) is_control[static_cast<std::size_t>(ids.bos)] = true;
  for (const std::int32_t id : parts.end_of_generation_ids) is_control[static_cast<std::size_t>(id)] = true;

  std::int32_t end = vocabulary.size();
  // Padding of the embedding to a round number of rows: no tokens, and never to be sampled.
  while (end > 0 && vocabulary.type(end - 1) == TokenType::kUnused && vocabulary.text(end - 1).starts_with("[PAD")) --end;
  parts.tokens.resize(static_cast<std::size_t>(end));
  for (std::int32_t id = 0; id < end; ++id) {
    const bool control = is_control[static_cast<std::size_t>(id)];
    const std::string& text = vocabulary.text(id);
    parts.tokens[static_cast<std::size_t>(id)] = {text, text, true, control};
    if (!control && vocabulary.type(id) != TokenType::kUserDefined) continue;
    AddedToken added;
    added.id = id;
    added.content = text;
    added.special = control;
    parts.added.push_back(std::move(added));
  }

  const auto adds_bos = TANDEM_TRY(optional_value(metadata.get_bool(key("add_bos_token"))));
  if (adds_bos.value_or(false) && ids.bos < 0)
    return corrupt("tokenizer.ggml.add_bos_token is true, but tokenizer.ggml.bos_token_id is absent");
  parts.adds_bos = adds_bos.value_or(adds_bos_default && ids.bos >= 0);
  if (TANDEM_TRY(optional_value(metadata.get_bool(key("add_eos_token")))).value_or(false)) {
    parts.warnings.push_back("tokenizer.ggml.add_eos_token is ignored: a prompt that ends with it has no continuation");
  }
  return {};
}

bool is_added(const TokenizerParts& parts, const Vocabulary& vocabulary, std::int32_t id) {
  return parts.tokens[static_cast<std::size_t>(id)].is_control || vocabulary.type(id) == TokenType::kUserDefined;
}

Result<std::vector<BpeModel::Merge>> read_merges(const GgufMetadata& metadata) {
  std::vector<std::string> lines = TANDEM_TRY(metadata.get_string_array(key("merges")));
  std::vector<BpeModel::Merge> merges;
  merges.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t space = lines[i].find(' ', 1);
    std::optional<std::string> left, right;
    if (space != std::string::npos) {
      left = bytes_from_alphabet(std::string_view(lines[i]).substr(0, space));
      right = bytes_from_alphabet(std::string_view(lines[i]).substr(space + 1));
    }
    if (!left || !right)
      return corrupt("tokenizer.ggml.merges: entry " + std::to_string(i) + " (" + quoted_name(lines[i]) +
                     ") is not a pair of token texts");
    merges.push_back({std::move(*left), std::move(*right)});
  }
  return merges;
}

Result<std::shared_ptr<const Tokenizer>> load_byte_level(const GgufMetadata& metadata, const Vocabulary& vocabulary) {
  TokenizerParts parts;
  const auto pre = TANDEM_TRY(optional_value(metadata.get_string(key("pre"))));
  const PreTokenizerSpec* spec = find_pre_tokenizer(pre.value_or("default"));
  if (spec == nullptr) {
    return Error{ErrorCode::kUnsupported, "tokenizer.ggml.pre is " + quoted_name(*pre) +
                                              ", a pre-tokenizer this version does not know; use a model of a known family"};
  }
  if (!pre || *pre == "default") {
    parts.warnings.push_back(std::string(pre ? "tokenizer.ggml.pre is \"default\"" : "tokenizer.ggml.pre is absent") +
                             ": the text may be split differently from how the model was trained, and answers may be worse; "
                             "a newer conversion of the model names its pre-tokenizer");
  }
  if (spec->nfc) parts.normalizer.add(Normalizer::Unicode{NormalForm::kNfc});
  for (const std::string_view pattern : spec->patterns) {
    parts.pre_tokenizer.add(PreTokenizer::Split{TANDEM_TRY(Regex::compile(pattern)), SplitBehavior::kIsolated, false});
  }
  SpecialIds ids;
  // The format's default of 11 for both belongs to one old model; a comma in GPT-2's vocabulary must not end an answer.
  ids.bos = TANDEM_TRY(read_id(metadata, vocabulary, "bos_token_id", -1));
  ids.eos = TANDEM_TRY(read_id(metadata, vocabulary, "eos_token_id", -1));
  ids.eot = TANDEM_TRY(read_id(metadata, vocabulary, "eot_token_id", -1));
  ids.eom = TANDEM_TRY(read_id(metadata, vocabulary, "eom_token_id", -1));
  ids.unk = TANDEM_TRY(read_id(metadata, vocabulary, "unknown_token_id", -1));
  TANDEM_TRY(fill_common(metadata, vocabulary, ids, spec->adds_bos, parts));

  std::vector<BpeModel::Token> tokens;
  std::vector<BpeModel::Token> literal;  // their bytes may be those of a vocabulary token, which then comes first
  tokens.reserve(parts.tokens.size());
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(parts.tokens.size()); ++id) {
    TokenizerParts::Token& token = parts.tokens[static_cast<std::size_t>(id)];
    if (is_added(parts, vocabulary, id)) {
      if (vocabulary.type(id) == TokenType::kUserDefined) literal.push_back({token.text, id});
      continue;
    }
    auto bytes = bytes_from_alphabet(token.text);
    if (!bytes) continue;  // no text is ever encoded to it; decoded, it is its own text
    token.bytes = std::move(*bytes);
    tokens.push_back({token.bytes, id});
  }
  tokens.insert(tokens.end(), std::make_move_iterator(literal.begin()), std::make_move_iterator(literal.end()));
  BpeOptions options;
  options.ignore_merges = spec->ignore_merges;
  options.unk_id = ids.unk;
  auto model = BpeModel::create(std::move(tokens), TANDEM_TRY(read_merges(metadata)), options);
  if (!model) return corrupt("tokenizer.ggml: " + model.error().detail);
  parts.model = std::move(model).value();
  return PipelineTokenizer::create(std::move(parts));
}

Result<std::shared_ptr<const Tokenizer>> load_score_based(const GgufMetadata& metadata, const Vocabulary& vocabulary) {
  if (!metadata.contains(key("scores")))
    return corrupt("tokenizer.ggml.scores is absent; a tokenizer of model \"llama\" needs it");
  TokenizerParts parts;
  SpecialIds ids;
  ids.bos = TANDEM_TRY(read_id(metadata, vocabulary, "bos_token_id", 1));
  ids.eos = TANDEM_TRY(read_id(metadata, vocabulary, "eos_token_id", 2));
  ids.unk = TANDEM_TRY(read_id(metadata, vocabulary, "unknown_token_id", 0));
  ids.eot = TANDEM_TRY(read_id(metadata, vocabulary, "eot_token_id", -1));
  ids.eom = TANDEM_TRY(read_id(metadata, vocabulary, "eom_token_id", -1));
  TANDEM_TRY(fill_common(metadata, vocabulary, ids, true, parts));

  const bool adds_space = TANDEM_TRY(optional_value(metadata.get_bool(key("add_space_prefix")))).value_or(true);
  if (adds_space) parts.normalizer.add(Normalizer::Prepend{std::string(kUnderscore)});
  parts.normalizer.add(Normalizer::Replace{std::string(" "), std::string(kUnderscore)});
  parts.leading_spaces_dropped = adds_space ? 1 : 0;

  std::array<std::int32_t, 256> byte_ids{};
  byte_ids.fill(-1);
  std::vector<ScoreBpeModel::Token> tokens;
  tokens.reserve(parts.tokens.size());
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(parts.tokens.size()); ++id) {
    TokenizerParts::Token& token = parts.tokens[static_cast<std::size_t>(id)];
    if (vocabulary.type(id) == TokenType::kByte) {
      const int byte = byte_of_byte_token(token.text);
      if (byte < 0)
        return corrupt("tokenizer.ggml.tokens: byte token " + std::to_string(id) + " is " + quoted_name(token.text) +
                       ", not of the form <0xHH>");
      byte_ids[static_cast<std::size_t>(byte)] = id;
      token.bytes.assign(1, static_cast<char>(byte));
      continue;
    }
    if (token.is_control) continue;
    if (vocabulary.type(id) != TokenType::kUserDefined) {
      for (std::size_t pos = 0; (pos = token.bytes.find(kUnderscore, pos)) != std::string::npos; ++pos) {
        token.bytes.replace(pos, kUnderscore.size(), " ");
      }
    }
    tokens.push_back({token.text, id, vocabulary.scores[static_cast<std::size_t>(id)]});
  }
  parts.model = std::make_unique<ScoreBpeModel>(std::move(tokens), byte_ids, ids.unk);
  return PipelineTokenizer::create(std::move(parts));
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> load_gguf_tokenizer(const GgufMetadata& metadata) {
  const std::string model = TANDEM_TRY(metadata.get_string(key("model")));
  if (model != "gpt2" && model != "llama") {
    return Error{ErrorCode::kUnsupported, "tokenizer.ggml.model is " + quoted_name(model) +
                                              "; this version reads gpt2 (byte-level BPE) and llama (BPE with scores)"};
  }
  const Vocabulary vocabulary = TANDEM_TRY(read_vocabulary(metadata));
  return model == "gpt2" ? load_byte_level(metadata, vocabulary) : load_score_based(metadata, vocabulary);
}

}  // namespace tandem::engine
