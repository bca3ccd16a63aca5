#include "engine/tokenizer/json_components.h"

#include <algorithm>
#include <variant>

#include "engine/tokenizer/bpe_model.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/pre_tokenizer_patterns.h"

namespace tandem::engine {
namespace {

using nlohmann::json;

// Sequences of sequences: deeper than this is no tokenizer.
constexpr std::size_t kMaxPathBytes = 512;

Error corrupt(const std::string& path, const std::string& what) {
  return Error{ErrorCode::kCorrupt, path + " " + what};
}

Error unsupported_type(const std::string& path, const std::string& type) {
  return Error{ErrorCode::kUnsupported, path + ".type \"" + type + "\" is not supported by this version"};
}

Error unsupported(const std::string& path, const std::string& what) {
  return Error{ErrorCode::kUnsupported, path + " " + what + " is not supported by this version"};
}

Result<std::string> type_of(const json& node, const std::string& path) {
  if (!node.is_object()) return corrupt(path, "is not an object");
  std::string type = TANDEM_TRY(string_field(node, path, "type"));
  if (type.empty()) return corrupt(path, "has no type");
  return type;
}

// Calls read(child, child_path) for every element of node[name].
template <class Read>
Result<void> read_sequence(const json& node, const std::string& path, const char* name, const Read& read) {
  const auto list = node.find(name);
  if (list == node.end() || !list->is_array()) return corrupt(path + "." + name, "is not an array");
  if (path.size() > kMaxPathBytes) return unsupported(path.substr(0, 64) + "…", "(sequences nested this deep)");
  for (std::size_t i = 0; i < list->size(); ++i) {
    TANDEM_TRY(read((*list)[i], path + "." + name + "[" + std::to_string(i) + "]"));
  }
  return {};
}

// {"Regex": "…"} or {"String": "…"}.
Result<std::variant<std::string, Regex>> read_pattern(const json& node, const std::string& path) {
  const auto pattern = node.find("pattern");
  const bool is_regex = pattern != node.end() && pattern->is_object() && pattern->contains("Regex");
  const bool is_literal = pattern != node.end() && pattern->is_object() && pattern->contains("String");
  if (is_regex == is_literal || !(*pattern)[is_regex ? "Regex" : "String"].is_string()) {
    return corrupt(path + ".pattern", "is not {\"Regex\": …} or {\"String\": …}");
  }
  if (is_literal) return std::variant<std::string, Regex>((*pattern)["String"].get<std::string>());
  auto regex = Regex::compile((*pattern)["Regex"].get_ref<const std::string&>());
  if (!regex) return Error{regex.error().code, path + ".pattern: " + regex.error().detail};
  return std::variant<std::string, Regex>(std::move(regex).value());
}

Result<SplitBehavior> read_behavior(const json& node, const std::string& path) {
  const std::string name = TANDEM_TRY(string_field(node, path, "behavior"));
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  return unsupported(path + ".behavior", "\"" + name + "\"");
}

Result<PreTokenizer::Metaspace> read_metaspace(const json& node, const std::string& path) {
  PreTokenizer::Metaspace metaspace;
  metaspace.replacement = TANDEM_TRY(string_field(node, path, "replacement", "\xE2\x96\x81"));
  if (metaspace.replacement.empty()) return corrupt(path + ".replacement", "is empty");
  metaspace.split = TANDEM_TRY(bool_field(node, path, "split", true));
  // Older files have add_prefix_space in place of prepend_scheme.
  const bool adds_prefix = TANDEM_TRY(bool_field(node, path, "add_prefix_space", true));
  const std::string scheme = TANDEM_TRY(string_field(node, path, "prepend_scheme", adds_prefix ? "always" : "never"));
  if (scheme == "always") {
    metaspace.prepend = PreTokenizer::Metaspace::Prepend::kAlways;
  } else if (scheme == "first") {
    metaspace.prepend = PreTokenizer::Metaspace::Prepend::kFirst;
  } else if (scheme == "never") {
    metaspace.prepend = PreTokenizer::Metaspace::Prepend::kNever;
  } else {
    return unsupported(path + ".prepend_scheme", "\"" + scheme + "\"");
  }
  return metaspace;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t pos = 0; (pos = text.find(from, pos)) != std::string::npos; pos += to.size()) {
    text.replace(pos, from.size(), to);
  }
}

}  // namespace

Result<std::string> string_field(const json& object, const std::string& path, const char* name, std::string fallback) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) return fallback;
  if (!field->is_string()) return corrupt(path + "." + name, "is not a string");
  return field->get<std::string>();
}

Result<bool> bool_field(const json& object, const std::string& path, const char* name, bool fallback) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) return fallback;
  if (!field->is_boolean()) return corrupt(path + "." + name, "is not true or false");
  return field->get<bool>();
}

Result<void> read_normalizer(const json& node, const std::string& path, Normalizer& out) {
  if (node.is_null()) return {};
  const std::string type = TANDEM_TRY(type_of(node, path));
  if (type == "Sequence") {
    return read_sequence(node, path, "normalizers", [&](const json& child, const std::string& child_path) {
      return read_normalizer(child, child_path, out);
    });
  }
  if (type == "NFC") {
    out.add(Normalizer::Unicode{NormalForm::kNfc});
  } else if (type == "NFD") {
    out.add(Normalizer::Unicode{NormalForm::kNfd});
  } else if (type == "NFKC") {
    out.add(Normalizer::Unicode{NormalForm::kNfkc});
  } else if (type == "NFKD") {
    out.add(Normalizer::Unicode{NormalForm::kNfkd});
  } else if (type == "Lowercase") {
    out.add(Normalizer::Lowercase{});
  } else if (type == "Prepend") {
    out.add(Normalizer::Prepend{TANDEM_TRY(string_field(node, path, "prepend"))});
  } else if (type == "Replace") {
    auto pattern = TANDEM_TRY(read_pattern(node, path));
    out.add(Normalizer::Replace{std::move(pattern), TANDEM_TRY(string_field(node, path, "content"))});
  } else {
    return unsupported_type(path, type);
  }
  return {};
}

Result<void> read_pre_tokenizer(const json& node, const std::string& path, PreTokenizerConfig& out) {
  if (node.is_null()) return {};
  const std::string type = TANDEM_TRY(type_of(node, path));
  if (type == "Sequence") {
    return read_sequence(node, path, "pretokenizers", [&](const json& child, const std::string& child_path) {
      return read_pre_tokenizer(child, child_path, out);
    });
  }
  if (out.byte_level) return unsupported(path, "(a pre-tokenizer behind ByteLevel)");
  if (type == "Split") {
    PreTokenizer::Split split;
    split.pattern = TANDEM_TRY(read_pattern(node, path));
    split.behavior = TANDEM_TRY(read_behavior(node, path));
    split.invert = TANDEM_TRY(bool_field(node, path, "invert", false));
    out.steps.add(std::move(split));
  } else if (type == "Digits") {
    const bool individual = TANDEM_TRY(bool_field(node, path, "individual_digits", false));
    out.steps.add(
        PreTokenizer::Split{TANDEM_TRY(Regex::compile(individual ? "\\p{N}" : "\\p{N}+")), SplitBehavior::kIsolated, false});
  } else if (type == "Metaspace") {
    out.steps.add(TANDEM_TRY(read_metaspace(node, path)));
  } else if (type == "ByteLevel") {
    if (TANDEM_TRY(bool_field(node, path, "add_prefix_space", true))) out.steps.add(PreTokenizer::PrefixSpace{});
    if (TANDEM_TRY(bool_field(node, path, "use_regex", true))) {
      out.steps.add(PreTokenizer::Split{TANDEM_TRY(Regex::compile(gpt2_pattern())), SplitBehavior::kIsolated, false});
    }
    out.byte_level = true;
  } else {
    return unsupported_type(path, type);
  }
  return {};
}

Result<void> TokenDecoder::read(const json& node, const std::string& path) {
  if (node.is_null()) return {};
  const std::string type = TANDEM_TRY(type_of(node, path));
  if (type == "Sequence") {
    return read_sequence(node, path, "decoders",
                         [&](const json& child, const std::string& child_path) { return read(child, child_path); });
  }
  if (type == "Fuse") {
    is_fused_ = true;
    return {};
  }
  if (type == "Strip") {
    const std::string content = TANDEM_TRY(string_field(node, path, "content", " "));
    const auto count = [&](const char* name) {
      return node.contains(name) && node[name].is_number_unsigned() ? node[name].get<std::size_t>() : 0;
    };
    if (content.empty() || count("start") > 1024) return corrupt(path, "has no content or strips more than 1024 times");
    if (count("stop") != 0) return unsupported(path + ".stop", std::to_string(count("stop")));
    if (!is_fused_) {
      steps_.push_back({Kind::kStrip, content, {}, count("start")});
    } else if (content == " ") {
      leading_spaces_dropped_ = static_cast<std::int32_t>(count("start"));
    } else {
      return unsupported(path + ".content", "\"" + content + "\" behind Fuse");
    }
    return {};
  }
  if (is_fused_) return unsupported(path, "(" + type + " behind Fuse)");
  if (type == "ByteLevel") {
    add_byte_level();
  } else if (type == "ByteFallback") {
    steps_.push_back({Kind::kByteFallback, {}, {}, 0});
  } else if (type == "Replace") {
    auto pattern = TANDEM_TRY(read_pattern(node, path));
    const auto* literal = std::get_if<std::string>(&pattern);
    if (literal == nullptr || literal->empty()) return unsupported(path + ".pattern", "(anything but a text)");
    steps_.push_back({Kind::kReplace, *literal, TANDEM_TRY(string_field(node, path, "content")), 0});
  } else if (type == "Metaspace") {
    const PreTokenizer::Metaspace metaspace = TANDEM_TRY(read_metaspace(node, path));
    steps_.push_back({Kind::kReplace, metaspace.replacement, " ", 0});
    // The one space that encoding put there, not all that the first token has.
    if (metaspace.prepend != PreTokenizer::Metaspace::Prepend::kNever) leading_spaces_dropped_ = 1;
  } else {
    return unsupported_type(path, type);
  }
  return {};
}

std::string TokenDecoder::decode(const std::string& token_text) const {
  std::string text = token_text;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::kByteLevel:
        if (auto bytes = bytes_from_alphabet(text)) text = std::move(*bytes);
        break;
      case Kind::kReplace: replace_all(text, step.from, step.to); break;
      case Kind::kByteFallback:
        if (const int byte = byte_of_byte_token(text); byte >= 0) return std::string(1, static_cast<char>(byte));
        break;
      case Kind::kStrip:
        for (std::size_t i = 0; i < step.count && text.starts_with(step.from); ++i) text.erase(0, step.from.size());
        break;
    }
  }
  return text;
}

Result<void> read_post_processor(const json& node, const std::string& path, PostProcessorConfig& out) {
  if (node.is_null()) return {};
  const std::string type = TANDEM_TRY(type_of(node, path));
  if (type == "Sequence") {
    return read_sequence(node, path, "processors", [&](const json& child, const std::string& child_path) {
      return read_post_processor(child, child_path, out);
    });
  }
  if (type == "ByteLevel") return {};  // moves offsets, not ids
  if (type != "TemplateProcessing") return unsupported_type(path, type);
  bool is_behind = false;
  return read_sequence(node, path, "single", [&](const json& piece, const std::string& piece_path) -> Result<void> {
    if (!piece.is_object()) return corrupt(piece_path, "is not an object");
    if (piece.contains("Sequence")) {
      is_behind = true;
      return {};
    }
    const auto token = piece.find("SpecialToken");
    if (token == piece.end() || !token->is_object()) return corrupt(piece_path, "is neither a Sequence nor a SpecialToken");
    (is_behind ? out.behind : out.before).push_back(TANDEM_TRY(string_field(*token, piece_path + ".SpecialToken", "id")));
    return {};
  });
}

}  // namespace tandem::engine
