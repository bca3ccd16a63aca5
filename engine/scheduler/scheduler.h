// Scheduler: turns the waiting and running sequences into the next step.
//
// Continuous batching with chunked prefill: every running sequence that is past its prompt decodes one token in each step, and
// what is left of the step's token budget goes to prompts, oldest first. Admission is first come, first served, by KV blocks.
// When blocks run out, the youngest running sequence gives its blocks back and is computed again later (preemption by
// recompute), which changes no token: results do not depend on how a sequence was cut into steps. For the same reason a
// sequence may start with blocks that another one has computed (prefix cache).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/scheduler/step_plan.h"

namespace tandem::engine {

// One token timeline: prompt and what was generated after it.
struct Sequence {
  Sequence(std::uint64_t sequence_id, std::vector<std::int32_t> prompt, std::int32_t block_tokens)
      : id(sequence_id),
        tokens(std::move(prompt)),
        num_prompt(static_cast<std::int64_t>(tokens.size())),
        blocks(block_tokens) {}

  std::uint64_t id;
  std::vector<std::int32_t> tokens;
  std::int64_t num_prompt;
  std::int64_t num_computed = 0;  // tokens whose keys and values are cached
  std::int64_t num_reused = 0;    // of the prompt, found computed when it was first admitted
  std::int32_t num_preemptions = 0;
  BlockTable blocks;

  std::int64_t num_pending() const { return static_cast<std::int64_t>(tokens.size()) - num_computed; }
};

struct SchedulerLimits {
  std::int32_t max_num_seqs = 1;
  std::int32_t max_num_batched_tokens = 1;  // at least max_num_seqs
  std::int32_t num_blocks = 0;
  std::int32_t block_tokens = 0;
};

// The engine thread owns it.
class Scheduler {
 public:
  explicit Scheduler(const SchedulerLimits& limits);

  // At the end of the queue. The sequence must fit the pool when it runs alone.
  void add(std::unique_ptr<Sequence> sequence);
  // Takes a sequence out, wherever it is; its blocks are free at once. Null when unknown.
  std::unique_ptr<Sequence> remove(std::uint64_t id);

  // Fills the plan with the next step; it is empty when nothing is waiting or running. `max_prefill_tokens` bounds the prompt
  // tokens in this step (the engine keeps steps short enough to cancel); at least one is computed when there is room.
  void schedule(StepPlan& plan, std::int32_t max_prefill_tokens);
  // After the plan has run: its tokens are cached now.
  void mark_computed(const StepPlan& plan);
  // The sampled next token of a sequence, to be computed by the next step.
  void append_token(std::uint64_t id, std::int32_t token);

  const Sequence* find(std::uint64_t id) const;
  std::int32_t num_running() const { return static_cast<std::int32_t>(running_.size()); }
  std::int32_t num_waiting() const { return static_cast<std::int32_t>(waiting_.size()); }
  bool is_idle() const { return running_.empty() && waiting_.empty(); }
  // Ids in the order in which they will be admitted.
  std::vector<std::uint64_t> waiting_ids() const;
  std::int64_t num_preemptions() const { return num_preemptions_; }
  const BlockPool& pool() const { return pool_; }
  // Prompt tokens that were looked up in the prefix cache, and those of them that were found.
  std::int64_t num_prefix_queries() const { return num_prefix_queries_; }
  std::int64_t num_prefix_hits() const { return num_prefix_hits_; }
  // The cache's memory has been written to behind the scheduler's back; nothing may be running.
  void forget_prefixes() { pool_.forget_all(); }

 private:
  // Blocks for the sequence's first `num_tokens` tokens, preempting younger sequences for them. False: it was preempted itself.
  bool make_room(std::size_t running_idx, std::int64_t num_tokens);
  void preempt_youngest();
  void admit();
  static void plan_tokens(StepPlan& plan, const Sequence& sequence, std::int64_t count);

  SchedulerLimits limits_;
  BlockPool pool_;
  std::vector<std::unique_ptr<Sequence>> running_;  // in order of admission
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::unordered_map<std::uint64_t, Sequence*> by_id_;
  std::int64_t num_preemptions_ = 0;
  std::int64_t num_prefix_queries_ = 0;
  std::int64_t num_prefix_hits_ = 0;
};

}  // namespace tandem::engine
