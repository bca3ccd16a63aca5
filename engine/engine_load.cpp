// Engine::load: header, plan, weights, cache, warm-up.
#include <atomic>
#include <chrono>

#include "base/system_memory.h"
#include "engine/chat/chat_template.h"
#include "engine/local_engine.h"
#include "engine/model_file/model_file.h"
#include "engine/models/architecture.h"
#include "engine/no_tokenizer.h"
#include "engine/planner/planner.h"

namespace tandem::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Phase = LoadProgress::Phase;

// Tells the caller where the load is, not too often, and watches that the machine keeps its reserve.
class Reporter {
 public:
  Reporter(const LoadProgressSink& sink, std::uint64_t reserve_bytes)
      : sink_(sink), reserve_bytes_(reserve_bytes), start_(Clock::now()) {}

  Result<void> enter(Phase phase, std::uint64_t bytes_total = 0) {
    progress_.phase = phase;
    progress_.bytes_done = 0;
    progress_.bytes_total = bytes_total;
    if (!tell()) return cancelled();
    return {};
  }

  // False: stop reading, for the reason in stop_error().
  bool read_so_far(std::uint64_t bytes) {
    progress_.bytes_done = bytes;
    const auto now = Clock::now();
    if (now - last_memory_check_ > std::chrono::milliseconds(250)) {
      last_memory_check_ = now;
      if (!has_reserve()) return false;
    }
    if (now - last_told_ < std::chrono::milliseconds(50) && bytes < progress_.bytes_total) return true;
    if (tell()) return true;
    stop_error_ = cancelled();
    return false;
  }

  const std::optional<Error>& stop_error() const { return stop_error_; }
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  static Error cancelled() { return Error{ErrorCode::kCancelled, "Loading was cancelled"}; }

  bool tell() {
    last_told_ = Clock::now();
    progress_.elapsed_s = elapsed_s();
    return !sink_ || sink_(progress_);
  }

  // Other programs may take memory while we load. Half of the reserve is the alarm line: the plan itself may end exactly at it.
  bool has_reserve() {
    const auto memory = read_system_memory();
    if (!memory || memory->available_bytes >= reserve_bytes_ / 2) return true;
    stop_error_ =
        Error{ErrorCode::kOutOfMemory, "Loading was stopped: only " + std::to_string(memory->available_bytes >> 20) +
                                           " MiB of memory are left, less than half of the reserve of " +
                                           std::to_string(reserve_bytes_ >> 20) + " MiB. Close other programs and load again."};
    return false;
  }

  const LoadProgressSink& sink_;
  std::uint64_t reserve_bytes_;
  Clock::time_point start_, last_told_, last_memory_check_;
  LoadProgress progress_;
  std::optional<Error> stop_error_;
};

bool has_tokenizer(const ModelFile& file) {
  return file.format() == ModelFormat::kGguf
             ? file.gguf().contains("tokenizer.ggml.model") || file.gguf().contains("tokenizer.ggml.tokens")
             : file.tokenizer_json().has_value();
}

std::string model_name(const ModelFile& file, const ModelConfig& config) {
  if (file.format() == ModelFormat::kGguf && !config.name.empty()) return config.name;
  std::filesystem::path path = std::filesystem::absolute(file.path()).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  if (path.extension() == ".gguf") return path.stem().string();
  if (path.extension() == ".safetensors") path = path.parent_path();
  return path.filename().string();
}

// Bytes of weights that one decoded token reads: everything but the embedding table (unless it is the head too) and the experts
// that are not chosen.
std::uint64_t bytes_read_per_token(const ModelConfig& config, const std::vector<ResolvedWeight>& weights) {
  double bytes = 0.0;
  for (const ResolvedWeight& weight : weights) {
    if (weight.spec.name == "token_embd.weight" && !config.tied_embeddings) continue;
    const double fraction =
        weight.spec.split == Split::kExperts ? double(config.moe.num_experts_used) / config.moe.num_experts : 1.0;
    bytes += static_cast<double>(weight.bytes) * fraction;
  }
  return static_cast<std::uint64_t>(bytes);
}

Result<std::unique_ptr<kernels::Backend>> create_backend(const LoadOptions& options) {
  if (options.device != "cpu") {
    return Error{ErrorCode::kUnsupported, "Device " + options.device + " is not supported by this version; supported: cpu."};
  }
  return kernels::create_cpu_backend({.num_threads = options.num_threads});
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::load(const std::filesystem::path& path, const LoadOptions& options,
                                             const LoadProgressSink& progress) {
  Reporter reporter(progress, options.memory_reserve_bytes);
  TANDEM_TRY(reporter.enter(Phase::kReadingHeader));
  const std::shared_ptr<const ModelFile> file = TANDEM_TRY(ModelFile::open(path));
  const Architecture* architecture = TANDEM_TRY(find_architecture(*file));
  const ModelConfig config = TANDEM_TRY(read_model_config(*file));
  std::vector<ResolvedWeight> weights = TANDEM_TRY(resolve_weights(*file, architecture->weights(config)));

  LoadedModel model;
  model.tokenizer = has_tokenizer(*file) ? TANDEM_TRY(Tokenizer::create(*file))
                                         : std::make_shared<NoTokenizer>(static_cast<std::int32_t>(config.vocab_size));
  model.templates = ChatTemplates(*file);

  TANDEM_TRY(reporter.enter(Phase::kPlanning));
  std::uint64_t weight_bytes = 0;
  for (const ResolvedWeight& weight : weights) weight_bytes += weight.bytes;
  const SystemMemory memory = TANDEM_TRY(read_system_memory());
  const MemoryPlan plan = TANDEM_TRY(plan_memory(config, weight_bytes, options, memory.available_bytes));

  ModelInfo& info = model.info;
  info.name = model_name(*file, config);
  info.architecture = std::string(architecture->display_name);
  info.config = config;
  for (const ResolvedWeight& weight : weights) info.num_parameters += weight.is_present() ? weight.num_elements() : 0;
  info.bytes_per_token = bytes_read_per_token(config, weights);
  info.kv_bytes_per_token = kv_bytes_per_token(config, options.kv_dtype, 1);
  info.kv_cache_bytes = plan.kv_bytes;
  info.context_tokens = plan.context_tokens;
  info.max_num_seqs = options.max_num_seqs;
  info.has_chat_template = model.templates.plain() != nullptr;
  info.supports_thinking = info.has_chat_template && model.templates.plain()->mentions("enable_thinking");
  info.warnings = model.tokenizer->warnings();
  info.warnings.insert(info.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  if (model.templates.error()) info.warnings.push_back(model.templates.error()->detail);
  if (model.tokenizer->vocab_size() > config.vocab_size) {
    info.warnings.push_back("The tokenizer has " + std::to_string(model.tokenizer->vocab_size()) +
                            " tokens, but the model only " + std::to_string(config.vocab_size) + ".");
  }

  auto backend = TANDEM_TRY(create_backend(options));
  info.device = backend->device().description;
  TANDEM_TRY(reporter.enter(Phase::kLoadingWeights, weight_bytes));
  WeightLoader loader(file, std::move(weights), *backend,
                      [&reporter](std::uint64_t bytes) { return reporter.read_so_far(bytes); });
  ModelContext context{*backend, loader, {options.max_num_batched_tokens, options.max_num_seqs}};
  auto network = architecture->create(config, context);
  if (!network) return reporter.stop_error() ? *reporter.stop_error() : std::move(network).error();
  info.weight_bytes = loader.device_bytes();

  KvCacheSpec cache_spec;
  cache_spec.dtype = options.kv_dtype;
  cache_spec.num_layers = config.num_layers;
  cache_spec.num_kv_heads = config.num_kv_heads;
  cache_spec.head_dim = config.head_dim;
  cache_spec.block_tokens = kKvBlockTokens;
  cache_spec.num_blocks = plan.num_kv_blocks;
  auto cache = TANDEM_TRY(KvCache::create(cache_spec, *backend));
  model.runner = TANDEM_TRY(
      StepRunner::create(std::move(backend), *std::move(network), std::move(cache), config.vocab_size, options.max_num_seqs));
  model.limits = {.max_num_seqs = options.max_num_seqs,
                  .max_num_batched_tokens = options.max_num_batched_tokens,
                  .num_blocks = plan.num_kv_blocks,
                  .block_tokens = kKvBlockTokens};

  TANDEM_TRY(reporter.enter(Phase::kWarmingUp));
  info.load_s = reporter.elapsed_s();
  auto engine = std::make_unique<LocalEngine>(std::move(model));
  TANDEM_TRY(engine->warm_up());
  TANDEM_TRY(reporter.enter(Phase::kReady));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace tandem::engine
