// bench: concurrency sweeps over the engine in this process, or over any OpenAI-compatible URL.
#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>

#include "cluster/tandem_node/commands.h"
#include "engine/benchmark/benchmark.h"
#include "engine/engine.h"
#include "engine/model_catalog/model_catalog.h"
#include "engine/server/server.h"
#include "kernels/read_bandwidth.h"

namespace tandem::node {
namespace {

struct BenchOptions {
  std::string model, url, api_key_file, served_name, prompts_file;
  engine::BenchmarkOptions sweep;
  bool json = false, markdown = false;
};

std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

Result<std::unique_ptr<engine::BenchmarkTarget>> open_target(BenchOptions& options, const CommonOptions& common) {
  if (!options.url.empty()) {
    std::string key;
    if (!options.api_key_file.empty()) key = TANDEM_TRY(engine::server::read_api_key_file(options.api_key_file));
    return engine::http_target(options.url, key, options.served_name);
  }
  TANDEM_TRY(check_common_options(common));
  const auto path = TANDEM_TRY(engine::resolve_model(options.model));
  engine::LoadOptions load_options;
  load_options.device = common.device;
  load_options.num_threads = common.num_threads;
  load_options.context_tokens = std::int64_t{options.sweep.input_len} + options.sweep.output_len;
  load_options.max_num_seqs = *std::max_element(options.sweep.concurrency.begin(), options.sweep.concurrency.end());
  std::shared_ptr<engine::Engine> engine =
      TANDEM_TRY(engine::Engine::load(path, load_options, [](const engine::LoadProgress&) { return !cancelled.load(); }));
  std::cerr << "Measuring the read bandwidth of this machine …\n";
  constexpr double kSeconds = 1.0;
  options.sweep.read_bandwidth = TANDEM_TRY(kernels::measure_read_bandwidth(common.num_threads, kSeconds));
  return engine::engine_target(std::move(engine));
}

int run_bench(BenchOptions options, const CommonOptions& common) {
  std::signal(SIGINT, [](int) { cancelled = true; });
  if (!options.prompts_file.empty()) options.sweep.prompts_file = options.prompts_file;
  auto target = open_target(options, common);
  if (!target) return report_error(target.error(), options.json);
  const auto report = engine::run_benchmark(
      **target, options.sweep, cancelled,
      [](const engine::BenchmarkProgress& progress) {
        std::cerr << "\r" << progress.concurrency << " at once: " << progress.done << " of " << progress.total << " requests"
                  << std::flush;
      },
      [](const engine::BenchmarkRow&) { std::cerr << "\n"; });
  if (!report) return report_error(report.error(), options.json);
  if (options.json) {
    std::cout << engine::to_json(*report).dump(2) << "\n";
  } else {
    std::cout << (options.markdown ? engine::to_markdown(*report) : engine::to_table(*report));
  }
  int num_failed = 0;
  for (const engine::BenchmarkRow& row : report->rows) {
    num_failed += row.num_failed;
    if (row.num_failed > 0)
      std::cerr << row.num_failed << " requests failed at concurrency " << row.concurrency << ": " << row.first_error << "\n";
  }
  return num_failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

void add_bench_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = add_command(app, context, "bench", "Measure latency and throughput over several concurrency levels");
  auto* model = command->add_option("MODEL", options->model, "Model file, folder or catalogue id");
  auto* url = command->add_option("--url", options->url,
                                  "Measure this OpenAI-compatible server instead, e.g. http://127.0.0.1:8000/v1");
  model->excludes(url);
  command->add_option("--api-key-file", options->api_key_file, "File with the server's key");
  command->add_option("--served-model-name", options->served_name, "Model to ask the server for; default: its first");
  command->add_option("--concurrency", options->sweep.concurrency, "Levels, comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--input-len", options->sweep.input_len, "Prompt tokens")->capture_default_str();
  command->add_option("--output-len", options->sweep.output_len, "Answer tokens")->capture_default_str();
  command->add_option("--num-requests", options->sweep.num_requests, "Requests per level; default: twice the concurrency");
  command->add_option("--prompts-file", options->prompts_file, "ShareGPT JSON instead of random prompts");
  command->add_flag("--repeat-prompts", options->sweep.repeat_prompts,
                    "Send one prompt again and again (measures the prefix cache)");
  command->add_option("--seed", options->sweep.seed, "Of the random prompts")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON document");
  command->add_flag("--markdown", options->markdown, "Print a Markdown table");
  command->callback([options, &context] {
    if (options->model.empty() && options->url.empty()) throw CLI::RequiredError("MODEL or --url");
    context.exit_status = run_bench(*options, context.common);
  });
}

}  // namespace tandem::node
