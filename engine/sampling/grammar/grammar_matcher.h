// GrammarMatcher: how far a byte string is in a grammar, as the set of all stacks a pushdown automaton could have.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sampling/grammar/grammar.h"

namespace tandem::engine {

// States are small numbers; the same set of stacks always has the same number. Not thread-safe: one per sequence.
class GrammarMatcher {
 public:
  using State = std::int32_t;
  static constexpr State kDead = -1;

  explicit GrammarMatcher(std::shared_ptr<const Grammar> grammar);

  State start() const { return start_; }
  // The state after one more byte; kDead when none may follow so.
  State next(State state, std::uint8_t byte);
  State next(State state, std::string_view bytes);
  // What has been read is a whole word of the language.
  bool is_accepting(State state) const { return states_[static_cast<std::size_t>(state)].accepting; }
  // The bytes that may follow.
  const ByteSet& allowed(State state) const { return states_[static_cast<std::size_t>(state)].allowed; }

 private:
  // A stack: the symbol on top is symbol `position` of an alternative, the rest is the parent. Interned.
  struct Node {
    RuleId rule;
    std::int32_t alternative, position, parent;
    auto operator<=>(const Node&) const = default;
  };
  static constexpr std::int32_t kEmptyStack = -1;
  struct StateInfo {
    std::vector<std::int32_t> nodes;  // sorted; each has a byte set on top
    bool accepting = false;
    ByteSet allowed;
    std::unordered_map<int, State> next;
  };

  const GrammarSequence& sequence(const Node& node) const;
  std::int32_t intern(const Node& node);
  State intern_state(std::vector<std::int32_t> nodes, bool accepting);
  // Adds every stack with a byte set on top that is reached from this one without reading.
  void expand(Node node, std::vector<std::int32_t>& nodes, std::vector<Node>& visited, bool& accepting);
  void expand_rule(RuleId rule, std::int32_t parent, std::vector<std::int32_t>& nodes, std::vector<Node>& visited,
                   bool& accepting);
  const std::pair<std::vector<std::int32_t>, bool>& after_top(std::int32_t node);

  std::shared_ptr<const Grammar> grammar_;
  std::vector<Node> nodes_;
  std::map<Node, std::int32_t> node_ids_;
  std::vector<StateInfo> states_;
  std::map<std::pair<std::vector<std::int32_t>, bool>, State> state_ids_;
  std::unordered_map<std::int32_t, std::pair<std::vector<std::int32_t>, bool>> after_top_;
  State start_ = kDead;
};

}  // namespace tandem::engine
