// Measures serving: a sweep over concurrency levels against the engine in this process or any OpenAI-compatible URL.
//
// Every level runs `num_requests` requests with a fixed number of streams kept busy (closed loop). TTFT: request sent → first
// non-empty token. TPOT: (end-to-end − TTFT) / (output tokens − 1), per request. ITL: each gap between deliveries. Steady
// clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::engine {

class Engine;

// What one request is to send: text for HTTP, ids for the engine. Random prompts hold both or one.
struct BenchmarkPrompt {
  std::vector<std::int32_t> ids;  // the engine takes these when not empty
  std::string text;
  std::int32_t max_tokens = 0;
};

// One finished request.
struct BenchmarkSample {
  double ttft_ms = 0.0;
  double total_ms = 0.0;
  std::vector<double> gaps_ms;  // between deliveries
  std::int64_t num_prompt_tokens = 0;
  std::int64_t num_cached_tokens = 0;
  std::int64_t num_output_tokens = 0;
};

// What is measured. run() blocks for one request and is called from as many threads as the level has streams.
class BenchmarkTarget {
 public:
  virtual ~BenchmarkTarget() = default;
  virtual Result<BenchmarkSample> run(const BenchmarkPrompt& prompt, const std::atomic<bool>& cancelled) = 0;
  virtual std::string device() const = 0;
  virtual std::string model() const = 0;
  // A prompt of about `num_tokens` tokens that no cache has seen.
  virtual BenchmarkPrompt random_prompt(std::int32_t num_tokens, std::uint64_t seed) const = 0;
  // Bytes of weights one decode step reads, whatever the batch; 0: not known.
  virtual std::uint64_t bytes_per_step() const = 0;
  // Bytes of keys and values read per token of context; 0: not known.
  virtual std::uint64_t kv_bytes_per_token() const = 0;
  virtual nlohmann::ordered_json settings() const = 0;
};

std::unique_ptr<BenchmarkTarget> engine_target(std::shared_ptr<Engine> engine);
// `url` is a base URL ("http://127.0.0.1:8000/v1"); the model is the first of /models unless named.
Result<std::unique_ptr<BenchmarkTarget>> http_target(const std::string& url, const std::string& api_key,
                                                     const std::string& model);

struct BenchmarkOptions {
  std::vector<std::int32_t> concurrency{1, 4, 8, 16};
  std::int32_t input_len = 2048;
  std::int32_t output_len = 512;
  std::int32_t num_requests = 0;  // per level; 0: twice the concurrency
  std::optional<std::filesystem::path>
      prompts_file;             // ShareGPT JSON; replaces random prompts, input_len then is a cap on characters / 4
  bool repeat_prompts = false;  // send one prompt again and again: measures the prefix cache, and the rows say so
  bool warm_up = true;          // one short request per level before the clock starts, not counted
  std::uint64_t seed = 1;
  double read_bandwidth = 0.0;  // bytes/s, for bandwidth_fraction; 0: leave it out
};

struct Quantiles {
  double p50 = 0.0, p90 = 0.0, p99 = 0.0, mean = 0.0;
};
// Nearest-rank quantiles; zeros for no values.
Quantiles quantiles_of(std::vector<double> values);

struct BenchmarkRow {
  std::int32_t concurrency = 0;
  std::int32_t input_len = 0;   // mean prompt tokens, as counted by the target
  std::int32_t output_len = 0;  // mean output tokens
  std::int32_t num_requests = 0;
  std::int32_t num_failed = 0;
  std::string first_error;
  Quantiles ttft_ms, tpot_ms, itl_ms;
  double output_tokens_per_s = 0.0;
  double total_tokens_per_s = 0.0;
  double cached_fraction = 0.0;              // of prompt tokens; above 0 the row measures the cache, too
  std::optional<double> bandwidth_fraction;  // of the read bandwidth that decoding at p50 TPOT uses
};

struct BenchmarkReport {
  std::string device, model;
  std::vector<BenchmarkRow> rows;
  std::uint64_t peak_memory_bytes = 0;  // of this process
  nlohmann::ordered_json settings;
};

struct BenchmarkProgress {
  std::int32_t concurrency = 0;
  std::int32_t done = 0, total = 0;  // requests of this level
};

// Runs the sweep; finished rows are handed to `on_row` at once so that a cancelled sweep keeps them. Errors: kInvalidArgument,
// kCancelled, and the first request's error when a whole level fails.
Result<BenchmarkReport> run_benchmark(BenchmarkTarget& target, const BenchmarkOptions& options,
                                      const std::atomic<bool>& cancelled,
                                      const std::function<void(const BenchmarkProgress&)>& on_progress,
                                      const std::function<void(const BenchmarkRow&)>& on_row);

nlohmann::ordered_json to_json(const BenchmarkReport& report);
std::string to_table(const BenchmarkReport& report);  // for a terminal
std::string to_markdown(const BenchmarkReport& report);
std::string to_csv(const BenchmarkReport& report);

// Conversations' first human turns of a ShareGPT file ([{"conversations": [{"from": "human", "value": …}, …]}, …]).
Result<std::vector<std::string>> read_sharegpt_prompts(const std::filesystem::path& path);

}  // namespace tandem::engine
