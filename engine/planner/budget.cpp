#include "engine/planner/budget.h"

#include <algorithm>
#include <limits>

#include "engine/planner/cache_size.h"
#include "engine/planner/saturating.h"
#include "engine/planner/size_text.h"

namespace tandem::engine {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// The program itself, its threads' stacks and attention's partial results.
constexpr std::uint64_t kProgramBytes = 96 * kMiB;
// A token's text, its entry in the hash tables and its merge rule.
constexpr std::uint64_t kTokenizerBytesPerToken = 512;
// CUDA context with the kernels loaded, a 64 MiB cuBLASLt workspace and the decode graphs. An assumption on the safe side: it
// is not published for GB10.
constexpr std::uint64_t kCudaRuntimeBytes = 1024 * kMiB;
// NCCL pins 9.2 MiB of host memory per connection (tonyd2wild/DeepSeek-V4.1-Flash-vLLM-DGX-Spark#8), which on these machines
// is the same memory. 64 connections: 16 channels, ring and tree, both directions.
constexpr std::uint64_t kNcclConnections = 64;
constexpr std::uint64_t kNcclConnectionBytes = 92 * kMiB / 10;
// Sockets and staging buffers of the CPU transport.
constexpr std::uint64_t kCpuTransportBytes = 64 * kMiB;
constexpr std::uint64_t kActivationElementBytes = 4;

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string weights_formula(const RankShare& share) {
  std::string text;
  for (const auto& [dtype, group] : share.weights_by_type) {
    text += (text.empty() ? "" : " + ") + std::string(kernels::dtype_info(dtype).name) + " " + std::to_string(group.bytes) +
            " B in " + count_text(static_cast<std::uint64_t>(group.num_tensors), "tensor");
  }
  return text;
}

std::string_view element_text(KvDType dtype) {
  switch (dtype) {
    case KvDType::kF16: return "2 B";
    case KvDType::kF32: return "4 B";
    case KvDType::kFp8: return "1 B";
    case KvDType::kQ8_0: return "34/32 B";
  }
  return "";
}

}  // namespace

std::uint64_t cached_tokens(std::int64_t context_tokens) {
  const std::uint64_t blocks = (as_count(context_tokens) + kKvBlockTokens - 1) / kKvBlockTokens;
  return saturating_mul(blocks, kKvBlockTokens);
}

Budget::Budget(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request)
    : model_(model), machine_(machine), request_(request), split_(split_over_ranks(model, request.num_nodes)) {}

std::uint64_t Budget::kv_token_bytes(std::int32_t rank) const {
  return engine::kv_token_bytes(model_.config, request_.kv_dtype, split_.ranks[static_cast<std::size_t>(rank)].num_kv_heads);
}

std::uint64_t Budget::cache_bytes(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const {
  return saturating_product(kv_token_bytes(rank), cached_tokens(context_tokens), as_count(concurrency));
}

std::uint64_t Budget::activations(std::int32_t rank, std::int32_t concurrency) const {
  const RankShare& share = split_.ranks[static_cast<std::size_t>(rank)];
  ModelConfig config = model_.config;
  config.num_heads = share.num_heads;
  config.num_kv_heads = share.num_kv_heads;
  if (share.intermediate_size > 0) config.intermediate_size = share.intermediate_size;
  return activation_bytes(config, request_.max_num_batched_tokens, concurrency);
}

std::uint64_t Budget::communication(std::int32_t concurrency) const {
  if (request_.num_nodes == 1) return 0;
  const std::uint64_t transport = machine_.has_cuda ? kNcclConnections * kNcclConnectionBytes : kCpuTransportBytes;
  // What an all-reduce sends and what it receives.
  const std::uint64_t rows = as_count(std::max(request_.max_num_batched_tokens, concurrency));
  const std::uint64_t buffers = saturating_product(2, rows, as_count(model_.config.hidden_size), kActivationElementBytes);
  return saturating_add(transport, buffers);
}

std::uint64_t Budget::runtime() const {
  const std::uint64_t tokenizer = saturating_mul(as_count(model_.config.vocab_size), kTokenizerBytesPerToken);
  return saturating_add(kProgramBytes + (machine_.has_cuda ? kCudaRuntimeBytes : 0), tokenizer);
}

std::uint64_t Budget::rank_total(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const {
  std::uint64_t total = split_.ranks[static_cast<std::size_t>(rank)].weight_bytes;
  total = saturating_add(total, cache_bytes(rank, context_tokens, concurrency));
  total = saturating_add(total, activations(rank, concurrency));
  total = saturating_add(total, communication(concurrency));
  total = saturating_add(total, runtime());
  return saturating_add(total, machine_.reserve_bytes);
}

std::uint64_t Budget::total_bytes(std::int64_t context_tokens, std::int32_t concurrency) const {
  std::uint64_t most = 0;
  for (std::int32_t rank = 0; rank < request_.num_nodes; ++rank) {
    most = std::max(most, rank_total(rank, context_tokens, concurrency));
  }
  return most;
}

NodePlan Budget::node(std::int32_t rank, std::int64_t context_tokens, std::int32_t concurrency) const {
  using Kind = PlanItem::Kind;
  const RankShare& share = split_.ranks[static_cast<std::size_t>(rank)];
  const ModelConfig& config = model_.config;
  NodePlan node;
  node.capacity_bytes = machine_.total_bytes;
  node.items.push_back({Kind::kWeights, share.weight_bytes, weights_formula(share)});

  const std::uint64_t tokens = cached_tokens(context_tokens);
  node.items.push_back({Kind::kKvCache, cache_bytes(rank, context_tokens, concurrency),
                        count_text(as_count(config.num_layers), "layer") + " × 2 × " +
                            count_text(as_count(share.num_kv_heads), "head") + " × " + std::to_string(config.head_dim) + " × " +
                            std::string(element_text(request_.kv_dtype)) + " × " + std::to_string(tokens) + " tokens × " +
                            std::to_string(concurrency)});

  const std::int32_t rows = std::max(request_.max_num_batched_tokens, concurrency);
  node.items.push_back({Kind::kActivations, activations(rank, concurrency),
                        "scratch of a step of " + std::to_string(rows) + " tokens + logits 2 × " + std::to_string(concurrency) +
                            " × " + std::to_string(config.vocab_size) + " × 4 B"});
  if (request_.num_nodes > 1) {
    const std::string transport = machine_.has_cuda ? "NCCL " + std::to_string(kNcclConnections) + " connections × 9.2 MiB"
                                                    : "transport " + size_text(kCpuTransportBytes);
    node.items.push_back(
        {Kind::kCommunication, communication(concurrency),
         transport + " + 2 × " + std::to_string(rows) + " tokens × " + std::to_string(config.hidden_size) + " × 4 B"});
  }
  node.items.push_back({Kind::kRuntime, runtime(),
                        "program " + size_text(kProgramBytes) +
                            (machine_.has_cuda ? " + CUDA " + size_text(kCudaRuntimeBytes) : std::string()) + " + tokenizer " +
                            std::to_string(config.vocab_size) + " × " + std::to_string(kTokenizerBytesPerToken) + " B"});
  node.items.push_back({Kind::kReserve, machine_.reserve_bytes, size_text(machine_.reserve_bytes) + " left to the system"});
  return node;
}

std::int64_t Budget::max_context(std::int32_t concurrency) const {
  const std::int64_t limit =
      model_.config.max_context > 0 ? model_.config.max_context : std::numeric_limits<std::int64_t>::max() / kKvBlockTokens;
  if (fits(limit, concurrency)) return limit;
  // Whole blocks: `low` fit (none at first), `high` do not.
  std::int64_t low = 0, high = (limit + kKvBlockTokens - 1) / kKvBlockTokens;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle * kKvBlockTokens, concurrency) ? low : high) = middle;
  }
  return low * kKvBlockTokens;
}

std::int32_t Budget::max_concurrency(std::int64_t context_tokens) const {
  if (model_.config.max_context > 0 && context_tokens > model_.config.max_context) return 0;
  constexpr std::int32_t kLimit = std::numeric_limits<std::int32_t>::max();
  if (fits(context_tokens, kLimit)) return kLimit;
  std::int32_t low = 0, high = kLimit;
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    (fits(context_tokens, middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace tandem::engine
