#include "cluster/tandem_node/model_options.h"

#include <cstdio>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "cluster/tandem_node/interrupt.h"
#include "engine/model_catalog/model_catalog.h"

namespace tandem::node {
namespace {

using engine::LoadProgress;

constexpr double kMostMemoryGib = 1048576.0;  // 1 PiB: its bytes can be counted

// One line that is written over; nothing where stderr is not a terminal.
void show_progress(const LoadProgress& progress) {
  if (isatty(STDERR_FILENO) == 0) return;
  if (progress.phase == LoadProgress::Phase::kLoadingWeights && progress.bytes_total > 0) {
    std::fprintf(stderr, "\rLoading %5.1f%%  %.1f of %.1f MB  %.1f s ",
                 100.0 * static_cast<double>(progress.bytes_done) / static_cast<double>(progress.bytes_total),
                 static_cast<double>(progress.bytes_done) / 1e6, static_cast<double>(progress.bytes_total) / 1e6,
                 progress.elapsed_s);
  } else if (progress.phase == LoadProgress::Phase::kReady) {
    std::fputs("\r\033[K", stderr);
  }
  std::fflush(stderr);
}

}  // namespace

void add_model_options(CLI::App& command, ModelOptions& options) {
  command
      .add_option("MODEL", options.model,
                  "A .gguf file (the first part of a split one), a folder with safetensors, or a catalogue id such as demo")
      ->required();
  command.add_option("--context", options.context_tokens, "Tokens of context; 0: the largest that fits")->check(number_from(0));
  command.add_option("--kv-dtype", options.kv_dtype, "Type of the KV cache")
      ->check(CLI::IsMember({"f16", "f32", "q8_0", "fp8"}))
      ->capture_default_str();
  command.add_option("--memory-gib", options.memory_gib, "Memory that may be used, in GiB; 0: what is available")
      ->check(number_from(0, kMostMemoryGib));
}

void add_sampling_options(CLI::App& command, SamplingOptions& options) {
  engine::SamplingParams& params = options.params;
  params.temperature = 0.7F;
  params.top_p = 0.95F;
  command.add_option("--max-tokens", options.max_tokens, "Most tokens to generate; 0: until the context is full")
      ->check(number_from(0, 2147483647.0));
  command.add_option("--temperature", params.temperature, "0: always the likeliest token")->capture_default_str();
  command.add_option("--top-k", params.top_k, "Draw from the K likeliest tokens; 0: off")->capture_default_str();
  command.add_option("--top-p", params.top_p, "Draw from the likeliest tokens that hold this share")->capture_default_str();
  command.add_option("--min-p", params.min_p, "Drop tokens below this share of the likeliest")->capture_default_str();
  command.add_option("--repetition-penalty", params.repetition_penalty, "1: off")->capture_default_str();
  command.add_option("--presence-penalty", params.presence_penalty, "From -2 to 2")->capture_default_str();
  command.add_option("--frequency-penalty", params.frequency_penalty, "From -2 to 2")->capture_default_str();
  command.add_option("--stop", params.stop, "Text at which to stop; may be given several times")->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Same seed, same text; left out: drawn")->check(number_from(0));
}

engine::SamplingParams sampling_params(const SamplingOptions& options) {
  engine::SamplingParams params = options.params;
  if (options.max_tokens > 0) params.max_tokens = options.max_tokens;
  if (options.seed >= 0) params.seed = static_cast<std::uint64_t>(options.seed);
  return params;
}

Result<std::unique_ptr<engine::Engine>> load_engine(const CommonOptions& common, const ModelOptions& options,
                                                    engine::LoadOptions load) {
  TANDEM_TRY(check_common_options(common));
  load.device = common.device;
  load.num_threads = common.num_threads;
  if (options.context_tokens > 0) load.context_tokens = options.context_tokens;
  if (const auto dtype = engine::kv_dtype_from_name(options.kv_dtype)) load.kv_dtype = *dtype;
  load.memory_limit_bytes = static_cast<std::uint64_t>(options.memory_gib * static_cast<double>(1 << 30));
  catch_interrupts();
  const auto path = TANDEM_TRY(engine::resolve_model(options.model));
  auto engine = TANDEM_TRY(engine::Engine::load(path, load, [](const LoadProgress& progress) {
    show_progress(progress);
    return !take_interrupt();
  }));
  const engine::ModelInfo& info = engine->info();
  spdlog::info("{} ({}) on {}: {:.1f} MB of weights in {:.2f} s, context {} tokens, KV cache {:.1f} MB", info.name,
               info.architecture, info.device, static_cast<double>(info.weight_bytes) / 1e6, info.load_s, info.context_tokens,
               static_cast<double>(info.kv_cache_bytes) / 1e6);
  for (const std::string& warning : info.warnings) spdlog::warn("{}", warning);
  return engine;
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tandem::node
