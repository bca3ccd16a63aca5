// Speed of the whole engine, from load to tokens, beside what the machine's memory allows. Not a test: run it by hand on a
// quiet machine.
//
//   decode_benchmark [--threads N] [--repeat N] [--type Q8_0|Q4_K] [--json]
//
// The models have the shape of Qwen3-0.6B and random weights (random_qwen3.h), written to a temporary folder (TMPDIR says
// where) and removed once loaded. A decoded token reads every weight once, so weight bytes times tokens per second, divided by
// the memory's read bandwidth, is the share of the bound that decode reaches. Memory bandwidth changes with what else the
// machine does: it is measured before and after each repetition, and the fastest repetition is the one reported. Bandwidth is
// the best of many short passes, decoding the mean of 128 tokens: where other programs take turns on the processors (fewer
// processors obtained than threads) the mean says little, and "undisturbed", the fastest tenth of the tokens, says more.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/engine.h"
#include "kernels/read_bandwidth.h"
#include "tests/benchmarks/random_qwen3.h"
#include "tests/support/temp_folder.h"

namespace {

using namespace tandem;
using namespace tandem::engine;
using Clock = std::chrono::steady_clock;

constexpr std::int32_t kPrefillTokens = 512;
constexpr std::int32_t kDecodeTokens = 128;
constexpr std::int32_t kNumSequences = 4;
constexpr double kBandwidthSeconds = 0.5;
constexpr std::uint64_t kSpareDiskBytes = std::uint64_t{256} << 20;

struct Options {
  std::int32_t num_threads = 0;
  std::int32_t num_repeats = 3;
  std::vector<std::string> types{"Q8_0", "Q4_K"};
  bool json = false;
};

struct Row {
  std::string subject, what;
  double value = 0.0;
  int decimals = 0;
  std::string unit;
};

struct Report {
  std::string device;  // with the number of threads
  std::vector<Row> rows;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double load_average() {
  double average = 0.0;
  return getloadavg(&average, 1) == 1 ? average : -1.0;
}

double process_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// --- Requests.

// When each token of each sequence came.
struct Generation {
  Clock::time_point submitted;
  std::vector<std::vector<Clock::time_point>> tokens;
};

struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  Generation generation;
  std::size_t num_running = 0;
  std::optional<Error> error;
};

// Runs prompts that no request before had, so that no cache has seen them.
Result<Generation> generate(Engine& engine, std::size_t num_sequences, std::int32_t prompt_tokens, std::int64_t num_tokens) {
  static std::uint64_t next_prompt = 0;
  const auto progress = std::make_shared<Progress>();  // shared: after a refused request the others may still be running
  progress->generation.tokens.resize(num_sequences);
  progress->num_running = num_sequences;
  progress->generation.submitted = Clock::now();
  for (std::size_t i = 0; i < num_sequences; ++i) {
    TokenPrompt prompt;
    for (std::int32_t t = 0; t < prompt_tokens; ++t) {
      prompt.ids.push_back(static_cast<std::int32_t>((next_prompt * 7919 + static_cast<std::uint64_t>(t) * 104729) % 150000));
    }
    ++next_prompt;
    Request request;
    request.prompt = std::move(prompt);
    request.sampling.temperature = 0.0F;
    request.sampling.max_tokens = num_tokens;
    TANDEM_TRY(engine.submit(std::move(request), [progress, i](const TokenEvent& event) {
      const std::lock_guard lock(progress->mutex);
      if (!event.token_ids.empty()) progress->generation.tokens[i].push_back(Clock::now());
      if (event.kind != TokenEvent::Kind::kFinished) return;
      if (event.error) progress->error = event.error;
      --progress->num_running;
      progress->changed.notify_all();
    }));
  }
  std::unique_lock lock(progress->mutex);
  progress->changed.wait(lock, [&] { return progress->num_running == 0; });
  if (progress->error) return *progress->error;
  for (const auto& tokens : progress->generation.tokens) {
    if (static_cast<std::int64_t>(tokens.size()) != num_tokens) {
      return Error{ErrorCode::kInternal,
                   "a sequence ended after " + std::to_string(tokens.size()) + " of " + std::to_string(num_tokens) + " tokens"};
    }
  }
  return std::move(progress->generation);
}

// --- Measurements.

Result<double> prefill_tokens_per_s(Engine& engine) {
  const Generation run = TANDEM_TRY(generate(engine, 1, kPrefillTokens, 1));
  return kPrefillTokens / seconds_between(run.submitted, run.tokens[0].front());
}

struct DecodeSpeed {
  double tokens_per_s = 0.0;       // all sequences together, while all of them decode
  double undisturbed_per_s = 0.0;  // by the gap that a tenth of the first sequence's tokens stay below
};

Result<DecodeSpeed> decode_speed(Engine& engine, std::size_t num_sequences) {
  const Generation run = TANDEM_TRY(generate(engine, num_sequences, 1, kDecodeTokens + 1));
  Clock::time_point begin = run.tokens[0].front(), end = run.tokens[0].back();
  for (const auto& tokens : run.tokens) {
    begin = std::max(begin, tokens.front());
    end = std::min(end, tokens.back());
  }
  std::int64_t count = 0;
  for (const auto& tokens : run.tokens) {
    count += std::count_if(tokens.begin(), tokens.end(), [&](Clock::time_point time) { return time > begin && time <= end; });
  }
  std::vector<double> gaps;
  for (std::size_t i = 1; i < run.tokens[0].size(); ++i) {
    gaps.push_back(seconds_between(run.tokens[0][i - 1], run.tokens[0][i]));
  }
  std::ranges::sort(gaps);
  return DecodeSpeed{static_cast<double>(count) / seconds_between(begin, end), 1.0 / gaps[gaps.size() / 10]};
}

struct DecodeRun {
  double bandwidth_before = 0.0, bandwidth_after = 0.0;  // bytes per second
  DecodeSpeed speed;
  double cpu_seconds_per_s = 0.0;  // processor time the process got while decoding; less than its threads: others took it
  double bandwidth() const { return (bandwidth_before + bandwidth_after) / 2; }
};

Result<DecodeRun> measure_decode(Engine& engine, std::int32_t num_threads) {
  DecodeRun run;
  run.bandwidth_before = TANDEM_TRY(kernels::measure_read_bandwidth(num_threads, kBandwidthSeconds));
  const auto begin = Clock::now();
  const double cpu_begin = process_cpu_seconds();
  run.speed = TANDEM_TRY(decode_speed(engine, 1));
  run.cpu_seconds_per_s = (process_cpu_seconds() - cpu_begin) / seconds_between(begin, Clock::now());
  run.bandwidth_after = TANDEM_TRY(kernels::measure_read_bandwidth(num_threads, kBandwidthSeconds));
  return run;
}

// Makes the next load read the file from storage.
Result<void> drop_from_page_cache(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{ErrorCode::kIo, "cannot open " + path.string()};
  const bool dropped = fdatasync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0;
  close(file);
  if (!dropped) return Error{ErrorCode::kIo, "cannot drop " + path.string() + " from the page cache"};
  return {};
}

Result<void> check_free_disk(const std::filesystem::path& folder, std::uint64_t needed) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error) return Error{ErrorCode::kIo, "cannot tell the free space of " + folder.string() + ": " + error.message()};
  if (space.available >= needed) return {};
  return Error{ErrorCode::kIo, folder.string() + " has " + std::to_string(space.available >> 20) + " MiB free, but " +
                                   std::to_string(needed >> 20) +
                                   " MiB are needed: set TMPDIR to a folder on another file system"};
}

Result<void> measure(const std::string& type, const Options& options, Report& report) {
  const kernels::DType dtype = type == "Q8_0" ? kernels::DType::kQ8_0 : kernels::DType::kQ4_K;
  const auto add = [&](std::string what, double value, int decimals, std::string unit) {
    report.rows.push_back({type, std::move(what), value, decimals, std::move(unit)});
  };
  LoadOptions load;
  load.num_threads = options.num_threads;
  load.context_tokens = 1024;
  load.max_num_seqs = kNumSequences;

  std::unique_ptr<Engine> engine;
  {
    const testing::TempFolder folder;
    const auto path = folder.path() / ("random-" + type + ".gguf");
    TANDEM_TRY(check_free_disk(folder.path(), testing::random_qwen3_bytes(dtype) + kSpareDiskBytes));
    TANDEM_TRY(testing::write_random_qwen3(path, dtype));
    TANDEM_TRY(drop_from_page_cache(path));
    for (const char* from : {"storage", "page cache"}) {
      engine.reset();
      engine = TANDEM_TRY(Engine::load(path, load, {}));
      const ModelInfo& info = engine->info();
      add("load from " + std::string(from), static_cast<double>(info.weight_bytes) / 1e6 / info.load_s, 0, "MB/s");
    }
  }
  const ModelInfo& info = engine->info();
  report.device = info.device;

  DecodeRun best;
  for (std::int32_t i = 0; i < options.num_repeats; ++i) {
    const DecodeRun run = TANDEM_TRY(measure_decode(*engine, options.num_threads));
    std::fprintf(stderr,
                 "%s %d/%d: %.1f tok/s, undisturbed %.1f; bandwidth %.2f GB/s before, %.2f after; %.2f processors; load %.2f\n",
                 type.c_str(), i + 1, options.num_repeats, run.speed.tokens_per_s, run.speed.undisturbed_per_s,
                 run.bandwidth_before / 1e9, run.bandwidth_after / 1e9, run.cpu_seconds_per_s, load_average());
    if (run.speed.tokens_per_s > best.speed.tokens_per_s) best = run;
  }
  const DecodeSpeed four = TANDEM_TRY(decode_speed(*engine, kNumSequences));
  const double prefill = TANDEM_TRY(prefill_tokens_per_s(*engine));
  const auto share = [&](double tokens_per_s) {
    return 100.0 * static_cast<double>(info.bytes_per_token) * tokens_per_s / best.bandwidth();
  };
  add("prefill of 512 tokens", prefill, 1, "tok/s");
  add("decode, 4 sequences together", four.tokens_per_s, 1, "tok/s");
  add("decode, 1 sequence", best.speed.tokens_per_s, 1, "tok/s");
  add("  its processors", best.cpu_seconds_per_s, 2, "");
  add("  read bandwidth before", best.bandwidth_before / 1e9, 2, "GB/s");
  add("  read bandwidth after", best.bandwidth_after / 1e9, 2, "GB/s");
  add("  share of the bandwidth", share(best.speed.tokens_per_s), 0, "%");
  add("  undisturbed", best.speed.undisturbed_per_s, 1, "tok/s");
  add("  undisturbed share", share(best.speed.undisturbed_per_s), 0, "%");
  return {};
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json document{{"device", report.device}, {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : report.rows) {
    document["rows"].push_back(
        {{"subject", row.subject}, {"what", row.what}, {"value", row.value}, {"decimals", row.decimals}, {"unit", row.unit}});
  }
  return document;
}

Result<void> run(const Options& options) {
  Report report;
  report.rows.push_back({"machine", "load average at the start", load_average(), 2, ""});
  for (const std::string& type : options.types) TANDEM_TRY(measure(type, options, report));
  if (options.json) {
    std::cout << to_json(report).dump(2) << std::endl;
    return {};
  }
  std::printf("Shape of Qwen3-0.6B on %s\n", report.device.c_str());
  for (const Row& row : report.rows) {
    std::printf("%-8s  %-30s  %9.*f %s\n", row.subject.c_str(), row.what.c_str(), row.decimals, row.value, row.unit.c_str());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures load, prefill and decode of models shaped as Qwen3-0.6B with random weights");
  app.add_option("--threads", options.num_threads, "CPU threads; 0: one per physical core")->check(CLI::Range(0, 1024));
  app.add_option("--repeat", options.num_repeats, "Repetitions; the fastest is reported")->check(CLI::Range(1, 1000));
  app.add_option("--type", options.types, "Weight types")->check(CLI::IsMember({"Q8_0", "Q4_K"}));
  app.add_flag("--json", options.json, "Print JSON instead of a table");
  CLI11_PARSE(app, argc, argv);
  const auto done = run(options);
  if (done) return 0;
  std::cerr << "decode_benchmark: " << done.error().detail << std::endl;
  return 1;
}
