// ServerMetrics: counters and histograms of the serving path, in Prometheus text form. vLLM's names where the meaning is the
// same, so that existing dashboards work unchanged.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace tandem::engine::server {

// A cumulative histogram with fixed upper bounds.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1, 0) {}
  void observe(double value);
  // "name_bucket{labels,le="…"} n" lines, _sum and _count.
  void print(std::string& out, std::string_view name, std::string_view help, std::string_view labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;  // per bucket, the last is +Inf
  double sum_ = 0.0;
  std::uint64_t count_ = 0;
};

// Thread-safe.
class ServerMetrics {
 public:
  ServerMetrics();
  void observe_finished(const RequestStats& stats, FinishReason reason, std::int32_t n, std::int64_t max_tokens);
  void observe_token_gap(double seconds);
  void observe_http(std::string_view handler, std::string_view method, int status);
  // The whole page. `engine` is null while nothing is loaded.
  std::string text(const Engine* engine, std::string_view model_name) const;

 private:
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::map<std::string, std::uint64_t> finished_;  // by finish reason
  std::map<std::array<std::string, 3>, std::uint64_t> http_;
  Histogram ttft_, token_gap_, time_per_token_, e2e_, queue_, decode_;
  Histogram prompt_tokens_, generation_tokens_, params_n_, params_max_tokens_;
};

// Escapes \, " and newline as label values need.
std::string escape_label(std::string_view value);

}  // namespace tandem::engine::server
