// A tree that walks: propose, evaluate, accept or not.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "branch_moves.hpp"
#include "leaf_moves.hpp"
#include "moves.hpp"
#include "record.hpp"
#include "rule_moves.hpp"
#include "snapshot.hpp"
#include "state.hpp"

namespace sweeptree {

using MoveCounts = std::array<std::array<std::int64_t, n_outcomes>, n_moves>;

class Walker {
 public:
  Walker(const Target& target, const Strategy& strategy)
      : state_(target, strategy),
        leaf_moves_(state_),
        rule_moves_(state_),
        branch_moves_(state_),
        ends_early_(!strategy.redraws && !strategy.sweeps && !target.range.is_used()) {}
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  // One iteration of the sampler; returns whether the tree has changed.
  bool step(Random& random, const Heat& heat, bool is_burn_in, MoveCounts& counts) {
    bool has_changed = false;
    const Hurdle hurdle(1.0 - random.uniform(), heat);  // never zero
    for (int n_redraws = 0;; ++n_redraws) {
      const Proposal proposal = draw_proposal(random);
      const Evaluation evaluation = evaluate(proposal, ends_early_ ? hurdle : Hurdle{});
      if (!evaluation.is_available && state_.strategy.redraws && n_redraws < max_redraws) {
        ++counts[proposal.move][redrawn];
        drop(proposal);
        continue;
      }
      const Outcome outcome = decide(hurdle, heat, proposal, evaluation);
      ++counts[proposal.move][outcome];
      has_changed = outcome != rejected;
      if (proposal.drawn == RuleDraw::gaussian && is_burn_in && state_.strategy.tunes)
        rule_moves_.scale.tune(proposal.rule.variable, has_changed);
      break;
    }
    ++state_.n_moves_made;
    if (state_.learns_alpha() && state_.n_moves_made % moves_between_alphas == 0)
      draw_alpha(random, heat.share);
    return has_changed;
  }

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
      default: branch_moves_.draw_rotation(random, proposal); break;
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

  // Takes the tree and the alpha of another, and its count of moves.
  void follow(const Walker& other) {
    FlatTrees model;
    model.append(other.tree(), state_.data);
    plant(model);
    state_.use_alpha(other.state_.alpha);
    state_.n_moves_made = other.state_.n_moves_made;
  }

  WalkerSnapshot snapshot() const { return take_snapshot(state_, rule_moves_.scale); }
  void restore(const WalkerSnapshot& snapshot) {
    restore_snapshot(state_, rule_moves_.scale, snapshot);
  }

  bool may_regraft(int moved, int other) const { return branch_moves_.may_regraft(moved, other); }

  const State& state() const { return state_; }
  const Tree& tree() const { return state_.tree; }
  double log_likelihood() const { return state_.log_likelihood; }
  void forget_rounding() { state_.forget_rounding(); }
  const RuleScale& rule_scale() const { return rule_moves_.scale; }

 private:
  Outcome decide(const Hurdle& hurdle, const Heat& heat, const Proposal& proposal,
                 const Evaluation& evaluation) {
    if (!evaluation.is_available || !hurdle.lets_pass(heated_log_ratio(heat, evaluation))) {
      drop(proposal);
      return rejected;
    }
    commit(proposal, evaluation);
    return evaluation.is_swept ? swept : accepted;
  }

  // While annealing large trees are held back: under a flat prior there are Catalan(k - 1) of
  // them, and half a likelihood does not outweigh that.
  double heated_log_ratio(const Heat& heat, const Evaluation& evaluation) const {
    const double log_ratio = evaluation.log_ratio + heat.share * evaluation.log_likelihood_change;
    if (heat.hold_back == 0.0) return log_ratio;
    const int k = tree().n_leaves();
    const int k_new = k + evaluation.n_leaves_change;
    const std::vector<double>& log_catalan = state_.target.log_catalan;
    const double penalty = log_catalan[k_new - 1] - log_catalan[k - 1] + (k_new - k);
    return log_ratio - heat.hold_back * penalty;
  }

  // Given the tree; all values are equally likely a priori.
  void draw_alpha(Random& random, double share) {
    alpha_weights_.resize(state_.target.likelihoods.size());
    for (std::size_t i = 0; i < alpha_weights_.size(); ++i)
      alpha_weights_[i] = share * state_.log_likelihood_with_alpha(static_cast<int>(i));
    state_.use_alpha(draw_by_log_weight(random, alpha_weights_));
  }

  State state_;
  LeafMoves leaf_moves_;
  RuleMoves rule_moves_;
  BranchMoves branch_moves_;
  // Redraws and sweeps depend on how many leaves are starved, the range prior on all leaves.
  const bool ends_early_;
  std::vector<double> alpha_weights_;
};

}  // namespace sweeptree
