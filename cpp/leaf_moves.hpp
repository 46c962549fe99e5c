// Birth and death: a leaf is split, or two leaves become one. Only one node changes, so the tree
// stays as it is until the proposal is accepted.
#pragma once

#include <cstddef>
#include <vector>

#include "halves.hpp"
#include "moves.hpp"
#include "state.hpp"

namespace sweeptree {

class LeafMoves {
 public:
  explicit LeafMoves(State& state)
      : state_(state), tree_(state.tree), halves_(state.data) {}

  void draw_birth(Random& random, Proposal& proposal) {
    if (!state_.may_grow()) return;
    proposal.node = draw_member(random, tree_.leaves);
    proposal.rule = draw_rule(random, state_.data, state_.target.rule_prior);
  }

  Evaluation evaluate_birth(const Proposal& proposal) {
    const Target& target = state_.target;
    const Node& leaf = tree_[proposal.node];
    const Rule& rule = proposal.rule;
    if (!state_.data.is_inside(rule.variable, rule.cut)) return {};
    if (!halves_.look(state_, proposal.node, rule)) return {};
    const double change = halves_.log_likelihood() - leaf.log_likelihood;
    const int k = tree_.n_leaves();
    const double log_shape = target.shape.log_birth(k, state_.depth_if_needed(proposal.node)) +
                             log_range_of_birth(proposal);
    const double log_ratio = birth_log_ratio(k, tree_.n_prunable_after_birth(proposal.node),
                                             state_.strategy.p_move, log_shape);
    return {true, log_ratio, change, 1};
  }

  void commit_birth(const Proposal& proposal) {
    const int node = proposal.node;
    const int left = tree_.new_node();
    const int right = tree_.new_node();
    tree_.link_below(node, left, right);
    tree_[node].rule = proposal.rule;
    tree_.leaves.remove(node);
    tree_.leaves.add(left);
    tree_.leaves.add(right);
    tree_.splits.add(node);
    tree_.update_prunable(tree_[node].parent);
    tree_.update_prunable(node);
    state_.data.split(tree_[node].mask, proposal.rule.variable, proposal.rule.cut,
                      tree_[left].mask, tree_[right].mask, halves_.left.counts.data());
    set_likelihood(node, halves_.log_likelihood());
    set_leaf(left, halves_.left, left_log_stop_);
    set_leaf(right, halves_.right, right_log_stop_);
  }

  void draw_death(Random& random, Proposal& proposal) {
    proposal.node = draw_member(random, tree_.prunable);
  }

  Evaluation evaluate_death(const Proposal& proposal) {
    const Target& target = state_.target;
    const Node& node = tree_[proposal.node];
    merged_log_leaf_ = state_.likelihood->log_leaf(tree_.counts(proposal.node), node.n_rows);
    merged_log_stop_ = target.log_stop(node.mask);
    const Node& left = tree_[node.left];
    const Node& right = tree_[node.right];
    const double change = merged_log_leaf_ - left.log_likelihood - right.log_likelihood;
    const int k = tree_.n_leaves();
    const double log_shape =
        -target.shape.log_birth(k - 1, state_.depth_if_needed(proposal.node)) + merged_log_stop_ -
        left.log_stop - right.log_stop - target.range.log_split();
    const double log_ratio =
        death_log_ratio(k, tree_.prunable.size(), state_.strategy.p_move, log_shape);
    return {true, log_ratio, change, -1};
  }

  void commit_death(const Proposal& proposal) {
    const int node = proposal.node;
    const int left = tree_[node].left;
    const int right = tree_[node].right;
    tree_.leaves.remove(left);
    tree_.leaves.remove(right);
    tree_.leaves.add(node);
    tree_.splits.remove(node);
    tree_.prunable.remove(node);
    tree_.free_node(left);
    tree_.free_node(right);
    tree_[node].left = tree_[node].right = none;
    tree_.update_prunable(tree_[node].parent);
    set_likelihood(node, merged_log_leaf_);
    tree_[node].log_stop = merged_log_stop_;
  }

 private:
  void set_likelihood(int node, double log_likelihood) {
    tree_.add_above(node, log_likelihood - tree_[node].log_likelihood);
    tree_[node].log_likelihood = log_likelihood;
  }

  void set_leaf(int leaf, const Half& half, double log_stop) {
    state_.set_leaf(leaf, half.counts.data(), half.n_rows, half.log_leaf, log_stop);
  }

  // Under the range prior the chances of the new leaves to stop depend on their rows.
  double log_range_of_birth(const Proposal& proposal) {
    const Target& target = state_.target;
    if (!target.range.is_used()) return 0.0;
    const std::size_t n_words = state_.data.n_words();
    range_masks_.resize(2 * n_words);
    Word* left = range_masks_.data();
    Word* right = left + n_words;
    state_.data.split(tree_[proposal.node].mask, proposal.rule.variable, proposal.rule.cut, left,
                      right, halves_.left.counts.data());
    left_log_stop_ = target.log_stop(left);
    right_log_stop_ = target.log_stop(right);
    return target.range.log_split() + left_log_stop_ + right_log_stop_ -
           tree_[proposal.node].log_stop;
  }

  State& state_;
  Tree& tree_;

  // The proposal under evaluation: of a birth,
  Halves halves_;
  std::vector<Word> range_masks_;
  double left_log_stop_ = 0.0;
  double right_log_stop_ = 0.0;
  // of a death.
  double merged_log_leaf_ = 0.0;
  double merged_log_stop_ = 0.0;
};

}  // namespace sweeptree
