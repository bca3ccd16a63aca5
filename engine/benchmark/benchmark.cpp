#include "engine/benchmark/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <numeric>
#include <sstream>
#include <thread>

namespace tandem::engine {
namespace {

using Clock = std::chrono::steady_clock;

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// VmHWM of this process.
std::uint64_t peak_memory_bytes() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && file >> kib) return kib * 1024;
  }
  return 0;
}

class Level {
 public:
  Level(BenchmarkTarget& target, std::vector<BenchmarkPrompt> prompts, std::int32_t concurrency,
        const std::atomic<bool>& cancelled, const std::function<void(const BenchmarkProgress&)>& on_progress)
      : target_(target),
        prompts_(std::move(prompts)),
        concurrency_(concurrency),
        cancelled_(cancelled),
        on_progress_(on_progress) {}

  void run() {
    const auto start = Clock::now();
    std::vector<std::thread> streams;
    for (std::int32_t i = 0; i < concurrency_; ++i) streams.emplace_back([this] { work(); });
    for (std::thread& stream : streams) stream.join();
    wall_s_ = std::chrono::duration<double>(Clock::now() - start).count();
  }

  BenchmarkRow row(const BenchmarkOptions& options) const {
    BenchmarkRow row;
    row.concurrency = concurrency_;
    row.num_requests = static_cast<std::int32_t>(samples_.size());
    row.num_failed = num_failed_;
    if (first_error_) row.first_error = first_error_->detail;
    std::vector<double> ttft, tpot, itl;
    std::int64_t prompt = 0, cached = 0, output = 0;
    for (const BenchmarkSample& sample : samples_) {
      ttft.push_back(sample.ttft_ms);
      if (sample.num_output_tokens > 1)
        tpot.push_back((sample.total_ms - sample.ttft_ms) / double(sample.num_output_tokens - 1));
      itl.insert(itl.end(), sample.gaps_ms.begin(), sample.gaps_ms.end());
      prompt += sample.num_prompt_tokens;
      cached += sample.num_cached_tokens;
      output += sample.num_output_tokens;
    }
    row.ttft_ms = quantiles_of(std::move(ttft));
    row.tpot_ms = quantiles_of(std::move(tpot));
    row.itl_ms = quantiles_of(std::move(itl));
    if (!samples_.empty()) {
      row.input_len = static_cast<std::int32_t>(prompt / static_cast<std::int64_t>(samples_.size()));
      row.output_len = static_cast<std::int32_t>(output / static_cast<std::int64_t>(samples_.size()));
    }
    if (wall_s_ > 0.0) {
      row.output_tokens_per_s = double(output) / wall_s_;
      row.total_tokens_per_s = double(output + prompt) / wall_s_;
    }
    if (prompt > 0) row.cached_fraction = double(cached) / double(prompt);
    if (options.read_bandwidth > 0.0 && row.tpot_ms.p50 > 0.0 && target_.bytes_per_step() > 0) {
      // A step of all streams reads the weights once and every stream's own keys and values.
      const double context = row.input_len + row.output_len / 2.0;
      const double bytes = double(target_.bytes_per_step()) + concurrency_ * context * double(target_.kv_bytes_per_token());
      row.bandwidth_fraction = bytes / (row.tpot_ms.p50 / 1e3) / options.read_bandwidth;
    }
    return row;
  }

  const std::optional<Error>& first_error() const { return first_error_; }
  std::size_t num_samples() const { return samples_.size(); }

 private:
  void work() {
    while (!cancelled_) {
      const std::size_t idx = next_++;
      if (idx >= prompts_.size()) return;
      auto sample = target_.run(prompts_[idx], cancelled_);
      const std::scoped_lock lock(mutex_);
      if (sample) {
        samples_.push_back(std::move(*sample));
      } else {
        ++num_failed_;
        if (!first_error_) first_error_ = sample.error();
      }
      if (on_progress_) {
        on_progress_({concurrency_, static_cast<std::int32_t>(samples_.size()) + num_failed_,
                      static_cast<std::int32_t>(prompts_.size())});
      }
    }
  }

  BenchmarkTarget& target_;
  std::vector<BenchmarkPrompt> prompts_;
  std::int32_t concurrency_;
  const std::atomic<bool>& cancelled_;
  const std::function<void(const BenchmarkProgress&)>& on_progress_;
  std::atomic<std::size_t> next_{0};
  double wall_s_ = 0.0;
  std::mutex mutex_;
  std::vector<BenchmarkSample> samples_;  // guarded by mutex_ while running
  std::int32_t num_failed_ = 0;           // guarded by mutex_ while running
  std::optional<Error> first_error_;      // guarded by mutex_ while running
};

Result<void> check(const BenchmarkOptions& options) {
  const auto bad = [](const std::string& text) { return Error{ErrorCode::kInvalidArgument, text}; };
  if (options.concurrency.empty()) return bad("The benchmark needs at least one concurrency level.");
  for (const std::int32_t level : options.concurrency) {
    if (level < 1 || level > 1024) return bad("Concurrency must be from 1 to 1024, not " + std::to_string(level) + ".");
  }
  if (options.input_len < 1)
    return bad("The input length must be at least 1 token, not " + std::to_string(options.input_len) + ".");
  if (options.output_len < 1)
    return bad("The output length must be at least 1 token, not " + std::to_string(options.output_len) + ".");
  if (options.num_requests < 0) return bad("The number of requests must not be negative.");
  return {};
}

}  // namespace

Quantiles quantiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](double q) {
    const auto idx = static_cast<std::size_t>(std::ceil(q * double(values.size())));
    return values[std::min(std::max<std::size_t>(idx, 1), values.size()) - 1];
  };
  return {rank(0.5), rank(0.9), rank(0.99), mean_of(values)};
}

Result<std::vector<std::string>> read_sharegpt_prompts(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kIo, path.string() + " cannot be opened"};
  std::stringstream text;
  text << file.rdbuf();
  const auto json = nlohmann::ordered_json::parse(text.str(), nullptr, false);
  if (json.is_discarded() || !json.is_array()) {
    return Error{ErrorCode::kCorrupt, path.string() + " is not a JSON list of conversations"};
  }
  std::vector<std::string> prompts;
  for (const auto& entry : json) {
    if (!entry.is_object() || !entry.contains("conversations") || !entry["conversations"].is_array()) continue;
    for (const auto& turn : entry["conversations"]) {
      const bool is_human = turn.is_object() && turn.contains("from") && (turn["from"] == "human" || turn["from"] == "user");
      if (!is_human || !turn.contains("value") || !turn["value"].is_string()) continue;
      prompts.push_back(turn["value"].get<std::string>());
      break;
    }
  }
  if (prompts.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 path.string() + R"( holds no conversation of the form {"conversations": [{"from": "human", "value": "…"}]})"};
  }
  return prompts;
}

Result<BenchmarkReport> run_benchmark(BenchmarkTarget& target, const BenchmarkOptions& options,
                                      const std::atomic<bool>& cancelled,
                                      const std::function<void(const BenchmarkProgress&)>& on_progress,
                                      const std::function<void(const BenchmarkRow&)>& on_row) {
  TANDEM_TRY(check(options));
  std::vector<std::string> file_prompts;
  if (options.prompts_file) file_prompts = TANDEM_TRY(read_sharegpt_prompts(*options.prompts_file));

  BenchmarkReport report;
  report.device = target.device();
  report.model = target.model();
  report.settings = target.settings();
  report.settings["output_len"] = options.output_len;
  report.settings["prompts"] = options.prompts_file ? options.prompts_file->filename().string() : "random";
  report.settings["repeat_prompts"] = options.repeat_prompts;
  report.settings["seed"] = options.seed;
  if (options.read_bandwidth > 0.0) report.settings["read_bandwidth_bytes_per_s"] = options.read_bandwidth;

  std::uint64_t prompt_seed = options.seed;
  std::size_t file_idx = 0;
  const auto next_prompt = [&](std::int32_t max_tokens) {
    BenchmarkPrompt prompt;
    if (!file_prompts.empty()) {
      prompt.text = file_prompts[file_idx++ % file_prompts.size()];
    } else {
      if (!options.repeat_prompts) ++prompt_seed;
      prompt = target.random_prompt(options.input_len, prompt_seed);
    }
    prompt.max_tokens = max_tokens;
    return prompt;
  };

  for (const std::int32_t concurrency : options.concurrency) {
    if (options.warm_up && !cancelled) {
      auto warm = target.run(next_prompt(std::min(options.output_len, 4)), cancelled);
      if (!warm && !cancelled) return std::move(warm).error();
    }
    const std::int32_t count = options.num_requests > 0 ? options.num_requests : 2 * concurrency;
    std::vector<BenchmarkPrompt> prompts;
    prompts.reserve(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) prompts.push_back(next_prompt(options.output_len));
    Level level(target, std::move(prompts), concurrency, cancelled, on_progress);
    level.run();
    if (cancelled)
      return Error{ErrorCode::kCancelled, "The benchmark was cancelled at concurrency " + std::to_string(concurrency) + "."};
    if (level.num_samples() == 0 && level.first_error()) return *level.first_error();
    report.rows.push_back(level.row(options));
    if (on_row) on_row(report.rows.back());
  }
  report.peak_memory_bytes = peak_memory_bytes();
  return report;
}

}  // namespace tandem::engine
