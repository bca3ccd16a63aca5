// The golden models: reference logits to compare with, and the same weights as GGUF files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/dtype.h"

namespace tandem::testing {

struct GoldenPrompt {
  std::vector<std::int32_t> ids;
  std::vector<float> logits;             // [ids.size(), vocab]
  std::vector<std::int32_t> greedy_ids;  // what follows the prompt
  std::vector<float> greedy_margin;      // by how much each was the largest logit
  double logit_std = 0.0;
};

// "micro/llama3" and so on.
std::filesystem::path golden_folder(const std::string& name);
std::vector<GoldenPrompt> load_golden_prompts(const std::string& name);

// Writes the model as a converter would: GGUF names and keys, stacked experts, llama's q and k rows in adjacent-pair order and
// its rope scaling as a table. Matrices get `matrix_dtype`; norms and router stay F32. `round_trip` stores the values that
// `matrix_dtype` would mean as F32 instead: the same weights without their format.
void write_golden_gguf(const std::string& name, const std::filesystem::path& path, kernels::DType matrix_dtype,
                       bool round_trip = false);

}  // namespace tandem::testing
