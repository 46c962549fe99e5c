// A tree and the moves that it can make: drawn, evaluated, then committed or dropped.
#pragma once

#include <cstddef>
#include <vector>

#include "branch_moves.hpp"
#include "leaf_moves.hpp"
#include "moves.hpp"
#include "record.hpp"
#include "rule_moves.hpp"
#include "state.hpp"

namespace sweeptree {

class MovingTree {
 public:
  MovingTree(const Target& target, const Strategy& strategy, const Data& rows, int fewest)
      : state_(target, strategy, rows, fewest),
        leaf_moves_(state_),
        rule_moves_(state_),
        branch_moves_(state_) {}
  MovingTree(const MovingTree&) = delete;
  MovingTree& operator=(const MovingTree&) = delete;

  Proposal draw_proposal(Random& random) {
    Proposal proposal{draw_move(random, state_.strategy.p_move)};
    switch (proposal.move) {
      case birth: leaf_moves_.draw_birth(random, proposal); break;
      case death: leaf_moves_.draw_death(random, proposal); break;
      case change_split: rule_moves_.draw_change_split(random, proposal); break;
      case change_rule: rule_moves_.draw_change_rule(random, proposal); break;
      case graft: branch_moves_.draw_graft(random, proposal); break;
      case splice: branch_moves_.draw_splice(random, proposal); break;
      case swap_rules: rule_moves_.draw_swap(random, proposal); break;
      case regraft: branch_moves_.draw_regraft(random, proposal); break;
      case rotate: branch_moves_.draw_rotation(random, proposal); break;
      default: branch_moves_.draw_transposition(random, proposal); break;
    }
    return proposal;
  }

  // Deterministic: what the proposal leads to. Its links and rules stay in the tree until it is
  // committed or dropped; a birth or a death leaves the tree as it is.
  Evaluation evaluate(const Proposal& proposal, const Hurdle& hurdle = {}) {
    if (proposal.node == none) return {};
    switch (proposal.move) {
      case birth: return leaf_moves_.evaluate_birth(proposal);
      case death: return leaf_moves_.evaluate_death(proposal);
      case graft: return branch_moves_.evaluate_graft(proposal, hurdle);
      case splice: return branch_moves_.evaluate_splice(proposal, hurdle);
      case swap_rules: return rule_moves_.evaluate_swap(proposal, hurdle);
      case regraft: return branch_moves_.evaluate_regraft(proposal, hurdle);
      case rotate: return branch_moves_.evaluate_rotation(proposal, hurdle);
      case transpose: return branch_moves_.evaluate_transposition(proposal, hurdle);
      default: return rule_moves_.evaluate_change(proposal, hurdle);
    }
  }

  void commit(const Proposal& proposal, const Evaluation& evaluation) {
    state_.log_likelihood += evaluation.log_likelihood_change;
    switch (proposal.move) {
      case birth: leaf_moves_.commit_birth(proposal); break;
      case death: leaf_moves_.commit_death(proposal); break;
      case graft: branch_moves_.commit_graft(); break;
      case splice: branch_moves_.commit_splice(); break;
      case swap_rules: rule_moves_.commit_swap(); break;
      case regraft:
      case rotate: branch_moves_.commit_transfer(); break;
      case transpose: branch_moves_.commit_transposition(proposal); break;
      default: rule_moves_.commit_change(); break;
    }
  }

  void drop(const Proposal& proposal) {
    if (proposal.node == none) return;
    switch (proposal.move) {
      case birth:
      case death: return;
      case graft: branch_moves_.drop_graft(); break;
      case splice: branch_moves_.drop_splice(); break;
      case swap_rules: rule_moves_.drop_swap(proposal); break;
      case regraft:
      case rotate: branch_moves_.drop_transfer(); break;
      case transpose: branch_moves_.drop_transposition(proposal); break;
      default: rule_moves_.drop_change(proposal); break;
    }
    state_.refill.drop();
  }

  // Replaces the tree by the one that the model holds.
  // Returns false, and leaves a single terminal node, if some leaf would be starved.
  bool plant(const FlatTrees& model) {
    state_.plant_root();
    std::vector<int> waiting{tree().root()};
    for (std::size_t i = 0; i < model.variable.size(); ++i) {
      const int node = waiting.back();
      waiting.pop_back();
      if (model.variable[i] == none) continue;
      Proposal proposal{birth, node};
      proposal.rule = model.rule_of(i, state_.data);
      const Evaluation evaluation = evaluate(proposal);
      if (!evaluation.is_available) {
        state_.plant_root();
        return false;
      }
      commit(proposal, evaluation);
      waiting.push_back(tree()[node].right);
      waiting.push_back(tree()[node].left);
    }
    return true;
  }

  State& state() { return state_; }
  const State& state() const { return state_; }
  const Tree& tree() const { return state_.tree; }
  RuleChoice& rule_choice() { return rule_moves_.choice; }
  RuleScale& rule_scale() { return rule_moves_.scale; }
  const RuleScale& rule_scale() const { return rule_moves_.scale; }
  bool may_regraft(int moved, int other) const { return branch_moves_.may_regraft(moved, other); }

 private:
  State state_;
  LeafMoves leaf_moves_;
  RuleMoves rule_moves_;
  BranchMoves branch_moves_;
};

}  // namespace sweeptree
