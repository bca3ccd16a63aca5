#include "engine/server/metrics.h"

#include <algorithm>
#include <cstdio>

namespace tandem::engine::server {
namespace {

// vLLM's bucket bounds, so that quantiles of both servers can be compared.
constexpr std::array kRequestSeconds{0.3,  0.5,  0.8,  1.0,  1.5,   2.0,   2.5,   5.0,   10.0,   15.0,  20.0,
                                     30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};
constexpr std::array kGapSeconds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                 0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
constexpr std::array kFirstTokenSeconds{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,  0.25,  0.5,   0.75,
                                        1.0,   2.5,   5.0,  7.5,  10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0};
constexpr std::array kTokenCounts{1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3,
                                  2e3, 5e3, 1e4, 2e4,  5e4,  1e5,  2e5,   5e5,   1e6};
constexpr std::array kChoiceCounts{1.0, 2.0, 5.0, 10.0, 20.0};

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

void metric(std::string& out, std::string_view name, std::string_view type, std::string_view help, std::string_view labels,
            double value) {
  out.append("# HELP ")
      .append(name)
      .append(" ")
      .append(help)
      .append("\n# TYPE ")
      .append(name)
      .append(" ")
      .append(type)
      .append("\n");
  out.append(name).append("{").append(labels).append("} ").append(number(value)).append("\n");
}

}  // namespace

std::string escape_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n') {
      out += "\\n";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

void Histogram::observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  sum_ += value;
  ++count_;
}

void Histogram::print(std::string& out, std::string_view name, std::string_view help, std::string_view labels) const {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" histogram\n");
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    cumulative += counts_[i];
    const std::string bound = i < bounds_.size() ? number(bounds_[i]) : "+Inf";
    out.append(name).append("_bucket{").append(labels).append(",le=\"").append(bound).append("\"} ");
    out.append(std::to_string(cumulative)).append("\n");
  }
  out.append(name).append("_sum{").append(labels).append("} ").append(number(sum_)).append("\n");
  out.append(name).append("_count{").append(labels).append("} ").append(std::to_string(count_)).append("\n");
}

ServerMetrics::ServerMetrics()
    : ttft_(kFirstTokenSeconds),
      token_gap_(kGapSeconds),
      time_per_token_(kGapSeconds),
      e2e_(kRequestSeconds),
      queue_(kRequestSeconds),
      decode_(kRequestSeconds),
      prompt_tokens_(kTokenCounts),
      generation_tokens_(kTokenCounts),
      params_n_(kChoiceCounts),
      params_max_tokens_(kTokenCounts) {}

void ServerMetrics::observe_finished(const RequestStats& stats, FinishReason reason, std::int32_t n, std::int64_t max_tokens) {
  const std::scoped_lock lock(mutex_);
  ++finished_[std::string(finish_reason_name(reason))];
  e2e_.observe(stats.total_ms / 1e3);
  queue_.observe(stats.queue_ms / 1e3);
  prompt_tokens_.observe(static_cast<double>(stats.num_prompt_tokens));
  generation_tokens_.observe(static_cast<double>(stats.num_output_tokens));
  params_n_.observe(n);
  if (max_tokens > 0) params_max_tokens_.observe(static_cast<double>(max_tokens));
  if (stats.num_output_tokens > 0) {
    ttft_.observe(stats.ttft_ms / 1e3);
    decode_.observe(std::max(0.0, stats.total_ms - stats.ttft_ms) / 1e3);
  }
  if (stats.num_output_tokens > 1) time_per_token_.observe(stats.tpot_ms() / 1e3);
}

void ServerMetrics::observe_token_gap(double seconds) {
  const std::scoped_lock lock(mutex_);
  token_gap_.observe(seconds);
}

void ServerMetrics::observe_http(std::string_view handler, std::string_view method, int status) {
  const std::scoped_lock lock(mutex_);
  ++http_[{std::string(handler), std::string(method), std::to_string(status)}];
}

std::string ServerMetrics::text(const Engine* engine, std::string_view model_name) const {
  const std::string labels = "model_name=\"" + escape_label(model_name) + "\",engine=\"0\"";
  std::string out;
  if (engine != nullptr) {
    const EngineStats stats = engine->stats();
    const double usage = stats.kv_blocks_total > 0 ? double(stats.kv_blocks_used) / double(stats.kv_blocks_total) : 0.0;
    metric(out, "vllm:num_requests_running", "gauge", "Requests in the running batch.", labels, stats.num_running);
    metric(out, "vllm:num_requests_waiting", "gauge", "Requests waiting for a place.", labels, stats.num_queued);
    metric(out, "vllm:kv_cache_usage_perc", "gauge", "KV cache in use, 1 means full.", labels, usage);
    metric(out, "vllm:gpu_cache_usage_perc", "gauge", "Older name of kv_cache_usage_perc.", labels, usage);
    metric(out, "vllm:num_preemptions_total", "counter", "Preempted sequences.", labels, double(stats.num_preemptions));
    metric(out, "vllm:prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.", labels,
           double(stats.prefix_cache_queries));
    metric(out, "vllm:prefix_cache_hits_total", "counter", "Prompt tokens found in the prefix cache.", labels,
           double(stats.prefix_cache_hits));
    metric(out, "vllm:prompt_tokens_total", "counter", "Prompt tokens computed.", labels, double(stats.prompt_tokens));
    metric(out, "vllm:generation_tokens_total", "counter", "Tokens generated.", labels, double(stats.generated_tokens));
  }
  const std::scoped_lock lock(mutex_);
  out += "# HELP vllm:request_success_total Finished requests by reason.\n# TYPE vllm:request_success_total counter\n";
  for (const auto& [reason, count] : finished_) {
    out += "vllm:request_success_total{" + labels + ",finished_reason=\"" + reason + "\"} " + std::to_string(count) + "\n";
  }
  ttft_.print(out, "vllm:time_to_first_token_seconds", "Request accepted to first token.", labels);
  token_gap_.print(out, "vllm:inter_token_latency_seconds", "Gap between tokens of one answer.", labels);
  time_per_token_.print(out, "vllm:request_time_per_output_token_seconds", "Mean gap between tokens, per request.", labels);
  e2e_.print(out, "vllm:e2e_request_latency_seconds", "Request accepted to last token.", labels);
  queue_.print(out, "vllm:request_queue_time_seconds", "Time in the queue.", labels);
  decode_.print(out, "vllm:request_decode_time_seconds", "First token to last.", labels);
  prompt_tokens_.print(out, "vllm:request_prompt_tokens", "Prompt tokens per request.", labels);
  generation_tokens_.print(out, "vllm:request_generation_tokens", "Generated tokens per request.", labels);
  params_n_.print(out, "vllm:request_params_n", "The n parameter.", labels);
  params_max_tokens_.print(out, "vllm:request_params_max_tokens", "The max_tokens parameter.", labels);
  out += "# HELP http_requests_total Answered HTTP requests.\n# TYPE http_requests_total counter\n";
  for (const auto& [key, count] : http_) {
    out += "http_requests_total{handler=\"" + escape_label(key[0]) + "\",method=\"" + escape_label(key[1]) + "\",status=\"" +
           key[2] + "\"} " + std::to_string(count) + "\n";
  }
  return out;
}

}  // namespace tandem::engine::server
