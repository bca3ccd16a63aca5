// StepPlan: what one step of the engine computes: which sequences, how many tokens of each, and where their keys and values
// lie. Plain values, so that every rank can run the same plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace tandem::engine {

struct StepPlan {
  struct Sequence {
    std::uint64_t sequence_id = 0;
    std::int32_t first_row = 0;       // its rows are [first_row, first_row + num_rows)
    std::int32_t num_rows = 0;        // tokens computed now
    std::int32_t first_position = 0;  // tokens cached before this step
    std::int32_t first_block = 0;     // its block table is block_tables[first_block, first_block + num_blocks)
    std::int32_t num_blocks = 0;
    std::int32_t logit_idx = -1;  // row of the logits its next token is sampled from; -1: its prompt is not complete yet
  };

  std::vector<Sequence> sequences;
  std::vector<std::int32_t> token_ids;     // [num_rows]
  std::vector<std::int32_t> positions;     // [num_rows]
  std::vector<std::int32_t> block_tables;  // of all sequences, one after another
  std::vector<std::int32_t> logit_rows;    // rows whose logits are wanted

  std::int32_t num_rows() const { return static_cast<std::int32_t>(token_ids.size()); }
  bool is_empty() const { return token_ids.empty(); }
  void clear() {
    sequences.clear();
    token_ids.clear();
    positions.clear();
    block_tables.clear();
    logit_rows.clear();
  }

  // Appends tokens [first_position, first_position + ids.size()) of a sequence. `blocks` covers all of its tokens up to there.
  void add(std::uint64_t sequence_id, std::span<const std::int32_t> ids, std::int32_t first_position,
           std::span<const std::int32_t> blocks, bool wants_logits) {
    Sequence sequence;
    sequence.sequence_id = sequence_id;
    sequence.first_row = num_rows();
    sequence.num_rows = static_cast<std::int32_t>(ids.size());
    sequence.first_position = first_position;
    sequence.first_block = static_cast<std::int32_t>(block_tables.size());
    sequence.num_blocks = static_cast<std::int32_t>(blocks.size());
    token_ids.insert(token_ids.end(), ids.begin(), ids.end());
    for (std::int32_t i = 0; i < sequence.num_rows; ++i) positions.push_back(first_position + i);
    block_tables.insert(block_tables.end(), blocks.begin(), blocks.end());
    if (wants_logits) {
      sequence.logit_idx = static_cast<std::int32_t>(logit_rows.size());
      logit_rows.push_back(num_rows() - 1);
    }
    sequences.push_back(sequence);
  }

  // The plan in the kernels' form; `out` keeps its memory from step to step and points into this plan.
  void sequence_rows(std::vector<kernels::SequenceRows>& out) const {
    out.clear();
    for (const Sequence& sequence : sequences) {
      out.push_back(
          {sequence.first_row, sequence.num_rows, sequence.first_position,
           std::span(block_tables)
               .subspan(static_cast<std::size_t>(sequence.first_block), static_cast<std::size_t>(sequence.num_blocks))});
    }
  }
};

}  // namespace tandem::engine
