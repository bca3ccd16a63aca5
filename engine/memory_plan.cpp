#include "engine/memory_plan.h"

#include <algorithm>
#include <cstdio>

#include "engine/cache/kv_cache.h"
#include "engine/planner/planner.h"

namespace tandem::engine {
namespace {

// The default KV cache takes no more than this: 4 GiB are 37,000 tokens of Qwen3-0.6B and 29,000 of Qwen3-8B.
constexpr std::uint64_t kDefaultKvBudget = std::uint64_t{4} << 30;
// But a context this long is worth all the memory there is.
constexpr std::int64_t kUsefulContext = 2048;

std::string gib(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / static_cast<double>(1 << 30));
  return text;
}

std::uint64_t saturating_sub(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

std::int64_t blocks_for(std::int64_t tokens) {
  return (tokens + kKvBlockTokens - 1) / kKvBlockTokens;
}

Result<void> check_options(const ModelConfig& config, const LoadOptions& options) {
  constexpr std::int32_t kMaxSeqs = 256, kMaxBatchedTokens = 1 << 16;
  const auto refuse = [](const std::string& name, std::int64_t value, std::int64_t low, std::int64_t high) {
    return Error{ErrorCode::kInvalidArgument, name + " is " + std::to_string(value) + "; it must be from " +
                                                  std::to_string(low) + " to " + std::to_string(high)};
  };
  if (options.max_num_seqs < 1 || options.max_num_seqs > kMaxSeqs) {
    return refuse("max_num_seqs", options.max_num_seqs, 1, kMaxSeqs);
  }
  if (options.max_num_batched_tokens < options.max_num_seqs || options.max_num_batched_tokens > kMaxBatchedTokens) {
    return refuse("max_num_batched_tokens", options.max_num_batched_tokens, options.max_num_seqs, kMaxBatchedTokens);
  }
  if (options.context_tokens && (*options.context_tokens < 1 || *options.context_tokens > config.max_context)) {
    return refuse("the context length", *options.context_tokens, 1, config.max_context);
  }
  return check_kv_dtype(options.kv_dtype);
}

}  // namespace

Result<MemoryPlan> plan_memory(const ModelConfig& config, std::uint64_t weight_bytes, const LoadOptions& options,
                               std::uint64_t available_bytes) {
  TANDEM_TRY(check_options(config, options));
  MemoryPlan plan;
  plan.weight_bytes = weight_bytes;
  plan.activation_bytes = activation_bytes(config, options.max_num_batched_tokens, options.max_num_seqs);
  plan.limit_bytes = saturating_sub(available_bytes, options.memory_reserve_bytes);
  if (options.memory_limit_bytes > 0) plan.limit_bytes = std::min(plan.limit_bytes, options.memory_limit_bytes);

  const std::string limit_text = gib(plan.limit_bytes) + " can be used (" + gib(available_bytes) + " are available now, " +
                                 gib(options.memory_reserve_bytes) + " stay free" +
                                 (options.memory_limit_bytes > 0 ? ", limit " + gib(options.memory_limit_bytes) : "") + ")";
  const std::uint64_t block_bytes = kv_bytes_per_token(config, options.kv_dtype, 1) * kKvBlockTokens;
  const std::uint64_t fixed = plan.weight_bytes + plan.activation_bytes;
  const std::uint64_t free_bytes = saturating_sub(plan.limit_bytes, fixed);
  const auto max_blocks = static_cast<std::int64_t>(std::min<std::uint64_t>(free_bytes / block_bytes, INT32_MAX));
  if (max_blocks == 0) {
    return Error{ErrorCode::kOutOfMemory, "The model needs " + gib(fixed + block_bytes) + " (weights " +
                                              gib(plan.weight_bytes) + ", working memory " + gib(plan.activation_bytes) +
                                              ", and at least one KV block), but " + limit_text +
                                              ". Close other programs, or choose a smaller or more strongly quantised model."};
  }

  std::int64_t wanted_blocks = 0;
  if (options.context_tokens) {
    plan.context_tokens = *options.context_tokens;
    const std::int64_t needed = blocks_for(plan.context_tokens);
    if (needed > max_blocks) {
      return Error{ErrorCode::kOutOfMemory,
                   "A context of " + std::to_string(plan.context_tokens) + " tokens needs " +
                       gib(fixed + static_cast<std::uint64_t>(needed) * block_bytes) + " (weights " + gib(plan.weight_bytes) +
                       ", KV cache " + gib(static_cast<std::uint64_t>(needed) * block_bytes) + ", working memory " +
                       gib(plan.activation_bytes) + "), but " + limit_text + ". The largest context that fits is " +
                       std::to_string(max_blocks * kKvBlockTokens) + " tokens."};
    }
    wanted_blocks = std::min(needed * options.max_num_seqs, max_blocks);
  } else {
    const auto budget = static_cast<std::int64_t>(std::min(free_bytes / 2, kDefaultKvBudget) / block_bytes);
    const std::int64_t budget_blocks = std::clamp(std::max(budget, blocks_for(kUsefulContext)), std::int64_t{1}, max_blocks);
    plan.context_tokens = std::min(config.max_context, budget_blocks * kKvBlockTokens);
    wanted_blocks = std::min(blocks_for(plan.context_tokens) * options.max_num_seqs, budget_blocks);
  }
  plan.num_kv_blocks = static_cast<std::int32_t>(wanted_blocks);
  plan.kv_bytes = static_cast<std::uint64_t>(wanted_blocks) * block_bytes;
  if (wanted_blocks < blocks_for(plan.context_tokens) * options.max_num_seqs) {
    plan.warnings.push_back("The KV cache holds " + std::to_string(wanted_blocks * kKvBlockTokens) +
                            " tokens for all conversations together, less than " + std::to_string(options.max_num_seqs) +
                            " of " + std::to_string(plan.context_tokens) + " tokens: when it is full, the youngest one waits.");
  }
  return plan;
}

}  // namespace tandem::engine
