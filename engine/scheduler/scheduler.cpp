#include "engine/scheduler/scheduler.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::engine {

Scheduler::Scheduler(const SchedulerLimits& limits) : limits_(limits), pool_(limits.num_blocks) {
  CHECK(limits.max_num_seqs >= 1 && limits.max_num_batched_tokens >= limits.max_num_seqs,
        "every running sequence must fit the step's token budget");
}

void Scheduler::add(std::unique_ptr<Sequence> sequence) {
  CHECK(!sequence->tokens.empty(), "a sequence needs a token");
  by_id_.emplace(sequence->id, sequence.get());
  waiting_.push_back(std::move(sequence));
}

std::unique_ptr<Sequence> Scheduler::remove(std::uint64_t id) {
  if (by_id_.erase(id) == 0) return nullptr;
  const auto take = [id](auto& sequences) {
    const auto found = std::find_if(sequences.begin(), sequences.end(), [id](const auto& s) { return s->id == id; });
    std::unique_ptr<Sequence> sequence;
    if (found != sequences.end()) {
      sequence = std::move(*found);
      sequences.erase(found);
    }
    return sequence;
  };
  std::unique_ptr<Sequence> sequence = take(running_);
  if (sequence == nullptr) sequence = take(waiting_);
  sequence->blocks.release(pool_);
  return sequence;
}

const Sequence* Scheduler::find(std::uint64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::vector<std::uint64_t> Scheduler::waiting_ids() const {
  std::vector<std::uint64_t> ids;
  ids.reserve(waiting_.size());
  for (const auto& sequence : waiting_) ids.push_back(sequence->id);
  return ids;
}

void Scheduler::schedule(StepPlan& plan, std::int32_t max_prefill_tokens) {
  plan.clear();
  const std::int64_t preemptions_before = num_preemptions_;
  std::int64_t budget = limits_.max_num_batched_tokens;

  // Decoding sequences first: one token each. make_room() may preempt sequences after `i`, which are not planned yet.
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Sequence& sequence = *running_[i];
    if (sequence.num_pending() != 1) continue;
    if (!make_room(i, sequence.num_computed + 1)) break;
    plan_tokens(plan, sequence, 1);
    --budget;
  }

  // Admission after a preemption would take the blocks the preempted sequence is waiting for.
  const std::size_t num_decoding_candidates = running_.size();
  if (num_preemptions_ == preemptions_before) admit();

  std::int64_t prefill_budget = std::min<std::int64_t>(budget, std::max(1, max_prefill_tokens));
  for (std::size_t i = 0; i < running_.size() && prefill_budget > 0; ++i) {
    const Sequence& sequence = *running_[i];
    const bool is_planned = i < num_decoding_candidates && sequence.num_pending() == 1;
    if (is_planned || sequence.num_pending() == 0) continue;
    const std::int64_t count = std::min(sequence.num_pending(), prefill_budget);
    // Preempting now could hit a sequence that is in the plan already; admission has made sure that there is no need to.
    CHECK(sequence.blocks.num_missing(sequence.num_computed + count) == 0, "an admitted prompt has all of its blocks");
    plan_tokens(plan, sequence, count);
    prefill_budget -= count;
  }
}

void Scheduler::admit() {
  while (!waiting_.empty() && num_running() < limits_.max_num_seqs) {
    Sequence& next = *waiting_.front();
    // At least one token is computed anew: the next one is sampled from its logits.
    const auto num_tokens = static_cast<std::int64_t>(next.tokens.size());
    const auto max_reused = static_cast<std::int32_t>((num_tokens - 1) / limits_.block_tokens);
    next.blocks.adopt(pool_.take_prefix(next.tokens, limits_.block_tokens, max_reused));
    const auto num_found = static_cast<std::int64_t>(next.blocks.blocks().size()) * limits_.block_tokens;
    // Room for all of its tokens at once, so that an admitted prompt does not stop half-way for want of blocks.
    if (!next.blocks.grow(num_tokens, pool_)) {
      next.blocks.release(pool_);
      return;
    }
    next.num_computed = num_found;
    if (next.num_preemptions == 0) {
      next.num_reused = num_found;
      num_prefix_queries_ += num_tokens;
      num_prefix_hits_ += num_found;
    }
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

bool Scheduler::make_room(std::size_t running_idx, std::int64_t num_tokens) {
  while (!running_[running_idx]->blocks.grow(num_tokens, pool_)) {
    const bool is_youngest = running_idx + 1 == running_.size();
    CHECK(running_.size() > 1, "a sequence that runs alone must fit the KV cache");
    preempt_youngest();
    if (is_youngest) return false;
  }
  return true;
}

void Scheduler::preempt_youngest() {
  std::unique_ptr<Sequence> sequence = std::move(running_.back());
  running_.pop_back();
  sequence->blocks.release(pool_);
  sequence->num_computed = 0;
  ++sequence->num_preemptions;
  ++num_preemptions_;
  waiting_.push_front(std::move(sequence));
}

void Scheduler::plan_tokens(StepPlan& plan, const Sequence& sequence, std::int64_t count) {
  const std::span<const std::int32_t> tokens(sequence.tokens);
  plan.add(sequence.id, tokens.subspan(static_cast<std::size_t>(sequence.num_computed), static_cast<std::size_t>(count)),
           static_cast<std::int32_t>(sequence.num_computed), sequence.blocks.blocks(), count == sequence.num_pending());
}

void Scheduler::mark_computed(const StepPlan& plan) {
  for (const StepPlan::Sequence& planned : plan.sequences) {
    Sequence& sequence = *by_id_.at(planned.sequence_id);
    sequence.num_computed = planned.first_position + planned.num_rows;
    const std::int64_t size = limits_.block_tokens;
    const std::span<const std::int32_t> blocks = sequence.blocks.blocks();
    for (std::int64_t i = planned.first_position / size; (i + 1) * size <= sequence.num_computed; ++i) {
      const auto block_idx = static_cast<std::size_t>(i);
      pool_.remember(blocks[block_idx], i > 0 ? blocks[block_idx - 1] : -1,
                     std::span(sequence.tokens).subspan(static_cast<std::size_t>(i * size), static_cast<std::size_t>(size)));
    }
  }
}

void Scheduler::append_token(std::uint64_t id, std::int32_t token) {
  by_id_.at(id)->tokens.push_back(token);
}

}  // namespace tandem::engine
