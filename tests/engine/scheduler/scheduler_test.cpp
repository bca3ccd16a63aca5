#include "engine/scheduler/scheduler.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>

namespace tandem::engine {
namespace {

constexpr std::int32_t kBlock = 4;

SchedulerLimits limits(std::int32_t seqs, std::int32_t budget, std::int32_t blocks) {
  return {.max_num_seqs = seqs, .max_num_batched_tokens = budget, .num_blocks = blocks, .block_tokens = kBlock};
}

std::unique_ptr<Sequence> sequence(std::uint64_t id, std::int32_t length) {
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < length; ++i) tokens.push_back(static_cast<std::int32_t>(id) * 1000 + i);
  return std::make_unique<Sequence>(id, std::move(tokens), kBlock);
}

// Runs the plan as an engine would: every sequence whose logits are wanted gets a token.
void run(Scheduler& scheduler, const StepPlan& plan) {
  scheduler.mark_computed(plan);
  for (const auto& planned : plan.sequences) {
    if (planned.logit_idx >= 0) {
      const Sequence* s = scheduler.find(planned.sequence_id);
      scheduler.append_token(s->id, static_cast<std::int32_t>(s->id * 1000 + s->tokens.size()));
    }
  }
}

TEST(Scheduler, PromptIsCutByTheTokenBudget) {
  Scheduler scheduler(limits(2, 5, 100));
  scheduler.add(sequence(1, 12));
  StepPlan plan;
  scheduler.schedule(plan, 100);
  ASSERT_EQ(plan.sequences.size(), 1U);
  EXPECT_EQ(plan.num_rows(), 5);
  EXPECT_TRUE(plan.logit_rows.empty());
  run(scheduler, plan);
  scheduler.schedule(plan, 100);
  EXPECT_EQ(plan.sequences[0].first_position, 5);
  EXPECT_EQ(plan.positions.front(), 5);
  EXPECT_EQ(plan.token_ids.front(), 1005);
  run(scheduler, plan);
  scheduler.schedule(plan, 100);
  EXPECT_EQ(plan.num_rows(), 2);
  EXPECT_EQ(plan.logit_rows, (std::vector<std::int32_t>{1}));
}

TEST(Scheduler, DecodesShareAStepWithAPrefillChunk) {
  Scheduler scheduler(limits(3, 8, 100));
  scheduler.add(sequence(1, 2));
  scheduler.add(sequence(2, 1));
  StepPlan plan;
  scheduler.schedule(plan, 100);
  EXPECT_EQ(plan.sequences.size(), 2U);
  EXPECT_EQ(plan.logit_rows, (std::vector<std::int32_t>{1, 2}));
  run(scheduler, plan);
  scheduler.add(sequence(3, 20));
  scheduler.schedule(plan, 100);
  ASSERT_EQ(plan.sequences.size(), 3U);
  EXPECT_EQ(plan.sequences[0].num_rows, 1);
  EXPECT_EQ(plan.sequences[1].num_rows, 1);
  EXPECT_EQ(plan.sequences[2].num_rows, 6);
  EXPECT_EQ(plan.sequences[2].logit_idx, -1);
  EXPECT_EQ(plan.num_rows(), 8);
}

TEST(Scheduler, OneTokenPromptIsScheduledAtOnce) {
  Scheduler scheduler(limits(1, 8, 10));
  scheduler.add(sequence(1, 1));
  StepPlan plan;
  scheduler.schedule(plan, 8);
  EXPECT_EQ(plan.num_rows(), 1);
  EXPECT_EQ(plan.logit_rows.size(), 1U);
}

TEST(Scheduler, PrefillCapLeavesRoomToCancel) {
  Scheduler scheduler(limits(1, 512, 100));
  scheduler.add(sequence(1, 100));
  StepPlan plan;
  scheduler.schedule(plan, 7);
  EXPECT_EQ(plan.num_rows(), 7);
  scheduler.schedule(plan, 0);
  EXPECT_EQ(plan.num_rows(), 1);
}

TEST(Scheduler, AdmissionIsFirstComeFirstServedByBlocks) {
  Scheduler scheduler(limits(4, 64, 4));
  scheduler.add(sequence(1, 9));   // 3 blocks
  scheduler.add(sequence(2, 12));  // 3 blocks: has to wait
  scheduler.add(sequence(3, 2));   // 1 block would fit, but must not overtake
  StepPlan plan;
  scheduler.schedule(plan, 64);
  ASSERT_EQ(plan.sequences.size(), 1U);
  EXPECT_EQ(plan.sequences[0].sequence_id, 1U);
  EXPECT_EQ(scheduler.waiting_ids(), (std::vector<std::uint64_t>{2, 3}));
  ASSERT_NE(scheduler.remove(1), nullptr);
  scheduler.schedule(plan, 64);
  EXPECT_EQ(plan.sequences.size(), 2U);
}

TEST(Scheduler, RunningSequencesAreLimited) {
  Scheduler scheduler(limits(2, 64, 100));
  for (std::uint64_t id = 1; id <= 3; ++id) scheduler.add(sequence(id, 3));
  StepPlan plan;
  scheduler.schedule(plan, 64);
  EXPECT_EQ(scheduler.num_running(), 2);
  EXPECT_EQ(scheduler.num_waiting(), 1);
}

TEST(Scheduler, OutOfBlocksPreemptsTheYoungestAndComputesItAgain) {
  Scheduler scheduler(limits(2, 64, 4));
  scheduler.add(sequence(1, 7));
  scheduler.add(sequence(2, 7));
  StepPlan plan;
  scheduler.schedule(plan, 64);
  run(scheduler, plan);  // both have 8 tokens and 2 blocks
  scheduler.schedule(plan, 64);
  run(scheduler, plan);  // 9 tokens
  scheduler.schedule(plan, 64);
  ASSERT_EQ(plan.sequences.size(), 1U);
  EXPECT_EQ(plan.sequences[0].sequence_id, 1U);
  EXPECT_EQ(scheduler.num_preemptions(), 1);
  EXPECT_EQ(scheduler.waiting_ids(), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(scheduler.find(2)->num_computed, 0);
  EXPECT_EQ(scheduler.find(2)->tokens.size(), 9U);
  run(scheduler, plan);
  scheduler.remove(1);
  scheduler.schedule(plan, 64);
  ASSERT_EQ(plan.sequences.size(), 1U);
  // Its last blocks went to the other sequence, its first one still holds what it held.
  EXPECT_EQ(plan.sequences[0].first_position, 4);
  EXPECT_EQ(plan.sequences[0].num_rows, 5);
  EXPECT_EQ(plan.logit_rows.size(), 1U);
}

TEST(Scheduler, SamePromptStartIsComputedOnce) {
  Scheduler scheduler(limits(4, 64, 16));
  StepPlan plan;
  scheduler.add(sequence(1, 11));
  scheduler.schedule(plan, 64);
  run(scheduler, plan);
  auto twin = sequence(2, 0);
  twin->tokens = scheduler.find(1)->tokens;
  twin->tokens[9] = 77;  // differs in the third block
  scheduler.add(std::move(twin));
  scheduler.schedule(plan, 64);
  ASSERT_EQ(plan.sequences.size(), 2U);
  EXPECT_EQ(plan.sequences[1].first_position, 8);
  EXPECT_EQ(scheduler.find(2)->num_reused, 8);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(scheduler.find(1)->blocks.blocks()[i], scheduler.find(2)->blocks.blocks()[i]);
  EXPECT_NE(scheduler.find(1)->blocks.blocks()[2], scheduler.find(2)->blocks.blocks()[2]);
  EXPECT_EQ(scheduler.num_prefix_hits(), 8);
  EXPECT_EQ(scheduler.num_prefix_queries(), 11 + 12);
  run(scheduler, plan);
  scheduler.remove(1);
  scheduler.remove(2);
  EXPECT_EQ(scheduler.pool().num_used(), 0);
}

TEST(Scheduler, PromptThatIsWhollyKnownStillComputesItsLastToken) {
  Scheduler scheduler(limits(4, 64, 16));
  StepPlan plan;
  scheduler.add(sequence(1, 8));
  scheduler.schedule(plan, 64);
  run(scheduler, plan);
  auto twin = sequence(2, 0);
  twin->tokens.assign(scheduler.find(1)->tokens.begin(), scheduler.find(1)->tokens.begin() + 8);
  scheduler.add(std::move(twin));
  scheduler.schedule(plan, 64);
  ASSERT_EQ(plan.sequences.size(), 2U);
  EXPECT_EQ(plan.sequences[1].first_position, 4);
  EXPECT_EQ(plan.sequences[1].num_rows, 4);
}

TEST(Scheduler, RemoveFreesBlocksAndUnknownIdsAreNull) {
  Scheduler scheduler(limits(2, 64, 4));
  scheduler.add(sequence(1, 7));
  StepPlan plan;
  scheduler.schedule(plan, 64);
  EXPECT_EQ(scheduler.pool().num_used(), 2);
  EXPECT_NE(scheduler.remove(1), nullptr);
  EXPECT_EQ(scheduler.remove(1), nullptr);
  EXPECT_EQ(scheduler.pool().num_used(), 0);
  EXPECT_TRUE(scheduler.is_idle());
  scheduler.schedule(plan, 64);
  EXPECT_TRUE(plan.is_empty());
}

// Random arrivals, cancels and ends under tight memory: every sequence is computed in order without holes, no block is shared,
// and everything ends.
TEST(Scheduler, RandomTrafficKeepsEveryPromise) {
  std::mt19937 random(5);
  Scheduler scheduler(limits(4, 9, 12));
  std::map<std::uint64_t, std::size_t> wanted;          // length at which a sequence ends
  std::map<std::uint64_t, std::int32_t> next_position;  // to be computed
  std::map<std::uint64_t, std::int32_t> restarts;       // preemptions seen
  std::uint64_t next_id = 1;
  StepPlan plan;
  for (int step = 0; step < 3000; ++step) {
    if (step < 2000 && random() % 3 == 0 && scheduler.num_waiting() < 6) {
      const auto length = static_cast<std::int32_t>(1 + random() % 20);
      wanted[next_id] = static_cast<std::size_t>(length) + 1 + random() % 25;
      next_position[next_id] = 0;
      scheduler.add(sequence(next_id++, length));
    }
    scheduler.schedule(plan, static_cast<std::int32_t>(1 + random() % 9));
    ASSERT_TRUE(scheduler.is_idle() || !plan.is_empty());
    ASSERT_LE(plan.num_rows(), 9);
    std::vector<bool> used(12);
    for (const auto& planned : plan.sequences) {
      const Sequence* planned_sequence = scheduler.find(planned.sequence_id);
      if (std::exchange(restarts[planned.sequence_id], planned_sequence->num_preemptions) !=
          planned_sequence->num_preemptions) {
        // Started again, behind the whole blocks that nobody has taken meanwhile.
        ASSERT_EQ(planned.first_position % kBlock, 0);
        ASSERT_LE(planned.first_position, next_position[planned.sequence_id]);
        next_position[planned.sequence_id] = planned.first_position;
      }
      ASSERT_EQ(planned.first_position, next_position[planned.sequence_id]);
      next_position[planned.sequence_id] += planned.num_rows;
      const Sequence* s = scheduler.find(planned.sequence_id);
      for (std::int32_t row = 0; row < planned.num_rows; ++row) {
        const auto at = static_cast<std::size_t>(planned.first_row + row);
        ASSERT_EQ(plan.token_ids[at], s->tokens[static_cast<std::size_t>(plan.positions[at])]);
      }
      ASSERT_GE(planned.num_blocks * kBlock, planned.first_position + planned.num_rows);
      for (std::int32_t b = 0; b < planned.num_blocks; ++b) {
        const auto block = static_cast<std::size_t>(plan.block_tables[static_cast<std::size_t>(planned.first_block + b)]);
        ASSERT_FALSE(used[block]);
        used[block] = true;
      }
    }
    run(scheduler, plan);
    for (const auto& planned : plan.sequences) {
      const Sequence* s = scheduler.find(planned.sequence_id);
      if (s->tokens.size() >= wanted[s->id] || random() % 200 == 0) {
        wanted.erase(s->id);
        scheduler.remove(s->id);
      }
    }
  }
  EXPECT_TRUE(scheduler.is_idle());
  EXPECT_TRUE(wanted.empty());
  EXPECT_GT(scheduler.num_preemptions(), 10);
  EXPECT_EQ(scheduler.pool().num_used(), 0);
}

}  // namespace
}  // namespace tandem::engine
