// Graft, splice, regraft, rotate and transpose: a split comes, goes or moves in the tree, together
// with what is on one side of it. The new links are in the tree while they are looked at.
#pragma once

#include <array>
#include <cmath>

#include "moves.hpp"
#include "state.hpp"

namespace sweeptree {

class BranchMoves {
 public:
  explicit BranchMoves(State& state) : state_(state), tree_(state.tree), refill_(state.refill) {}

  // ---- graft ---------------------------------------------------------------------------------

  // Any node; a side for the new leaf; a rule.
  void draw_graft(Random& random, Proposal& proposal) {
    if (!state_.may_grow()) return;
    proposal.node = draw_node(random, tree_);
    proposal.is_left = random.uniform() < 0.5;
    proposal.rule = draw_rule(random, state_.data, state_.target.rule_prior);
  }

  // A new split above a node, with a new leaf on one side and the node's subtree on the other.
  Evaluation evaluate_graft(const Proposal& proposal, const Hurdle& hurdle) {
    const ShapePrior& shape = state_.target.shape;
    const int k = tree_.n_leaves();
    const int depth = state_.depth_if_needed(proposal.node);
    const double log_shape_before = state_.log_shape_if_needed(proposal.node, depth);
    grafted_ = tree_.new_node();
    grafted_leaf_ = tree_.new_node();
    tree_[grafted_].rule = proposal.rule;
    tree_.link_above(proposal.node, grafted_, grafted_leaf_, proposal.is_left);
    const double log_shape = shape.depends_on_depth()
                                 ? state_.log_shape_of(grafted_, depth) - log_shape_before
                                 : shape.log_size(k + 1) - shape.log_size(k);
    const double log_ratio = graft_log_ratio(k, state_.strategy.p_move, log_shape);
    refill_.begin(0, Changes{.node = proposal.node}, hurdle.least_change(log_ratio));
    refill_.run(grafted_, proposal.node);
    if (refill_.is_hopeless()) return {};
    return {true, log_ratio + state_.log_range_change(1), state_.likelihood_change(), 1};
  }

  void commit_graft() {
    refill_.settle();
    tree_.leaves.add(grafted_leaf_);
    tree_.splits.add(grafted_);
    tree_.update_prunable(tree_[grafted_].parent);
    tree_.update_prunable(grafted_);
  }

  void drop_graft() {
    tree_.unlink(grafted_leaf_);
    tree_.free_node(grafted_leaf_);
    tree_.free_node(grafted_);
  }

  // ---- splice --------------------------------------------------------------------------------

  void draw_splice(Random& random, Proposal& proposal) {
    if (tree_.n_leaves() > 1) proposal.node = draw_member(random, tree_.leaves);
  }

  // A leaf goes together with its parent; the sibling subtree gets all their rows.
  Evaluation evaluate_splice(const Proposal& proposal, const Hurdle& hurdle) {
    const int k = tree_.n_leaves();
    const double log_shape = state_.log_shape_of_removal(proposal.node);
    const double log_ratio = splice_log_ratio(k, state_.strategy.p_move, log_shape);
    removal_ = tree_.unlink(proposal.node);
    refill_.begin(0, Changes{}, hurdle.least_change(log_ratio));
    refill_.run(removal_.promoted, removal_.split);
    if (refill_.is_hopeless()) return {};
    refill_.before.log_likelihood += tree_[proposal.node].log_likelihood;
    refill_.before.log_stop += tree_[proposal.node].log_stop;
    return {true, log_ratio + state_.log_range_change(-1), state_.likelihood_change(), -1};
  }

  void commit_splice() {
    refill_.settle();
    tree_.discard(removal_);
  }

  void drop_splice() { tree_.relink(removal_); }

  // ---- regraft -------------------------------------------------------------------------------

  // A subtree to move, a node to put it above, and a side. Impossible where the node is in the
  // subtree, or is the split that moves along.
  void draw_regraft(Random& random, Proposal& proposal) {
    const int moved = draw_node(random, tree_);
    proposal.other = draw_node(random, tree_);
    proposal.is_left = random.uniform() < 0.5;
    if (may_regraft(moved, proposal.other)) proposal.node = moved;
  }

  bool may_regraft(int moved, int other) const {
    return moved != tree_.root() && other != tree_[moved].parent &&
           !tree_.is_at_or_above(moved, other);
  }

  Evaluation evaluate_regraft(const Proposal& proposal, const Hurdle& hurdle) {
    const int split = tree_[proposal.node].parent;
    const int place = tree_.common_ancestor(split, proposal.other);
    return evaluate_transfer(proposal.node, proposal.other, proposal.is_left, place,
                             Changes{.node = split, .other = tree_[split].parent}, hurdle);
  }

  // ---- rotate --------------------------------------------------------------------------------

  // A splitting node that takes its parent's place, and the side of its child that goes over.
  void draw_rotation(Random& random, Proposal& proposal) {
    proposal.node = draw_lower_split(random, tree_);
    if (proposal.node != none) proposal.is_left = random.uniform() < 0.5;
  }

  // The parent goes down, with what is on its other side, to the place above the child that goes
  // over: the shortest way for a regraft. Whatever is below these three is as it was.
  Evaluation evaluate_rotation(const Proposal& proposal, const Hurdle& hurdle) {
    const Node& riser = tree_[proposal.node];
    const bool is_right_of_parent = tree_[riser.parent].right == proposal.node;
    return evaluate_transfer(tree_.sibling(proposal.node),
                             proposal.is_left ? riser.left : riser.right, is_right_of_parent,
                             riser.parent, Changes{.node = riser.parent}, hurdle);
  }

  // A regraft and a rotation alike.
  void commit_transfer() {
    refill_.settle();
    tree_.update_prunable(left_behind_);
    tree_.update_prunable(removal_.split);
    tree_.update_prunable(tree_[removal_.split].parent);
  }

  void drop_transfer() {
    tree_.unlink(removal_.node);
    tree_.relink(removal_);
  }

  // ---- transpose -----------------------------------------------------------------------------

  // A split above two that ask about the same variable, which of these rises, which of them gets
  // the upper rule as it is, and what the other one gets.
  void draw_transposition(Random& random, Proposal& proposal) {
    const int split = draw_split_above_twins(random, tree_);
    if (split == none) return;
    proposal.node = split;
    proposal.is_left = random.uniform() < 0.5;
    proposal.other = random.uniform() < 0.5 ? tree_[split].left : tree_[split].right;
    proposal.rule = draw_twin_rule(random, state_.data, tree_[split].rule);
  }

  // The upper split and the two below it change places; so do two of the four subtrees.
  Evaluation evaluate_transposition(const Proposal& proposal, const Hurdle& hurdle) {
    const int left = tree_[proposal.node].left;
    const int right = tree_[proposal.node].right;
    old_rules_ = {tree_[proposal.node].rule, tree_[left].rule, tree_[right].rule};
    const auto& [upper, of_left, of_right] = old_rules_;
    const Rule& rising = proposal.is_left ? of_left : of_right;
    const Rule& lost = proposal.is_left ? of_right : of_left;
    const double n_before = tree_.n_splits_above_twins();
    tree_[proposal.node].rule = rising;
    tree_[left].rule = tree_[right].rule = proposal.rule;
    tree_[proposal.other].rule = upper;
    tree_.cross(proposal.node);
    if (!state_.data.is_inside(proposal.rule.variable, proposal.rule.cut)) return {};
    const double log_ratio = std::log(n_before / tree_.n_splits_above_twins()) +
                             log_ratio_of_twins(rising, lost) -
                             log_ratio_of_twins(upper, proposal.rule);
    refill_.begin(0, Changes{.node = left, .other = right}, hurdle.least_change(log_ratio));
    refill_.run(proposal.node, proposal.node);
    if (refill_.is_hopeless()) return {};
    return {true, log_ratio + state_.log_range_change(0), state_.likelihood_change(), 0};
  }

  void commit_transposition(const Proposal& proposal) {
    refill_.settle();
    tree_.update_prunable(tree_[proposal.node].left);
    tree_.update_prunable(tree_[proposal.node].right);
  }

  void drop_transposition(const Proposal& proposal) {
    tree_.cross(proposal.node);
    tree_[proposal.node].rule = old_rules_[0];
    tree_[tree_[proposal.node].left].rule = old_rules_[1];
    tree_[tree_[proposal.node].right].rule = old_rules_[2];
  }

 private:
  // The log chance that a second rule is drawn beside a rule, over that which the prior gives it.
  double log_ratio_of_twins(const Rule& rule, const Rule& second) const {
    const int n_cuts = state_.data.n_cuts(rule.variable);
    return std::log(p_twin_cut(n_cuts, rule.cut, second.cut)) - state_.log_prior_of(second);
  }

  // A subtree moves, together with the split above it, to the place above another node. Nothing
  // changes outside of `place`, the lowest node above both.
  Evaluation evaluate_transfer(int moved, int other, bool is_left, int place,
                               const Changes& changes, const Hurdle& hurdle) {
    const int split = tree_[moved].parent;
    const int above = tree_[place].parent;
    const bool is_left_of_above = above != none && tree_[above].left == place;
    const int depth = state_.depth_if_needed(place);
    const double log_shape_before = state_.log_shape_if_needed(place, depth);
    left_behind_ = tree_[split].parent;
    removal_ = tree_.unlink(moved);
    tree_.link_above(other, split, moved, is_left);
    const int top = above == none      ? tree_.root()
                    : is_left_of_above ? tree_[above].left
                                       : tree_[above].right;
    const double log_shape = state_.log_shape_if_needed(top, depth) - log_shape_before;
    refill_.begin(0, changes, hurdle.least_change(log_shape));
    refill_.run(top, place);
    if (refill_.is_hopeless()) return {};
    return {true, log_shape + state_.log_range_change(0), state_.likelihood_change(), 0};
  }

  State& state_;
  Tree& tree_;
  Refill& refill_;

  // The proposal under evaluation: of a graft,
  int grafted_ = none;
  int grafted_leaf_ = none;
  // of a splice or a transfer,
  Removal removal_;
  // of a transfer,
  int left_behind_ = none;
  // of a transposition.
  std::array<Rule, 3> old_rules_;
};

}  // namespace sweeptree
