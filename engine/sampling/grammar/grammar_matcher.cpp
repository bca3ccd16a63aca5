#include "engine/sampling/grammar/grammar_matcher.h"

#include <algorithm>

namespace tandem::engine {

GrammarMatcher::GrammarMatcher(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {
  std::vector<std::int32_t> nodes;
  std::vector<Node> visited;
  bool accepting = false;
  expand_rule(grammar_->root, kEmptyStack, nodes, visited, accepting);
  start_ = intern_state(std::move(nodes), accepting);
}

const GrammarSequence& GrammarMatcher::sequence(const Node& node) const {
  return grammar_->rules[static_cast<std::size_t>(node.rule)][static_cast<std::size_t>(node.alternative)];
}

std::int32_t GrammarMatcher::intern(const Node& node) {
  const auto [it, is_new] = node_ids_.try_emplace(node, static_cast<std::int32_t>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return it->second;
}

GrammarMatcher::State GrammarMatcher::intern_state(std::vector<std::int32_t> nodes, bool accepting) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty() && !accepting) return kDead;
  const auto [it, is_new] = state_ids_.try_emplace({nodes, accepting}, static_cast<State>(states_.size()));
  if (is_new) {
    StateInfo info;
    for (const std::int32_t id : nodes) {
      const Node& node = nodes_[static_cast<std::size_t>(id)];
      const GrammarSymbol& top = sequence(node)[static_cast<std::size_t>(node.position)];
      info.allowed |= grammar_->byte_sets[static_cast<std::size_t>(top.index)];
    }
    info.nodes = std::move(nodes);
    info.accepting = accepting;
    states_.push_back(std::move(info));
  }
  return it->second;
}

void GrammarMatcher::expand_rule(RuleId rule, std::int32_t parent, std::vector<std::int32_t>& nodes, std::vector<Node>& visited,
                                 bool& accepting) {
  const auto count = static_cast<std::int32_t>(grammar_->rules[static_cast<std::size_t>(rule)].size());
  for (std::int32_t i = 0; i < count; ++i) expand({rule, i, 0, parent}, nodes, visited, accepting);
}

void GrammarMatcher::expand(Node node, std::vector<std::int32_t>& nodes, std::vector<Node>& visited, bool& accepting) {
  // A finished alternative gives way to what lies below it.
  while (static_cast<std::size_t>(node.position) == sequence(node).size()) {
    if (node.parent == kEmptyStack) {
      accepting = true;
      return;
    }
    node = nodes_[static_cast<std::size_t>(node.parent)];
  }
  if (std::find(visited.begin(), visited.end(), node) != visited.end()) return;
  visited.push_back(node);
  const GrammarSymbol symbol = sequence(node)[static_cast<std::size_t>(node.position)];
  if (symbol.kind == GrammarSymbol::Kind::kBytes) {
    nodes.push_back(intern(node));
    return;
  }
  // What follows the rule stays on the stack; a rule in last place needs nothing of it, which keeps stacks short.
  Node rest = node;
  ++rest.position;
  while (static_cast<std::size_t>(rest.position) == sequence(rest).size() && rest.parent != kEmptyStack) {
    rest = nodes_[static_cast<std::size_t>(rest.parent)];
  }
  const bool nothing_left = static_cast<std::size_t>(rest.position) == sequence(rest).size();
  expand_rule(symbol.index, nothing_left ? kEmptyStack : intern(rest), nodes, visited, accepting);
}

const std::pair<std::vector<std::int32_t>, bool>& GrammarMatcher::after_top(std::int32_t id) {
  const auto found = after_top_.find(id);
  if (found != after_top_.end()) return found->second;
  Node node = nodes_[static_cast<std::size_t>(id)];
  ++node.position;
  std::pair<std::vector<std::int32_t>, bool> result{{}, false};
  std::vector<Node> visited;
  expand(node, result.first, visited, result.second);
  return after_top_.emplace(id, std::move(result)).first->second;
}

GrammarMatcher::State GrammarMatcher::next(State state, std::uint8_t byte) {
  if (state == kDead) return kDead;
  {
    const StateInfo& info = states_[static_cast<std::size_t>(state)];
    if (!info.allowed.test(byte)) return kDead;
    const auto known = info.next.find(byte);
    if (known != info.next.end()) return known->second;
  }
  std::vector<std::int32_t> reached;
  bool accepting = false;
  // By index: states_ does not change below, but nodes_ does.
  for (const std::int32_t id : states_[static_cast<std::size_t>(state)].nodes) {
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    const GrammarSymbol& top = sequence(node)[static_cast<std::size_t>(node.position)];
    if (!grammar_->byte_sets[static_cast<std::size_t>(top.index)].test(byte)) continue;
    const auto& after = after_top(id);
    reached.insert(reached.end(), after.first.begin(), after.first.end());
    accepting = accepting || after.second;
  }
  const State result = intern_state(std::move(reached), accepting);
  states_[static_cast<std::size_t>(state)].next.emplace(byte, result);
  return result;
}

GrammarMatcher::State GrammarMatcher::next(State state, std::string_view bytes) {
  for (const char c : bytes) state = next(state, static_cast<std::uint8_t>(c));
  return state;
}

}  // namespace tandem::engine
