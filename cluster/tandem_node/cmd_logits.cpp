// logits: what the model predicts after every token of a sequence, for comparisons with other programs.
#include <charconv>
#include <fstream>
#include <iostream>

#include "cluster/tandem_node/commands.h"
#include "cluster/tandem_node/model_options.h"
#include "engine/model_file/safetensors_writer.h"

namespace tandem::node {
namespace {

struct Options {
  ModelOptions model;
  std::string ids_file;
  std::string output;
  std::int32_t chunk = 0;
};

Result<std::vector<std::int32_t>> read_ids(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kIo, path + ": cannot be opened"};
  std::vector<std::int32_t> ids;
  std::string word;
  while (file >> word) {
    std::int32_t id = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (status != std::errc() || end != word.data() + word.size()) {
      return Error{ErrorCode::kInvalidArgument,
                   path + ": entry " + std::to_string(ids.size() + 1) + ", \"" + word.substr(0, 40) + "\", is not a token id"};
    }
    ids.push_back(id);
  }
  return ids;
}

Result<void> write_logits(const Options& options, const CommonOptions& common) {
  const std::vector<std::int32_t> ids = TANDEM_TRY(read_ids(options.ids_file));
  engine::LoadOptions load;
  load.max_num_seqs = 16;  // rows of logits that are computed at once
  if (options.chunk > load.max_num_batched_tokens) load.max_num_batched_tokens = options.chunk;
  ModelOptions model = options.model;
  model.kv_dtype = "f32";
  const auto engine = TANDEM_TRY(load_engine(common, model, load));
  const std::vector<float> logits = TANDEM_TRY(engine->logits(ids, options.chunk));
  engine::SafetensorsTensor tensor;
  tensor.name = "logits";
  tensor.shape = {static_cast<std::int64_t>(ids.size()), engine->info().config.vocab_size};
  tensor.data = std::as_bytes(std::span(logits));
  return engine::write_safetensors(options.output, std::span(&tensor, 1));
}

}  // namespace

void add_logits_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "logits", "Write the logits of a sequence of token ids");
  add_model_options(*command, options->model);
  command->remove_option(command->get_option("--kv-dtype"));  // always f32, for exact comparisons
  command->add_option("--ids-file", options->ids_file, "Token ids separated by white space")->required();
  command->add_option("--output", options->output, "A safetensors file; gets \"logits\" [tokens, vocabulary] F32")->required();
  command->add_option("--chunk", options->chunk, "Tokens computed at once; 0: as many as a step allows")
      ->check(CLI::Range(0, 65536));
  command->callback([options, &context] {
    const auto written = write_logits(*options, context.common);
    if (!written) context.exit_status = report_error(written.error(), /*json=*/false);
  });
}

}  // namespace tandem::node
