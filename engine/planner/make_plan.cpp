// make_plan: puts budget, solvers and speed limit together, and says in sentences what came out.
#include <algorithm>
#include <string>

#include "engine/cache/kv_cache.h"
#include "engine/planner/budget.h"
#include "engine/planner/planner.h"
#include "engine/planner/saturating.h"
#include "engine/planner/size_text.h"

namespace tandem::engine {
namespace {

constexpr std::int32_t kMaxNodes = 64;

Error bad_request(const std::string& what, std::int64_t value, const std::string& allowed) {
  return Error{ErrorCode::kInvalidArgument, what + " is " + std::to_string(value) + "; " + allowed};
}

Result<void> check_request(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request) {
  if (request.num_nodes < 1 || request.num_nodes > kMaxNodes) {
    return bad_request("the number of machines", request.num_nodes, "1 to " + std::to_string(kMaxNodes) + " can be planned");
  }
  if (request.context_tokens < 1) return bad_request("the context", request.context_tokens, "it must be at least 1 token");
  if (request.concurrency < 1) return bad_request("the concurrency", request.concurrency, "it must be at least 1");
  if (request.max_num_batched_tokens < 1) {
    return bad_request("the token budget of a step", request.max_num_batched_tokens, "it must be at least 1");
  }
  if (machine.total_bytes == 0) {
    return Error{ErrorCode::kInvalidArgument, machine.name + ": the size of its memory is not known"};
  }
  const ModelConfig& config = model.config;
  if (model.weights.empty() || config.num_layers < 1 || config.num_heads < 1 || config.num_kv_heads < 1 ||
      config.num_kv_heads > config.num_heads || config.head_dim < 1 || config.hidden_size < 1) {
    return Error{ErrorCode::kInvalidArgument,
                 "the model description is incomplete: " + std::to_string(model.weights.size()) + " weights, " +
                     std::to_string(config.num_layers) + " layers, " + std::to_string(config.num_heads) + " heads, " +
                     std::to_string(config.num_kv_heads) + " KV heads of " + std::to_string(config.head_dim)};
  }
  return {};
}

std::string on_each(const PlanRequest& request) {
  return request.num_nodes == 1 ? "" : " on each of " + std::to_string(request.num_nodes) + " machines";
}

// The bandwidth a speed limit is made from: what was measured, never more than the specification says.
double usable_bandwidth(const MachineSpec& machine) {
  const double measured = machine.bandwidth_bytes_per_s, peak = machine.bandwidth_peak_bytes_per_s;
  if (measured > 0 && peak > 0) return std::min(measured, peak);
  return std::max(measured, peak);
}

// The slowest rank reads its weights and its part of `context_tokens` tokens of cache for one decoded token.
std::uint64_t bytes_per_decode_step(const Budget& budget, std::uint64_t context_tokens) {
  std::uint64_t most = 0;
  for (std::int32_t rank = 0; rank < budget.request().num_nodes; ++rank) {
    const std::uint64_t weights = budget.split().ranks[static_cast<std::size_t>(rank)].read_bytes_per_token;
    most = std::max(most, saturating_add(weights, saturating_mul(context_tokens, budget.kv_token_bytes(rank))));
  }
  return most;
}

double limit_from(double bandwidth, std::uint64_t bytes) {
  return bandwidth > 0 && bytes > 0 ? bandwidth / static_cast<double>(bytes) : 0.0;
}

std::string setting_text(const PlanRequest& request) {
  return "a context of " + std::to_string(request.context_tokens) + " tokens for " + std::to_string(request.concurrency) +
         (request.concurrency == 1 ? " request" : " requests at once");
}

// The setting that fits and keeps most of what was asked for: either a shorter context or fewer requests at once, whichever
// loses the smaller part; one request with a shorter context when neither is enough by itself; last, a second machine.
std::optional<PlanRequest> find_nearest_fit(const ModelDescription& model, const MachineSpec& machine, const Plan& plan,
                                            const Budget& budget) {
  const PlanRequest& asked = plan.request;
  PlanRequest shorter = asked, fewer = asked;
  shorter.context_tokens = std::min(asked.context_tokens, plan.max_context);
  fewer.concurrency = std::min(asked.concurrency, plan.max_concurrency);
  const bool can_shorten = shorter.context_tokens > 0, can_reduce = fewer.concurrency > 0;
  if (can_shorten && can_reduce) {
    const double kept_context = static_cast<double>(shorter.context_tokens) / static_cast<double>(asked.context_tokens);
    const double kept_requests = static_cast<double>(fewer.concurrency) / static_cast<double>(asked.concurrency);
    return kept_context > kept_requests ? shorter : fewer;
  }
  if (can_shorten) return shorter;
  if (can_reduce) return fewer;
  PlanRequest alone = asked;
  alone.concurrency = 1;
  alone.context_tokens = std::min(asked.context_tokens, budget.max_context(1));
  if (alone.context_tokens > 0) return alone;
  if (asked.num_nodes != 1) return std::nullopt;
  PlanRequest pair = asked;
  pair.num_nodes = 2;
  const Budget on_two(model, machine, pair);
  pair.context_tokens = std::min(asked.context_tokens, on_two.max_context(asked.concurrency));
  if (pair.context_tokens > 0) return pair;
  pair.concurrency = 1;
  pair.context_tokens = std::min(asked.context_tokens, on_two.max_context(1));
  if (pair.context_tokens > 0) return pair;
  return std::nullopt;
}

void explain_memory(const ModelDescription& model, const MachineSpec& machine, Plan& plan, const Budget& budget) {
  const PlanRequest& request = plan.request;
  const std::uint64_t total = budget.total_bytes(request.context_tokens, request.concurrency);
  const bool too_long = model.config.max_context > 0 && request.context_tokens > model.config.max_context;
  if (total > machine.total_bytes) {
    plan.reasons.push_back("Does not fit: " + size_text(total) + " are needed" + on_each(request) + ", " +
                           size_text(total - machine.total_bytes) + " more than the " + size_text(machine.total_bytes) +
                           " of " + machine.name + ".");
  } else {
    plan.reasons.push_back("Needs " + size_text(total) + " of the " + size_text(machine.total_bytes) + " of " + machine.name +
                           on_each(request) + ", of which " + size_text(machine.reserve_bytes) +
                           " are kept free for the system.");
  }
  if (too_long) {
    plan.reasons.push_back("The model was made for contexts of up to " + std::to_string(model.config.max_context) +
                           " tokens; " + std::to_string(request.context_tokens) + " were asked for.");
  }
  if (budget.max_context(1) == 0) {
    std::uint64_t weights = 0;
    for (const RankShare& share : budget.split().ranks) weights = std::max(weights, share.weight_bytes);
    plan.reasons.push_back("The weights alone take " + size_text(weights) + on_each(request) +
                           "; with runtime, activations and reserve nothing is left for a KV cache.");
  } else {
    plan.reasons.push_back("With " + std::to_string(request.concurrency) +
                           (request.concurrency == 1 ? " request" : " requests at once") + ", the context can have up to " +
                           std::to_string(plan.max_context) + " tokens; with " + std::to_string(request.context_tokens) +
                           " tokens of context, up to " + std::to_string(plan.max_concurrency) +
                           (plan.max_concurrency == 1 ? " request can run." : " requests can run at once."));
  }
  if (plan.fits && !plan.fits_now) {
    plan.reasons.push_back("Only " + size_text(machine.available_bytes) + " are available now: close other programs first.");
  }
  if (const Result<void> check = check_kv_dtype(request.kv_dtype); !check) plan.reasons.push_back(check.error().detail + ".");
  for (const std::string& note : budget.split().notes) plan.reasons.push_back(note);
}

void explain_speed(const MachineSpec& machine, Plan& plan, const Budget& budget) {
  const double bandwidth = usable_bandwidth(machine);
  const std::uint64_t bytes = bytes_per_decode_step(budget, 0);
  if (bandwidth <= 0 || bytes == 0) {
    plan.reasons.push_back("How fast " + machine.name + " reads memory is not known, so no limit of speed is given.");
    return;
  }
  std::string text = "Each token reads " + size_text(bytes) + " of weights" + on_each(plan.request) + ": at " +
                     bandwidth_text(bandwidth) + " that is at most " + speed_text(plan.decode_tokens_per_s_limit_empty) +
                     " tokens/s for one request, and " + speed_text(plan.decode_tokens_per_s_limit) + " with " +
                     std::to_string(plan.request.context_tokens) + " tokens of context.";
  if (plan.request.num_nodes > 1) text += " The time that the machines wait for each other comes on top.";
  plan.reasons.push_back(std::move(text));
}

}  // namespace

std::uint64_t NodePlan::total_bytes() const {
  std::uint64_t total = 0;
  for (const PlanItem& item : items) total = saturating_add(total, item.bytes);
  return total;
}

std::uint64_t NodePlan::bytes(PlanItem::Kind kind) const {
  std::uint64_t total = 0;
  for (const PlanItem& item : items) {
    if (item.kind == kind) total = saturating_add(total, item.bytes);
  }
  return total;
}

Result<Plan> make_plan(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request) {
  TANDEM_TRY(check_request(model, machine, request));
  const Budget budget(model, machine, request);
  const std::uint64_t total = budget.total_bytes(request.context_tokens, request.concurrency);
  if (total == kTooLarge) {
    return Error{ErrorCode::kInvalidArgument,
                 setting_text(request) + " of " + model.name + " needs more bytes than 64 bits can count; choose less"};
  }
  Plan plan;
  plan.request = request;
  for (std::int32_t rank = 0; rank < request.num_nodes; ++rank) {
    plan.nodes.push_back(budget.node(rank, request.context_tokens, request.concurrency));
    plan.kv_bytes_per_token = std::max(plan.kv_bytes_per_token, budget.kv_token_bytes(rank));
    plan.bytes_read_per_token =
        saturating_add(plan.bytes_read_per_token, budget.split().ranks[static_cast<std::size_t>(rank)].read_bytes_per_token);
  }
  const bool within_model = model.config.max_context <= 0 || request.context_tokens <= model.config.max_context;
  plan.fits = within_model && total <= machine.total_bytes;
  plan.fits_now = within_model && total <= machine.available_bytes;
  plan.max_context = budget.max_context(request.concurrency);
  plan.max_concurrency = budget.max_concurrency(request.context_tokens);

  const double bandwidth = usable_bandwidth(machine);
  plan.decode_tokens_per_s_limit_empty = limit_from(bandwidth, bytes_per_decode_step(budget, 0));
  plan.decode_tokens_per_s_limit = limit_from(bandwidth, bytes_per_decode_step(budget, as_count(request.context_tokens)));

  explain_memory(model, machine, plan, budget);
  explain_speed(machine, plan, budget);
  if (!plan.fits) {
    plan.nearest_fit = find_nearest_fit(model, machine, plan, budget);
    if (plan.nearest_fit) {
      plan.reasons.push_back("Nearest setting that fits: " + setting_text(*plan.nearest_fit) +
                             (plan.nearest_fit->num_nodes > request.num_nodes ? " on 2 machines." : "."));
    } else {
      plan.reasons.push_back("No setting fits; choose a smaller model or a smaller weight type.");
    }
  }
  return plan;
}

}  // namespace tandem::engine
