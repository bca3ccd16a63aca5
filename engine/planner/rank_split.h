// rank_split: what each tensor-parallel rank holds of a model. Internal to this folder.
//
// Quantised rows are cut only between blocks, attention only between KV heads, a mixture of experts between experts, so the
// shares may be uneven. What feeds a cut input is cut alike: gate and up follow down, q, k and v follow attention's output.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/planner/planner.h"
#include "kernels/dtype.h"

namespace tandem::engine {

struct RankShare {
  struct Group {
    std::uint64_t bytes = 0;
    std::int64_t num_tensors = 0;
  };
  std::map<kernels::DType, Group> weights_by_type;
  std::uint64_t weight_bytes = 0;
  std::uint64_t read_bytes_per_token = 0;  // of the weights; experts by the share that is used
  std::int32_t num_heads = 0;
  std::int32_t num_kv_heads = 0;
  std::int64_t intermediate_size = 0;  // of a dense MLP
};

struct RankSplit {
  std::vector<RankShare> ranks;
  std::vector<std::string> notes;  // English sentences: what could not be divided evenly
};

// `num_ranks` ≥ 1. Sizes stick at kTooLarge (saturating.h).
RankSplit split_over_ranks(const ModelDescription& model, std::int32_t num_ranks);

}  // namespace tandem::engine
