// The engine against reference logits, through every file format and every way of cutting a prompt into steps.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "tests/engine/golden_model.h"
#include "tests/engine/request_helper.h"
#include "tests/support/temp_folder.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using testing::GoldenPrompt;

std::unique_ptr<Engine> load(const std::filesystem::path& path) {
  LoadOptions options;
  options.kv_dtype = KvDType::kF32;
  options.context_tokens = 512;
  options.num_threads = 2;
  auto engine = Engine::load(path, options, {});
  EXPECT_TRUE(engine) << engine.error().detail;
  return engine ? *std::move(engine) : nullptr;
}

struct Difference {
  double max = 0.0;
  double rms = 0.0;
};

Difference difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  Difference result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double delta = std::abs(static_cast<double>(a[i]) - b[i]);
    result.max = std::isfinite(delta) ? std::max(result.max, delta) : INFINITY;
    result.rms += delta * delta;
  }
  result.rms = std::sqrt(result.rms / static_cast<double>(a.size()));
  return result;
}

// Greedy ids have to agree as long as no choice was a near tie; after a tie the texts may part.
void expect_greedy(Engine& engine, const GoldenPrompt& prompt) {
  SamplingParams sampling;
  sampling.temperature = 0.0F;
  sampling.max_tokens = static_cast<std::int32_t>(prompt.greedy_ids.size());
  sampling.ignore_eos = true;
  const auto outcome = testing::run_to_end(engine, testing::token_request(prompt.ids, sampling));
  ASSERT_EQ(outcome.ids.size(), prompt.greedy_ids.size());
  for (std::size_t i = 0; i < outcome.ids.size() && prompt.greedy_margin[i] > 0.01F; ++i) {
    ASSERT_EQ(outcome.ids[i], prompt.greedy_ids[i]) << "token " << i << ", margin " << prompt.greedy_margin[i];
  }
}

void expect_reference(Engine& engine, const std::vector<GoldenPrompt>& prompts) {
  for (const GoldenPrompt& prompt : prompts) {
    const auto logits = engine.logits(prompt.ids, 0);
    ASSERT_TRUE(logits) << logits.error().detail;
    EXPECT_LE(difference(*logits, prompt.logits).max, 2e-3 * prompt.logit_std) << prompt.ids.size() << " tokens";
    expect_greedy(engine, prompt);
  }
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, SafetensorsMatchTheReference) {
  const auto engine = load(testing::golden_folder(GetParam()));
  ASSERT_NE(engine, nullptr);
  expect_reference(*engine, testing::load_golden_prompts(GetParam()));
}

TEST_P(Golden, GgufF16MatchesTheReference) {
  const testing::TempFolder folder;
  testing::write_golden_gguf(GetParam(), folder.path() / "model.gguf", DType::kF16);
  const auto engine = load(folder.path() / "model.gguf");
  ASSERT_NE(engine, nullptr);
  expect_reference(*engine, testing::load_golden_prompts(GetParam()));
}

TEST_P(Golden, PrefillPiecesGiveTheSameLogits) {
  const auto engine = load(testing::golden_folder(GetParam()));
  ASSERT_NE(engine, nullptr);
  for (const GoldenPrompt& prompt : testing::load_golden_prompts(GetParam())) {
    const auto whole = engine->logits(prompt.ids, 0);
    ASSERT_TRUE(whole);
    for (const std::int32_t chunk : {1, 7, 16}) {
      const auto pieces = engine->logits(prompt.ids, chunk);
      ASSERT_TRUE(pieces);
      EXPECT_LE(difference(*whole, *pieces).max, 1e-4 * prompt.logit_std)
          << prompt.ids.size() << " tokens in pieces of " << chunk;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden,
                         ::testing::Values("micro/llama3", "micro/qwen3", "micro/qwen3_moe", "large/llama3", "large/qwen3",
                                           "large/qwen3_moe"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// Quantised weights. Two comparisons, with limits in units of the logits' standard deviation:
//
// `format`: against the same values stored as F32. What differs is the arithmetic: activations rounded to 8 bits before integer
// products. A block of 32 normal values has its largest at about 2.1 sigma, so a step is 2.1/127 sigma, and its rounding error
// step/sqrt(12) = 0.5% of sigma (0.6% for Q4_K's blocks of 256). A logit has some 16 such products behind it (embedding or
// head, and 7 in each of 2 layers), whose errors are independent: sqrt(16) · 0.6% = 2.5%.
//
// `weights`: against the reference of the unquantised weights. Q8_0 rounds weights as it does activations: together
// sqrt(2) · 2%  = 3%. Q4_K has 15 steps over the range of a block, about 4.1 sigma: an error of 4.1/15/sqrt(12) = 8% of sigma,
// and 32% after 16 products; its 6-bit scales and minima add a little.
//
// The largest of up to 150,000 differences lies 4.5 standard deviations out; 6 are allowed. A mixture of experts may route a
// token to another expert when two are nearly tied, which is no rounding error any more: there, the limits hold for the median
// row instead of for all of them together.
struct QuantisedCase {
  const char* model;
  DType dtype;
  double format;
  double weights;
};

double row_median_rms(const std::vector<float>& a, const std::vector<float>& b, std::size_t num_rows) {
  const std::size_t size = a.size() / num_rows;
  std::vector<double> rows;
  for (std::size_t r = 0; r < num_rows; ++r) {
    double sum = 0.0;
    for (std::size_t i = r * size; i < (r + 1) * size; ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    rows.push_back(std::sqrt(sum / static_cast<double>(size)));
  }
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(num_rows / 2), rows.end());
  return rows[num_rows / 2];
}

class GoldenQuantised : public ::testing::TestWithParam<QuantisedCase> {};

TEST_P(GoldenQuantised, GgufStaysWithinItsFormatsError) {
  const QuantisedCase& test = GetParam();
  const testing::TempFolder folder;
  testing::write_golden_gguf(test.model, folder.path() / "quantised.gguf", test.dtype);
  testing::write_golden_gguf(test.model, folder.path() / "same_values.gguf", test.dtype, /*round_trip=*/true);
  const auto quantised = load(folder.path() / "quantised.gguf");
  const auto same_values = load(folder.path() / "same_values.gguf");
  ASSERT_TRUE(quantised != nullptr && same_values != nullptr);
  const bool is_moe = quantised->info().config.moe.is_moe();
  for (const GoldenPrompt& prompt : testing::load_golden_prompts(test.model)) {
    const auto logits = quantised->logits(prompt.ids, 0);
    const auto floats = same_values->logits(prompt.ids, 0);
    ASSERT_TRUE(logits && floats);
    const auto expect_close = [&](const std::vector<float>& expected, double limit, const char* what) {
      const Difference delta = difference(*logits, expected);
      const double rms = is_moe ? row_median_rms(*logits, expected, prompt.ids.size()) : delta.rms;
      EXPECT_LE(rms, limit * prompt.logit_std) << what << ", " << prompt.ids.size() << " tokens";
      if (!is_moe) {
        EXPECT_LE(delta.max, 6.0 * limit * prompt.logit_std) << what << ", " << prompt.ids.size() << " tokens";
      }
      if (std::getenv("TANDEM_SHOW_ERRORS") != nullptr) {
        std::printf("%s %s %s: %zu tokens, rms %.4f, max %.4f\n", test.model,
                    std::string(kernels::dtype_info(test.dtype).name).c_str(), what, prompt.ids.size(), rms / prompt.logit_std,
                    delta.max / prompt.logit_std);
      }
    };
    expect_close(*floats, test.format, "format");
    expect_close(prompt.logits, test.weights, "weights");
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenQuantised,
                         ::testing::Values(QuantisedCase{"large/llama3", DType::kQ8_0, 0.025, 0.03},
                                           QuantisedCase{"large/qwen3", DType::kQ8_0, 0.025, 0.03},
                                           QuantisedCase{"large/qwen3_moe", DType::kQ8_0, 0.025, 0.03},
                                           QuantisedCase{"large/llama3", DType::kQ4_K, 0.025, 0.35},
                                           QuantisedCase{"large/qwen3", DType::kQ4_K, 0.025, 0.35},
                                           QuantisedCase{"large/qwen3_moe", DType::kQ4_K, 0.025, 0.35}),
                         [](const auto& param_info) {
                           std::string name = std::string(param_info.param.model) + "_" +
                                              std::string(kernels::dtype_info(param_info.param.dtype).name);
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace tandem::engine
