#include <algorithm>
#include <optional>

#include "engine/model_file/model_file.h"
#include "engine/model_file/quoted_name.h"
#include "engine/tokenizer/bpe_model.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/json_components.h"
#include "engine/tokenizer/loaders.h"
#include "engine/tokenizer/pipeline_tokenizer.h"

namespace tandem::engine {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Error corrupt(std::string detail) {
  return Error{ErrorCode::kCorrupt, "tokenizer.json: " + std::move(detail)};
}

Error unsupported(std::string detail) {
  return Error{ErrorCode::kUnsupported, "tokenizer.json: " + std::move(detail) + " is not supported by this version"};
}

// Result of a component reader, with the file's name in front.
Result<void> in_file(Result<void> result) {
  if (result) return result;
  return Error{result.error().code, "tokenizer.json: " + result.error().detail};
}

const json& field(const json& object, const char* name) {
  static const json kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

Result<std::int32_t> read_token_id(const json& value, const std::string& what) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxTokenId)) {
    return corrupt(what + " has the id " + value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 32) +
                   "; 0 to " + std::to_string(kMaxTokenId) + " are allowed");
  }
  return static_cast<std::int32_t>(value.get<std::uint64_t>());
}

Result<void> put_token(std::int32_t id, const std::string& text, std::vector<TokenizerParts::Token>& tokens) {
  if (static_cast<std::size_t>(id) >= tokens.size()) tokens.resize(static_cast<std::size_t>(id) + 1);
  TokenizerParts::Token& token = tokens[static_cast<std::size_t>(id)];
  if (token.exists && token.text != text) {
    return corrupt("id " + std::to_string(id) + " belongs to " + quoted_name(token.text) + " and to " + quoted_name(text));
  }
  token.text = text;
  token.exists = true;
  return {};
}

Result<BpeModel::Merge> read_merge(const json& entry, std::size_t idx) {
  BpeModel::Merge merge;
  if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
    merge.left = entry[0].get<std::string>();
    merge.right = entry[1].get<std::string>();
    return merge;
  }
  if (entry.is_string()) {
    const auto& line = entry.get_ref<const std::string&>();
    const std::size_t space = line.find(' ');
    if (space != std::string::npos && line.find(' ', space + 1) == std::string::npos) {
      merge.left = line.substr(0, space);
      merge.right = line.substr(space + 1);
      return merge;
    }
  }
  return corrupt("model.merges[" + std::to_string(idx) + "] is not a pair of token texts");
}

Result<void> check_model_options(const json& model) {
  const std::string type =
      TANDEM_TRY(string_field(model, "tokenizer.json: model", "type", model.contains("merges") ? "BPE" : ""));
  if (type != "BPE") return unsupported("model.type " + quoted_name(type));
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const std::string affix = TANDEM_TRY(string_field(model, "tokenizer.json: model", name));
    if (!affix.empty()) return unsupported("model." + std::string(name) + " " + quoted_name(affix));
  }
  const json& dropout = field(model, "dropout");
  if (!dropout.is_null() && !(dropout.is_number() && dropout.get<double>() == 0.0))
    return unsupported("model.dropout (random merges)");
  if (!field(model, "vocab").is_object()) return corrupt("model.vocab is not an object");
  if (!field(model, "merges").is_array()) return corrupt("model.merges is not an array");
  return {};
}

// The model and the vocabulary's part of the token table.
Result<void> read_model(const json& model, bool byte_level, const TokenDecoder& decoder, TokenizerParts& parts) {
  TANDEM_TRY(check_model_options(model));
  const std::string path = "tokenizer.json: model";
  std::vector<BpeModel::Token> tokens;
  tokens.reserve(model["vocab"].size());
  for (const auto& [text, value] : model["vocab"].items()) {
    const std::int32_t id = TANDEM_TRY(read_token_id(value, "model.vocab " + quoted_name(text)));
    TANDEM_TRY(put_token(id, text, parts.tokens));
    parts.tokens[static_cast<std::size_t>(id)].bytes = decoder.decode(text);
    if (!byte_level) {
      tokens.push_back({text, id});
    } else if (auto bytes = bytes_from_alphabet(text)) {
      tokens.push_back({std::move(*bytes), id});
    }
  }
  std::vector<BpeModel::Merge> merges;
  merges.reserve(model["merges"].size());
  for (std::size_t i = 0; i < model["merges"].size(); ++i) {
    BpeModel::Merge merge = TANDEM_TRY(read_merge(model["merges"][i], i));
    if (byte_level) {
      auto left = bytes_from_alphabet(merge.left);
      auto right = bytes_from_alphabet(merge.right);
      if (!left || !right) return corrupt("model.merges[" + std::to_string(i) + "] has characters outside the byte alphabet");
      merge = {std::move(*left), std::move(*right)};
    }
    merges.push_back(std::move(merge));
  }
  BpeOptions options;
  options.byte_level = byte_level;
  options.ignore_merges = TANDEM_TRY(bool_field(model, path, "ignore_merges", false));
  options.byte_fallback = TANDEM_TRY(bool_field(model, path, "byte_fallback", false));
  options.fuse_unk = TANDEM_TRY(bool_field(model, path, "fuse_unk", false));
  const std::string unk = TANDEM_TRY(string_field(model, path, "unk_token"));
  if (!unk.empty()) {
    const json& id = field(model["vocab"], unk.c_str());
    if (id.is_null()) return corrupt("model.unk_token " + quoted_name(unk) + " is not in model.vocab");
    options.unk_id = TANDEM_TRY(read_token_id(id, "model.unk_token"));
  }
  auto bpe = BpeModel::create(std::move(tokens), merges, options);
  if (!bpe) return corrupt("model: " + bpe.error().detail);
  parts.model = std::move(bpe).value();
  return {};
}

Result<void> read_added_tokens(const json& list, TokenizerParts& parts) {
  if (list.is_null()) return {};
  if (!list.is_array()) return corrupt("added_tokens is not an array");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = "tokenizer.json: added_tokens[" + std::to_string(i) + "]";
    const json& entry = list[i];
    if (!entry.is_object()) return Error{ErrorCode::kCorrupt, path + " is not an object"};
    AddedToken token;
    token.id = TANDEM_TRY(read_token_id(field(entry, "id"), "added_tokens[" + std::to_string(i) + "]"));
    token.content = TANDEM_TRY(string_field(entry, path, "content"));
    token.single_word = TANDEM_TRY(bool_field(entry, path, "single_word", false));
    token.lstrip = TANDEM_TRY(bool_field(entry, path, "lstrip", false));
    token.rstrip = TANDEM_TRY(bool_field(entry, path, "rstrip", false));
    token.special = TANDEM_TRY(bool_field(entry, path, "special", false));
    token.normalized = TANDEM_TRY(bool_field(entry, path, "normalized", !token.special));
    TANDEM_TRY(put_token(token.id, token.content, parts.tokens));
    TokenizerParts::Token& stored = parts.tokens[static_cast<std::size_t>(token.id)];
    stored.bytes = token.content;
    stored.is_control = token.special;
    parts.added.push_back(std::move(token));
  }
  return {};
}

// The text of a special token in tokenizer_config.json: a string, or an object with "content"; empty when absent.
std::string special_text(const ordered_json& config, const char* name) {
  if (!config.is_object() || !config.contains(name)) return {};
  const ordered_json& value = config[name];
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value["content"].is_string())
    return value["content"].get<std::string>();
  return {};
}

// Finds ids by text in the table being built.
class TextLookup {
 public:
  explicit TextLookup(const std::vector<TokenizerParts::Token>& tokens) : index_(tokens.size()) {
    for (std::size_t id = 0; id < tokens.size(); ++id) {
      if (tokens[id].exists) index_.insert(tokens[id].text, static_cast<std::int32_t>(id));
    }
  }
  std::int32_t find(std::string_view text) const { return text.empty() ? -1 : index_.find(text); }

 private:
  StringIndex index_;
};

// Special tokens that tokenizer_config.json names: they are control tokens even if tokenizer.json does not list them.
void read_special_tokens(const ordered_json& config, const TextLookup& lookup, TokenizerParts& parts) {
  for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
    const std::string text = special_text(config, name);
    const std::int32_t id = lookup.find(text);
    if (id < 0) {
      if (!text.empty())
        parts.warnings.push_back("tokenizer_config.json: " + std::string(name) + " " + quoted_name(text) +
                                 " is not in tokenizer.json");
      continue;
    }
    if (std::string_view(name) == "bos_token") parts.bos_id = id;
    if (std::string_view(name) == "eos_token") parts.eos_id = id;
    const bool is_listed = std::any_of(parts.added.begin(), parts.added.end(), [&](const AddedToken& t) { return t.id == id; });
    if (is_listed) continue;
    AddedToken token;
    token.id = id;
    token.content = text;
    token.special = true;
    TokenizerParts::Token& stored = parts.tokens[static_cast<std::size_t>(id)];
    stored.bytes = text;
    stored.is_control = true;
    parts.added.push_back(std::move(token));
  }
}

Result<void> read_bos_rule(const json& post_processor, const ordered_json& config, const TextLookup& lookup,
                           TokenizerParts& parts) {
  PostProcessorConfig post;
  TANDEM_TRY(in_file(read_post_processor(post_processor, "post_processor", post)));
  if (post.before.size() > 1)
    return unsupported("post_processor with " + std::to_string(post.before.size()) + " tokens before the text");
  if (!post.behind.empty()) {
    parts.warnings.push_back("tokenizer.json: post_processor's " + quoted_name(post.behind.front()) +
                             " behind the text is left out: a prompt that ends with it has no continuation");
  }
  if (!post.before.empty()) {
    const std::int32_t id = lookup.find(post.before.front());
    if (id < 0) return corrupt("post_processor names " + quoted_name(post.before.front()) + ", which is no token");
    parts.bos_id = id;
    parts.adds_bos = true;
  }
  // tokenizer_config.json has the last word, as in the reference's tokenizer classes.
  if (config.is_object() && config.contains("add_bos_token") && config["add_bos_token"].is_boolean()) {
    parts.adds_bos = config["add_bos_token"].get<bool>();
    if (parts.adds_bos && parts.bos_id < 0) {
      parts.adds_bos = false;
      parts.warnings.push_back("tokenizer_config.json: add_bos_token is true, but there is no bos_token; none is added");
    }
  }
  return {};
}

void read_stop_ids(const std::vector<std::int64_t>& stop_ids, const TextLookup& lookup, TokenizerParts& parts) {
  for (const std::int64_t id : stop_ids) {
    if (id >= 0 && id < static_cast<std::int64_t>(parts.tokens.size())) {
      parts.end_of_generation_ids.push_back(static_cast<std::int32_t>(id));
    } else {
      parts.warnings.push_back("eos_token_id " + std::to_string(id) + " is outside the vocabulary of " +
                               std::to_string(parts.tokens.size()) + " tokens and is ignored");
    }
  }
  const bool has_stop_ids = !parts.end_of_generation_ids.empty();
  if (parts.eos_id < 0 && !parts.end_of_generation_ids.empty()) parts.eos_id = parts.end_of_generation_ids.front();
  if (parts.eos_id >= 0) parts.end_of_generation_ids.push_back(parts.eos_id);
  if (!has_stop_ids) {
    add_end_of_generation_by_text([&](std::string_view text) { return lookup.find(text); }, parts.end_of_generation_ids);
  }
}

// eos_token_id of a config: a number or a list of numbers.
std::vector<std::int64_t> eos_ids(const ordered_json& config) {
  std::vector<std::int64_t> ids;
  if (!config.is_object() || !config.contains("eos_token_id")) return ids;
  const ordered_json& value = config["eos_token_id"];
  if (value.is_number_integer()) ids.push_back(value.get<std::int64_t>());
  if (value.is_array()) {
    for (const ordered_json& id : value) {
      if (id.is_number_integer()) ids.push_back(id.get<std::int64_t>());
    }
  }
  return ids;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> load_json_tokenizer(std::string_view tokenizer_json,
                                                             const ordered_json& tokenizer_config,
                                                             const std::vector<std::int64_t>& stop_ids) {
  json root;
  try {
    root = json::parse(tokenizer_json);
  } catch (const json::exception& e) {
    return corrupt(e.what());
  }
  if (!root.is_object()) return corrupt("the document is not an object");
  TokenizerParts parts;
  TANDEM_TRY(in_file(read_normalizer(field(root, "normalizer"), "normalizer", parts.normalizer)));
  PreTokenizerConfig pre_tokenizer;
  TANDEM_TRY(in_file(read_pre_tokenizer(field(root, "pre_tokenizer"), "pre_tokenizer", pre_tokenizer)));
  parts.pre_tokenizer = std::move(pre_tokenizer.steps);
  TokenDecoder decoder;
  TANDEM_TRY(in_file(decoder.read(field(root, "decoder"), "decoder")));
  if (decoder.is_empty() && pre_tokenizer.byte_level) decoder.add_byte_level();
  parts.leading_spaces_dropped = decoder.leading_spaces_dropped();
  if (!field(root, "model").is_object()) return corrupt("model is not an object");
  TANDEM_TRY(read_model(root["model"], pre_tokenizer.byte_level, decoder, parts));
  TANDEM_TRY(read_added_tokens(field(root, "added_tokens"), parts));
  const TextLookup lookup(parts.tokens);
  read_special_tokens(tokenizer_config, lookup, parts);
  TANDEM_TRY(read_bos_rule(field(root, "post_processor"), tokenizer_config, lookup, parts));
  read_stop_ids(stop_ids, lookup, parts);
  auto tokenizer = PipelineTokenizer::create(std::move(parts));
  if (!tokenizer) return corrupt(tokenizer.error().detail);
  return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> load_model_folder_tokenizer(const ModelFile& file) {
  if (!file.tokenizer_json()) {
    return Error{ErrorCode::kNotFound, "there is no tokenizer.json beside the weights; copy it from where the model came from"};
  }
  std::vector<std::int64_t> ids = eos_ids(file.generation_config());
  if (ids.empty()) ids = eos_ids(file.config());
  if (ids.empty() && file.config().is_object() && file.config().contains("text_config"))
    ids = eos_ids(file.config()["text_config"]);
  return load_json_tokenizer(*file.tokenizer_json(), file.tokenizer_config(), ids);
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::from_tokenizer_json(std::string_view tokenizer_json,
                                                                        std::string_view tokenizer_config_json) {
  ordered_json config;
  if (!tokenizer_config_json.empty()) {
    try {
      config = ordered_json::parse(tokenizer_config_json);
    } catch (const json::exception& e) {
      return Error{ErrorCode::kCorrupt, "tokenizer_config.json: " + std::string(e.what())};
    }
  }
  return load_json_tokenizer(tokenizer_json, config, {});
}

}  // namespace tandem::engine
