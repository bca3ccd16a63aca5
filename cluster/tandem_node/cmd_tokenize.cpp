// tokenize: the ids and pieces of a text.
#include <iostream>

#include "cluster/tandem_node/commands.h"
#include "cluster/tandem_node/model_options.h"
#include "engine/model_catalog/model_catalog.h"
#include "engine/model_file/model_file.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::node {
namespace {

struct Options {
  std::string model;
  std::string text;
  bool special_as_text = false;
  bool no_bos = false;
  bool json = false;
};

struct Tokens {
  std::vector<std::int32_t> ids;
  std::vector<std::string> pieces;
};

Result<Tokens> tokenize(const Options& options) {
  const auto path = TANDEM_TRY(engine::resolve_model(options.model));
  const auto file = TANDEM_TRY(engine::ModelFile::open(path));
  const auto tokenizer = TANDEM_TRY(engine::Tokenizer::create(*file));
  const auto special = options.special_as_text ? engine::SpecialTokens::kAsText : engine::SpecialTokens::kParse;
  Tokens tokens;
  tokens.ids = TANDEM_TRY(tokenizer->encode(options.text, special, !options.no_bos));
  for (const std::int32_t id : tokens.ids) tokens.pieces.emplace_back(tokenizer->token_bytes(id));
  return tokens;
}

int run_tokenize(const Options& options) {
  const auto tokens = tokenize(options);
  if (!tokens) return report_error(tokens.error(), options.json);
  if (options.json) {
    // Pieces that are part of a code point are shown with U+FFFD.
    std::cout << json_text({{"ids", tokens->ids}, {"pieces", tokens->pieces}}) << std::endl;
    return kExitOk;
  }
  for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
    std::cout << tokens->ids[i] << '\t' << json_text(tokens->pieces[i]) << '\n';
  }
  std::cout << std::flush;
  return kExitOk;
}

}  // namespace

void add_tokenize_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "tokenize", "Show the tokens of a text");
  command->add_option("MODEL", options->model, "A .gguf file or a folder with safetensors")->required();
  command->add_option("--text", options->text, "The text")->required();
  command->add_flag("--special-as-text", options->special_as_text, "Read \"<|im_end|>\" and the like as plain text");
  command->add_flag("--no-bos", options->no_bos, "Do not add the beginning-of-text token");
  command->add_flag("--json", options->json, "Print {\"ids\": […], \"pieces\": […]}");
  command->callback([options, &context] { context.exit_status = run_tokenize(*options); });
}

}  // namespace tandem::node
