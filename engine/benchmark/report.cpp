#include <array>
#include <cstdio>

#include "engine/benchmark/benchmark.h"

namespace tandem::engine {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Quantiles& q) {
  return {{"p50", q.p50}, {"p90", q.p90}, {"p99", q.p99}, {"mean", q.mean}};
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

constexpr std::array kColumns{"streams",     "in",          "out",         "requests",   "failed",
                              "TTFT p50 ms", "TTFT p99 ms", "TPOT p50 ms", "ITL p99 ms", "output tok/s",
                              "total tok/s", "cached",      "bandwidth"};

std::vector<std::string> cells(const BenchmarkRow& row) {
  return {std::to_string(row.concurrency),
          std::to_string(row.input_len),
          std::to_string(row.output_len),
          std::to_string(row.num_requests),
          std::to_string(row.num_failed),
          fixed(row.ttft_ms.p50, 1),
          fixed(row.ttft_ms.p99, 1),
          fixed(row.tpot_ms.p50, 2),
          fixed(row.itl_ms.p99, 2),
          fixed(row.output_tokens_per_s, 1),
          fixed(row.total_tokens_per_s, 1),
          fixed(row.cached_fraction * 100, 0) + " %",
          row.bandwidth_fraction ? fixed(*row.bandwidth_fraction * 100, 0) + " %" : "–"};
}

}  // namespace

Json to_json(const BenchmarkReport& report) {
  Json rows = Json::array();
  for (const BenchmarkRow& row : report.rows) {
    Json entry{{"concurrency", row.concurrency},
               {"input_len", row.input_len},
               {"output_len", row.output_len},
               {"requests", row.num_requests},
               {"failed", row.num_failed},
               {"ttft_ms", to_json(row.ttft_ms)},
               {"tpot_ms", to_json(row.tpot_ms)},
               {"itl_ms", to_json(row.itl_ms)},
               {"output_tokens_per_s", row.output_tokens_per_s},
               {"total_tokens_per_s", row.total_tokens_per_s},
               {"cached_fraction", row.cached_fraction},
               {"bandwidth_fraction", row.bandwidth_fraction ? Json(*row.bandwidth_fraction) : Json(nullptr)}};
    if (!row.first_error.empty()) entry["first_error"] = row.first_error;
    rows.push_back(std::move(entry));
  }
  return {{"device", report.device},
          {"model", report.model},
          {"rows", std::move(rows)},
          {"peak_memory_bytes", report.peak_memory_bytes},
          {"settings", report.settings}};
}

std::string to_table(const BenchmarkReport& report) {
  std::vector<std::vector<std::string>> lines{{kColumns.begin(), kColumns.end()}};
  for (const BenchmarkRow& row : report.rows) lines.push_back(cells(row));
  std::array<std::size_t, kColumns.size()> widths{};
  const auto width = [](const std::string& text) {  // code points, not bytes
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
  };
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string out = report.model + " on " + report.device + "\n";
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += std::string(widths[i] - width(line[i]) + (i > 0 ? 2 : 0), ' ') + line[i];
    }
    out += "\n";
  }
  return out;
}

std::string to_markdown(const BenchmarkReport& report) {
  std::string out = "**" + report.model + "** on " + report.device + "\n\n|";
  for (const char* column : kColumns) out += std::string(" ") + column + " |";
  out += "\n|";
  for (std::size_t i = 0; i < kColumns.size(); ++i) out += "---:|";
  for (const BenchmarkRow& row : report.rows) {
    out += "\n|";
    for (const std::string& cell : cells(row)) out += " " + cell + " |";
  }
  out += "\n\nSettings: `" + report.settings.dump() + "`\n";
  return out;
}

std::string to_csv(const BenchmarkReport& report) {
  std::string out =
      "concurrency,input_len,output_len,requests,failed,ttft_p50_ms,ttft_p90_ms,ttft_p99_ms,tpot_p50_ms,tpot_p90_ms,tpot_p99_"
      "ms,"
      "itl_p50_ms,itl_p90_ms,itl_p99_ms,output_tokens_per_s,total_tokens_per_s,cached_fraction,bandwidth_fraction\n";
  for (const BenchmarkRow& row : report.rows) {
    for (const std::int32_t value : {row.concurrency, row.input_len, row.output_len, row.num_requests, row.num_failed}) {
      out += std::to_string(value) + ",";
    }
    for (const Quantiles& q : {row.ttft_ms, row.tpot_ms, row.itl_ms}) {
      out += fixed(q.p50, 3) + "," + fixed(q.p90, 3) + "," + fixed(q.p99, 3) + ",";
    }
    out +=
        fixed(row.output_tokens_per_s, 3) + "," + fixed(row.total_tokens_per_s, 3) + "," + fixed(row.cached_fraction, 4) + ",";
    if (row.bandwidth_fraction) out += fixed(*row.bandwidth_fraction, 4);
    out += "\n";
  }
  return out;
}

}  // namespace tandem::engine
