#include "engine/planner/rank_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "engine/models/architecture.h"
#include "engine/planner/saturating.h"

namespace tandem::engine {
namespace {

using Weight = ModelDescription::Weight;

// "blk.12.attn_q.weight" → layer 12, role "attn_q"; other names have layer −1 and the name up to ".weight" as role.
struct Role {
  std::int32_t layer = -1;
  std::string_view role;
};

Role role_of(std::string_view name) {
  constexpr std::string_view kBlock = "blk.", kSuffix = ".weight";
  Role result;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  result.role = name;
  if (!name.starts_with(kBlock)) return result;
  const std::size_t dot = name.find('.', kBlock.size());
  if (dot == std::string_view::npos) return result;
  std::int32_t layer = 0;
  for (const char c : name.substr(kBlock.size(), dot - kBlock.size())) {
    if (c < '0' || c > '9' || layer > 1'000'000) return result;
    layer = layer * 10 + (c - '0');
  }
  result.layer = layer;
  result.role = name.substr(dot + 1);
  return result;
}

std::int64_t block_elements(const Weight& weight) {
  return kernels::dtype_info(weight.dtype).block_elements;
}

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

// [0, size) in `num_ranks` pieces that start at multiples of `unit`, the earlier ones larger. Fewer units than ranks: nullopt.
std::optional<Range> cut(std::int64_t size, std::int64_t unit, std::int32_t rank, std::int32_t num_ranks) {
  const std::int64_t num_units = (size + unit - 1) / unit;
  if (num_units < num_ranks) return std::nullopt;
  const std::int64_t each = num_units / num_ranks, more = num_units % num_ranks;
  const auto start = [&](std::int64_t r) { return std::min(size, (r * each + std::min(r, more)) * unit); };
  return Range{start(rank), start(rank + 1)};
}

struct AttentionShare {
  std::int64_t num_heads = 0, num_kv_heads = 0;
};

class Splitter {
 public:
  Splitter(const ModelDescription& model, std::int32_t num_ranks)
      : model_(model), config_(model.config), num_ranks_(num_ranks) {
    for (const Weight& weight : model_.weights) {
      const Role role = role_of(weight.name);
      if (role.role == "attn_output") attention_block_ = std::max(attention_block_, block_elements(weight));
      if (role.role == "ffn_down") down_block_[role.layer] = block_elements(weight);
    }
  }

  RankSplit split() {
    RankSplit result;
    for (std::int32_t rank = 0; rank < num_ranks_; ++rank) result.ranks.push_back(share(rank));
    if (num_ranks_ > 1) add_notes(result);
    return result;
  }

 private:
  RankShare share(std::int32_t rank) const {
    RankShare result;
    const AttentionShare attention = attention_share(rank);
    result.num_heads = static_cast<std::int32_t>(attention.num_heads);
    result.num_kv_heads = static_cast<std::int32_t>(attention.num_kv_heads);
    for (const Weight& weight : model_.weights) {
      const std::uint64_t bytes = weight_share(weight, rank, attention, result);
      RankShare::Group& group = result.weights_by_type[weight.dtype];
      group.bytes = saturating_add(group.bytes, bytes);
      ++group.num_tensors;
      result.weight_bytes = saturating_add(result.weight_bytes, bytes);
      if (weight.read_per_token) {
        result.read_bytes_per_token = saturating_add(result.read_bytes_per_token, read_share(bytes, weight.read_fraction));
      }
    }
    return result;
  }

  static std::uint64_t read_share(std::uint64_t bytes, double fraction) {
    if (fraction >= 1.0 || bytes == kTooLarge) return bytes;
    return static_cast<std::uint64_t>(std::llround(static_cast<long double>(bytes) * static_cast<long double>(fraction)));
  }

  // KV heads with the query heads that read them, in units whose columns of attention's output are whole blocks. With fewer
  // such units than ranks query heads are divided alone, and ranks share KV heads; failing that, every rank holds all.
  AttentionShare attention_share(std::int32_t rank) const {
    const std::int64_t kv_heads = std::max(config_.num_kv_heads, 1),
                       heads = std::max<std::int64_t>(config_.num_heads, kv_heads);
    const std::int64_t group = heads / kv_heads, head_dim = std::max(config_.head_dim, 1);
    const std::int64_t kv_unit = attention_block_ / std::gcd(attention_block_, group * head_dim);
    if (const auto range = cut(kv_heads, kv_unit, rank, num_ranks_)) return {range->size() * group, range->size()};
    const std::int64_t head_unit = attention_block_ / std::gcd(attention_block_, head_dim);
    if (const auto range = cut(heads, head_unit, rank, num_ranks_)) {
      const std::int64_t first = range->begin / group, last = (range->end + group - 1) / group;
      return {range->size(), std::min(last, kv_heads) - first};
    }
    return {heads, kv_heads};
  }

  std::uint64_t weight_share(const Weight& weight, std::int32_t rank, const AttentionShare& attention,
                             RankShare& result) const {
    const auto split = static_cast<Split>(weight.split);
    if (num_ranks_ == 1 || split == Split::kReplicate || weight.shape.size() < 2 || weight.bytes == kTooLarge) {
      if (role_of(weight.name).role == "ffn_gate") note_intermediate(weight.shape.front(), result);
      return weight.bytes;
    }
    const Role role = role_of(weight.name);
    const std::int64_t head_dim = config_.head_dim;
    const std::int64_t num_rows = weight.shape[weight.shape.size() - 2], num_cols = weight.shape.back();
    switch (split) {
      case Split::kExperts: {
        const auto range = cut(weight.shape.front(), 1, rank, num_ranks_);
        return range ? part(weight, range->size(), weight.shape.front()) : weight.bytes;
      }
      case Split::kColumns: {
        if (role.role == "attn_output") return part(weight, attention.num_heads * head_dim, num_cols);
        const auto range = cut(num_cols, block_elements(weight), rank, num_ranks_);
        return range ? part(weight, range->size(), num_cols) : weight.bytes;
      }
      case Split::kRows: {
        if (role.role == "attn_q") return part(weight, attention.num_heads * head_dim, num_rows);
        if (role.role == "attn_k" || role.role == "attn_v") return part(weight, attention.num_kv_heads * head_dim, num_rows);
        const bool feeds_down = role.role == "ffn_gate" || role.role == "ffn_up";
        const auto down = down_block_.find(role.layer);
        const auto range = cut(num_rows, feeds_down && down != down_block_.end() ? down->second : 1, rank, num_ranks_);
        const std::int64_t size = range ? range->size() : num_rows;
        if (role.role == "ffn_gate") note_intermediate(size, result);
        return part(weight, size, num_rows);
      }
      case Split::kReplicate: break;
    }
    return weight.bytes;
  }

  static void note_intermediate(std::int64_t size, RankShare& result) {
    result.intermediate_size = std::max(result.intermediate_size, size);
  }

  // `size` of `total` rows, columns or experts. Exact: a share is whole rows or whole blocks of every row.
  static std::uint64_t part(const Weight& weight, std::int64_t size, std::int64_t total) {
    if (size >= total || total <= 0) return weight.bytes;
    const auto divisor = std::gcd(as_count(size), as_count(total));
    return divisor == 0 ? 0 : saturating_mul(weight.bytes / (as_count(total) / divisor), as_count(size) / divisor);
  }

  void add_notes(RankSplit& result) const {
    std::int64_t kv_heads = 0;
    for (const RankShare& rank : result.ranks) kv_heads += rank.num_kv_heads;
    if (kv_heads > config_.num_kv_heads) {
      result.notes.push_back("The " + std::to_string(config_.num_kv_heads) + " KV heads cannot be divided over " +
                             std::to_string(num_ranks_) + " machines, so some are held more than once.");
    }
    const auto [least, most] = std::minmax_element(
        result.ranks.begin(), result.ranks.end(), [](const auto& a, const auto& b) { return a.weight_bytes < b.weight_bytes; });
    if (most->weight_bytes != least->weight_bytes) {
      result.notes.push_back("The weights do not divide evenly: the shares have " + std::to_string(least->weight_bytes) +
                             " to " + std::to_string(most->weight_bytes) + " bytes.");
    }
  }

  const ModelDescription& model_;
  const ModelConfig& config_;
  const std::int32_t num_ranks_;
  std::int64_t attention_block_ = 1;                           // of the coarsest attention output
  std::unordered_map<std::int32_t, std::int64_t> down_block_;  // by layer
};

}  // namespace

RankSplit split_over_ranks(const ModelDescription& model, std::int32_t num_ranks) {
  return Splitter(model, num_ranks).split();
}

}  // namespace tandem::engine
