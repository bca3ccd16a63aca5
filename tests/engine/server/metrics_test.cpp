#include "engine/server/metrics.h"

#include <gtest/gtest.h>

namespace tandem::engine::server {
namespace {

TEST(ServerMetrics, HistogramBucketsAreCumulative) {
  ServerMetrics metrics;
  RequestStats stats;
  stats.num_prompt_tokens = 3;
  stats.num_output_tokens = 2;
  stats.ttft_ms = 50;
  stats.total_ms = 1200;
  metrics.observe_finished(stats, FinishReason::kStop, 1, 16);
  const std::string text = metrics.text(nullptr, "m");
  EXPECT_NE(text.find("vllm:e2e_request_latency_seconds_bucket{model_name=\"m\",engine=\"0\",le=\"1\"} 0\n"),
            std::string::npos);
  EXPECT_NE(text.find("vllm:e2e_request_latency_seconds_bucket{model_name=\"m\",engine=\"0\",le=\"1.5\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("vllm:e2e_request_latency_seconds_bucket{model_name=\"m\",engine=\"0\",le=\"+Inf\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("vllm:e2e_request_latency_seconds_sum{model_name=\"m\",engine=\"0\"} 1.2\n"), std::string::npos);
  EXPECT_NE(text.find("vllm:request_success_total{model_name=\"m\",engine=\"0\",finished_reason=\"stop\"} 1\n"),
            std::string::npos);
}

TEST(ServerMetrics, LabelsAreEscaped) {
  EXPECT_EQ(escape_label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
}

}  // namespace
}  // namespace tandem::engine::server
