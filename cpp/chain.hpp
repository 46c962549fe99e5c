// One Markov chain over trees: propose, evaluate, accept or not, record.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "moves.hpp"
#include "record.hpp"
#include "refill.hpp"
#include "strategies.hpp"
#include "target.hpp"

namespace sweeptree {

enum Phase { burn_in, sampling, n_phases };

// What a proposal leads to. `log_ratio` is its proposal-and-prior part.
struct Evaluation {
  bool is_available = false;
  double log_ratio = 0.0;
  double log_likelihood_change = 0.0;
  int n_leaves_change = 0;
  bool is_swept = false;
};

class Chain {
 public:
  Chain(const Target& target, const Strategy& strategy, Random random)
      : target_(target),
        data_(*target.data),
        strategy_(strategy),
        random_(random),
        rule_scale_(strategy),
        tree_(data_.n_classes(), data_.n_words()),
        refill_(target_, tree_),
        log_catalan_(log_catalan_numbers(target.max_leaves)),
        left_counts_(data_.n_classes()),
        right_counts_(data_.n_classes()) {
    plant();
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Makes moves until `n` are made or `seconds` have passed; returns how many were made.
  // In the sampling phase every `thin`-th move is recorded.
  std::int64_t run(std::int64_t n, Phase phase, std::int64_t thin, double seconds,
                   FullTrace* trace) {
    constexpr std::int64_t moves_between_looks_at_the_clock = 32;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    phase_ = phase;
    for (std::int64_t i = 1; i <= n; ++i) {
      step();
      if (phase == sampling && ++n_since_draw_ >= thin) record_draw();
      if (trace != nullptr) record_move(*trace);
      if (i % moves_between_looks_at_the_clock == 0 && std::chrono::steady_clock::now() >= end)
        return i;
    }
    return n;
  }

  // One iteration of the sampler.
  void step() {
    for (int n_redraws = 0;; ++n_redraws) {
      const Proposal proposal = draw_proposal();
      const Evaluation evaluation = evaluate(proposal);
      if (!evaluation.is_available && strategy_.redraws && n_redraws < max_redraws) {
        count(proposal.move, redrawn);
        drop(proposal);
        continue;
      }
      decide(proposal, evaluation);
      break;
    }
    ++n_moves_made_;
  }

  Proposal draw_proposal() {
    Proposal proposal{draw_move(random_, strategy_.p_move)};
    switch (proposal.move) {
      case birth: draw_birth(proposal); break;
      case death: proposal.node = draw_member(tree_.prunable); break;
      case change_split: draw_change_split(proposal); break;
      case change_rule: draw_change_rule(proposal); break;
      case graft: draw_graft(proposal); break;
      case splice: draw_splice(proposal); break;
      case swap_rules: draw_swap(proposal); break;
      default: draw_regraft(proposal); break;
    }
    return proposal;
  }

  // Deterministic: what the proposal leads to. Its links and rules stay in the tree until it is
  // committed or dropped; a birth or a death leaves the tree as it is.
  Evaluation evaluate(const Proposal& proposal) {
    if (proposal.node == none) return {};
    switch (proposal.move) {
      case birth: return evaluate_birth(proposal);
      case death: return evaluate_death(proposal);
      case graft: return evaluate_graft(proposal);
      case splice: return evaluate_splice(proposal);
      case swap_rules: return evaluate_swap(proposal);
      case regraft: return evaluate_regraft(proposal);
      default: return evaluate_change(proposal);
    }
  }

  void commit(const Proposal& proposal, const Evaluation& evaluation) {
    log_likelihood_ += evaluation.log_likelihood_change;
    has_changed_ = true;
    switch (proposal.move) {
      case birth: commit_birth(proposal); break;
      case death: commit_death(proposal); break;
      case graft: commit_graft(); break;
      case splice: commit_removal(); break;
      case swap_rules: refill_.settle(); break;
      case regraft: commit_regraft(); break;
      default: commit_change(evaluation); break;
    }
  }

  void drop(const Proposal& proposal) {
    if (proposal.node == none) return;
    switch (proposal.move) {
      case birth:
      case death: return;
      case graft: drop_graft(); break;
      case splice: relink_removed(); break;
      case swap_rules: drop_swap(proposal); break;
      case regraft: drop_regraft(); break;
      default: drop_change(proposal); break;
    }
    refill_.drop();
  }

  // Replaces the tree; `nodes` come in preorder, the variable of a terminal node is `none`.
  // Returns false, and leaves a single terminal node, if some leaf would be starved.
  bool plant(std::span<const std::int32_t> variable, std::span<const double> threshold) {
    plant();
    std::vector<int> waiting{tree_.root()};
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const int node = waiting.back();
      waiting.pop_back();
      if (variable[i] == none) continue;
      Proposal proposal{birth, node};
      proposal.rule = {variable[i], data_.cut_of(variable[i], threshold[i]), threshold[i]};
      const Evaluation evaluation = evaluate_birth(proposal);
      if (!evaluation.is_available) {
        plant();
        return false;
      }
      commit(proposal, evaluation);
      waiting.push_back(tree_[node].right);
      waiting.push_back(tree_[node].left);
    }
    return true;
  }

  double log_likelihood() const { return log_likelihood_; }

  double log_prior() const {
    double sum = target_.shape.depends_on_depth() ? log_shape_of(tree_.root(), 0)
                                                  : target_.shape.log_size(tree_.n_leaves());
    for (int i = 0; i < tree_.n_leaves(); ++i) sum += tree_[tree_.leaves[i]].log_stop;
    for (int i = 0; i < tree_.splits.size(); ++i) {
      const Rule& rule = tree_[tree_.splits[i]].rule;
      sum += target_.range.log_split() +
             log_rule_prior(target_.rule_prior, data_, rule.variable, rule.cut);
    }
    return sum;
  }

  bool may_regraft(int moved, int other) const {
    return moved != tree_.root() && other != moved && other != tree_[moved].parent &&
           !tree_.is_above(moved, other);
  }

  const Tree& tree() const { return tree_; }
  const Draws& draws() const { return draws_; }
  void halve_draws() { draws_.halve(data_.n_classes()); }
  const RuleScale& rule_scale() const { return rule_scale_; }
  using Counts = std::array<std::array<std::array<std::int64_t, n_outcomes>, n_moves>, n_phases>;
  const Counts& counts() const { return counts_; }

 private:
  // ---- drawing -----------------------------------------------------------------------------

  int draw_member(const NodeSet& set) {
    return set.size() == 0 ? none : set[random_.below(set.size())];
  }

  bool may_grow() const {
    const bool is_restricted = n_moves_made_ < strategy_.restrict_moves;
    const int most = is_restricted ? std::min(strategy_.restrict_leaves, target_.max_leaves)
                                   : target_.max_leaves;
    return tree_.n_leaves() < most && data_.n_variables() > 0;
  }

  void draw_birth(Proposal& proposal) {
    if (!may_grow()) return;
    proposal.node = draw_member(tree_.leaves);
    proposal.rule = draw_rule(random_, data_, target_.rule_prior);
  }

  void draw_change_split(Proposal& proposal) {
    if (strategy_.changes_variable && data_.n_variables() < 2) return;
    proposal.node = draw_member(tree_.splits);
    if (proposal.node == none) return;
    const int variable = tree_[proposal.node].rule.variable;
    proposal.rule = strategy_.changes_variable
                        ? draw_other_rule(random_, data_, target_.rule_prior, variable)
                        : draw_rule(random_, data_, target_.rule_prior);
  }

  void draw_change_rule(Proposal& proposal) {
    proposal.node = draw_member(tree_.splits);
    if (proposal.node == none) return;
    const Rule& rule = tree_[proposal.node].rule;
    proposal.drawn = strategy_.rule_draw;
    if (proposal.drawn == RuleDraw::ranks && random_.uniform() < p_anywhere)
      proposal.drawn = RuleDraw::prior;
    switch (proposal.drawn) {
      case RuleDraw::prior:
        proposal.rule = draw_rule_of(random_, data_, target_.rule_prior, rule.variable);
        break;
      case RuleDraw::gaussian:
        proposal.rule = draw_gaussian_step(random_, data_, rule, rule_scale_[rule.variable]);
        break;
      case RuleDraw::ranks: proposal.rule = draw_rank_step(random_, data_, rule); break;
    }
  }

  // One of all 2k - 1.
  int draw_node() {
    const int n_leaves = tree_.n_leaves();
    const int place = random_.below(2 * n_leaves - 1);
    return place < n_leaves ? tree_.leaves[place] : tree_.splits[place - n_leaves];
  }

  // Any node; a side for the new leaf; a rule.
  void draw_graft(Proposal& proposal) {
    if (!may_grow()) return;
    proposal.node = draw_node();
    proposal.is_left = random_.uniform() < 0.5;
    proposal.rule = draw_rule(random_, data_, target_.rule_prior);
  }

  void draw_splice(Proposal& proposal) {
    if (tree_.n_leaves() > 1) proposal.node = draw_member(tree_.leaves);
  }

  // A splitting node below another one; if its sibling has the same cut, a threshold for it too.
  void draw_swap(Proposal& proposal) {
    const int n = tree_.splits.size() - 1;
    if (n < 1) return;
    const int place = random_.below(n);
    const int place_of_root = tree_.splits.place_of(tree_.root());
    proposal.node = tree_.splits[place < place_of_root ? place : place + 1];
    if (!shares_cut_with_sibling(proposal.node)) return;
    proposal.rule = tree_[tree_[proposal.node].parent].rule;
    proposal.rule.threshold =
        data_.threshold_in_gap(proposal.rule.variable, proposal.rule.cut, random_.uniform());
  }

  // A subtree to move, a node to put it above, and a side. Impossible where the node is in the
  // subtree, or is the split that moves along.
  void draw_regraft(Proposal& proposal) {
    const int moved = draw_node();
    proposal.other = draw_node();
    proposal.is_left = random_.uniform() < 0.5;
    if (may_regraft(moved, proposal.other)) proposal.node = moved;
  }

  // ---- deciding ----------------------------------------------------------------------------

  void decide(const Proposal& proposal, const Evaluation& evaluation) {
    const bool is_accepted = evaluation.is_available && draw_acceptance(evaluation);
    if (is_accepted) commit(proposal, evaluation);
    else drop(proposal);
    const Outcome if_accepted = evaluation.is_swept ? swept : accepted;
    count(proposal.move, is_accepted ? if_accepted : rejected);
    if (proposal.drawn == RuleDraw::gaussian && phase_ == burn_in && strategy_.tunes)
      rule_scale_.tune(proposal.rule.variable, is_accepted);
  }

  // The uniform is drawn even where it cannot matter: a ratio of one is sometimes rounded down.
  bool draw_acceptance(const Evaluation& evaluation) {
    const double u = 1.0 - random_.uniform();  // never zero
    const double log_ratio = annealed_log_ratio(evaluation);
    return log_ratio >= 0.0 || std::log(u) < log_ratio;
  }

  // While annealing, the likelihood counts in part, and large trees are held back: under a flat
  // prior there are Catalan(k - 1) of them, and half a likelihood does not outweigh that.
  double annealed_log_ratio(const Evaluation& evaluation) const {
    if (phase_ == sampling || n_moves_made_ >= strategy_.anneal_moves)
      return evaluation.log_ratio + evaluation.log_likelihood_change;
    const double heat = static_cast<double>(n_moves_made_) / strategy_.anneal_moves;
    const int k = tree_.n_leaves();
    const int k_new = k + evaluation.n_leaves_change;
    const double penalty = log_catalan_[k_new - 1] - log_catalan_[k - 1] + (k_new - k);
    return evaluation.log_ratio + heat * evaluation.log_likelihood_change -
           (1.0 - heat) * penalty;
  }

  void count(Move move, Outcome outcome) { ++counts_[phase_][move][outcome]; }

  // ---- birth and death: only one node changes ----------------------------------------------

  Evaluation evaluate_birth(const Proposal& proposal) {
    const Node& leaf = tree_[proposal.node];
    const Rule& rule = proposal.rule;
    if (!data_.is_inside(rule.variable, rule.cut)) return {};
    data_.split(leaf.mask, rule.variable, rule.cut, nullptr, nullptr, left_counts_.data());
    left_rows_ = subtract(tree_.counts(proposal.node), left_counts_, right_counts_);
    right_rows_ = leaf.n_rows - left_rows_;
    if (std::min(left_rows_, right_rows_) < target_.min_samples_leaf) return {};
    left_log_leaf_ = target_.likelihood.log_leaf(left_counts_.data(), left_rows_);
    right_log_leaf_ = target_.likelihood.log_leaf(right_counts_.data(), right_rows_);
    const double change = left_log_leaf_ + right_log_leaf_ - leaf.log_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = target_.shape.log_birth(k, depth_if_needed(proposal.node)) +
                             log_range_of_birth(proposal);
    const double log_ratio = birth_log_ratio(k, tree_.n_prunable_after_birth(proposal.node),
                                             strategy_.p_move, log_shape);
    return {true, log_ratio, change, 1};
  }

  // Under the range prior the chances of the new leaves to stop depend on their rows.
  double log_range_of_birth(const Proposal& proposal) {
    if (!target_.range.is_used()) return 0.0;
    range_masks_.resize(2 * data_.n_words());
    Word* left = range_masks_.data();
    Word* right = left + data_.n_words();
    data_.split(tree_[proposal.node].mask, proposal.rule.variable, proposal.rule.cut, left, right,
                left_counts_.data());
    left_log_stop_ = target_.log_stop(left);
    right_log_stop_ = target_.log_stop(right);
    return target_.range.log_split() + left_log_stop_ + right_log_stop_ -
           tree_[proposal.node].log_stop;
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
    data_.split(tree_[node].mask, proposal.rule.variable, proposal.rule.cut, tree_[left].mask,
                tree_[right].mask, left_counts_.data());
    set_leaf(left, left_counts_.data(), left_rows_, left_log_leaf_, left_log_stop_);
    set_leaf(right, right_counts_.data(), right_rows_, right_log_leaf_, right_log_stop_);
  }

  Evaluation evaluate_death(const Proposal& proposal) {
    const Node& node = tree_[proposal.node];
    merged_log_leaf_ = target_.likelihood.log_leaf(tree_.counts(proposal.node), node.n_rows);
    merged_log_stop_ = target_.log_stop(node.mask);
    const Node& left = tree_[node.left];
    const Node& right = tree_[node.right];
    const double change = merged_log_leaf_ - left.log_leaf - right.log_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = -target_.shape.log_birth(k - 1, depth_if_needed(proposal.node)) +
                             merged_log_stop_ - left.log_stop - right.log_stop -
                             target_.range.log_split();
    const double log_ratio =
        death_log_ratio(k, tree_.prunable.size(), strategy_.p_move, log_shape);
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
    tree_[node].log_leaf = merged_log_leaf_;
    tree_[node].log_stop = merged_log_stop_;
  }

  // ---- changes that send rows down a subtree anew ------------------------------------------

  Evaluation evaluate_change(const Proposal& proposal) {
    old_rule_ = std::exchange(tree_[proposal.node].rule, proposal.rule);
    removed_ = none;
    refill_.begin(strategy_.sweeps ? 1 : 0);
    refill_.run(proposal.node, proposal.node);
    if (refill_.n_starved == 1 && strategy_.sweeps) return evaluate_sweep(proposal);
    if (refill_.n_starved > 0) return {};
    const double log_ratio = rule_log_ratio(proposal.drawn, target_.rule_prior, data_, old_rule_,
                                            proposal.rule);
    return {true, log_ratio + log_range_change(0), likelihood_change(), 0};
  }

  // The changed tree without its one starved leaf, accepted with the ratio of a death.
  Evaluation evaluate_sweep(const Proposal& proposal) {
    const LeafSums before = refill_.before;
    const int leaf = refill_.starved_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = log_shape_of_removal(leaf);
    unlink(leaf);
    refill_.begin(0);
    refill_.run(parent_of_removed_ == proposal.node ? promoted_ : proposal.node, proposal.node);
    refill_.before = before;
    const double log_ratio = death_log_ratio(k, tree_.prunable.size(), strategy_.p_move,
                                             log_shape + log_range_change(-1));
    return {true, log_ratio, likelihood_change(), -1, true};
  }

  void commit_change(const Evaluation& evaluation) {
    if (evaluation.is_swept) commit_removal();
    else refill_.settle();
  }

  void drop_change(const Proposal& proposal) {
    if (removed_ != none) relink_removed();
    tree_[proposal.node].rule = old_rule_;
  }

  // A new split above a node, with a new leaf on one side and the node's subtree on the other.
  Evaluation evaluate_graft(const Proposal& proposal) {
    const int k = tree_.n_leaves();
    const int depth = depth_if_needed(proposal.node);
    const double log_shape_before = log_shape_if_needed(proposal.node, depth);
    grafted_ = tree_.new_node();
    grafted_leaf_ = tree_.new_node();
    tree_[grafted_].rule = proposal.rule;
    tree_.link_above(proposal.node, grafted_, grafted_leaf_, proposal.is_left);
    refill_.begin(0);
    refill_.run(grafted_, proposal.node);
    if (refill_.n_starved > 0) return {};
    const double log_shape = target_.shape.depends_on_depth()
                                 ? log_shape_of(grafted_, depth) - log_shape_before
                                 : target_.shape.log_size(k + 1) - target_.shape.log_size(k);
    const double log_ratio =
        graft_log_ratio(k, strategy_.p_move, log_shape + log_range_change(1));
    return {true, log_ratio, likelihood_change(), 1};
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

  // A leaf goes together with its parent; the sibling subtree gets all their rows.
  Evaluation evaluate_splice(const Proposal& proposal) {
    const int k = tree_.n_leaves();
    const double log_shape = log_shape_of_removal(proposal.node);
    unlink(proposal.node);
    refill_.begin(0);
    refill_.run(promoted_, parent_of_removed_);
    refill_.before.log_likelihood += tree_[proposal.node].log_leaf;
    refill_.before.log_stop += tree_[proposal.node].log_stop;
    const double log_ratio =
        splice_log_ratio(k, strategy_.p_move, log_shape + log_range_change(-1));
    return {true, log_ratio, likelihood_change(), -1};
  }

  void unlink(int leaf) {
    removed_ = leaf;
    parent_of_removed_ = tree_[leaf].parent;
    removed_was_left_ = tree_[parent_of_removed_].left == leaf;
    promoted_ = tree_.unlink(leaf);
  }

  void relink_removed() {
    tree_.link_above(promoted_, parent_of_removed_, removed_, removed_was_left_);
  }

  void commit_removal() {
    refill_.settle();
    tree_.leaves.remove(removed_);
    tree_.splits.remove(parent_of_removed_);
    if (tree_.prunable.contains(parent_of_removed_)) tree_.prunable.remove(parent_of_removed_);
    tree_.free_node(removed_);
    tree_.free_node(parent_of_removed_);
    tree_.update_prunable(tree_[promoted_].parent);
  }

  // A parent and a child exchange their rules; if both children have one cut, both take part.
  Evaluation evaluate_swap(const Proposal& proposal) {
    const int child = proposal.node;
    const int parent = tree_[child].parent;
    const double log_ratio = swap_log_ratio(child);
    sibling_in_swap_ = shares_cut_with_sibling(child) ? tree_.sibling(child) : none;
    std::swap(tree_[parent].rule, tree_[child].rule);
    if (sibling_in_swap_ != none)
      old_rule_ = std::exchange(tree_[sibling_in_swap_].rule, proposal.rule);
    refill_.begin(0);
    refill_.run(parent, parent);
    if (refill_.n_starved > 0) return {};
    return {true, log_ratio + log_range_change(0), likelihood_change(), 0};
  }

  void drop_swap(const Proposal& proposal) {
    std::swap(tree_[tree_[proposal.node].parent].rule, tree_[proposal.node].rule);
    if (sibling_in_swap_ != none) tree_[sibling_in_swap_].rule = old_rule_;
  }

  bool shares_cut_with_sibling(int child) const {
    const Node& other = tree_[tree_.sibling(child)];
    const Rule& rule = tree_[child].rule;
    return !other.is_leaf() && other.rule.variable == rule.variable && other.rule.cut == rule.cut;
  }

  // Where both children take part the tree gains one of the parent's rules and loses one of theirs.
  double swap_log_ratio(int child) const {
    if (!shares_cut_with_sibling(child)) return 0.0;
    const Rule& upper = tree_[tree_[child].parent].rule;
    const Rule& lower = tree_[child].rule;
    return log_rule_prior(target_.rule_prior, data_, upper.variable, upper.cut) -
           log_rule_prior(target_.rule_prior, data_, lower.variable, lower.cut);
  }

  // A subtree moves, together with the split above it, to the place above another node.
  Evaluation evaluate_regraft(const Proposal& proposal) {
    const int split = tree_[proposal.node].parent;
    const int place = tree_.common_ancestor(split, proposal.other);
    const int above = tree_[place].parent;
    const bool is_left_of_above = above != none && tree_[above].left == place;
    const int depth = depth_if_needed(place);
    const double log_shape_before = log_shape_if_needed(place, depth);
    left_behind_ = tree_[split].parent;
    unlink(proposal.node);
    tree_.link_above(proposal.other, split, proposal.node, proposal.is_left);
    const int top = above == none      ? tree_.root()
                    : is_left_of_above ? tree_[above].left
                                       : tree_[above].right;
    refill_.begin(0);
    refill_.run(top, place);
    if (refill_.n_starved > 0) return {};
    const double log_shape = log_shape_if_needed(top, depth) - log_shape_before;
    return {true, log_shape + log_range_change(0), likelihood_change(), 0};
  }

  void drop_regraft() {
    tree_.unlink(removed_);
    relink_removed();
  }

  void commit_regraft() {
    refill_.settle();
    tree_.update_prunable(left_behind_);
    tree_.update_prunable(parent_of_removed_);
    tree_.update_prunable(tree_[parent_of_removed_].parent);
  }

  double likelihood_change() const {
    return refill_.after.log_likelihood - refill_.before.log_likelihood;
  }

  // What the range prior adds to the shape's ratio when so many splits are gained.
  double log_range_change(int n_splits) const {
    return refill_.after.log_stop - refill_.before.log_stop + n_splits * target_.range.log_split();
  }

  // ---- small pieces ------------------------------------------------------------------------

  // right = whole - left; returns the number of rows in left.
  int subtract(const int* whole, const std::vector<int>& left, std::vector<int>& right) const {
    int n_left = 0;
    for (std::size_t c = 0; c < left.size(); ++c) {
      right[c] = whole[c] - left[c];
      n_left += left[c];
    }
    return n_left;
  }

  void set_leaf(int leaf, const int* counts, int n_rows, double log_leaf, double log_stop) {
    std::copy_n(counts, data_.n_classes(), tree_.counts(leaf));
    tree_[leaf].n_rows = n_rows;
    tree_[leaf].log_leaf = log_leaf;
    tree_[leaf].log_stop = log_stop;
  }

  void plant() {
    refill_.drop();
    tree_ = Tree(data_.n_classes(), data_.n_words());
    const int root = tree_.root();
    const int n_rows = static_cast<int>(data_.n_rows());
    std::copy(data_.all_rows().begin(), data_.all_rows().end(), tree_[root].mask);
    const int* counts = data_.class_counts().data();
    set_leaf(root, counts, n_rows, target_.likelihood.log_leaf(counts, n_rows),
             target_.log_stop(tree_[root].mask));
    log_likelihood_ = tree_[root].log_leaf;
    has_changed_ = true;
  }

  int depth_if_needed(int node) const {
    return target_.shape.depends_on_depth() ? tree_.depth_of(node) : 0;
  }

  double log_shape_if_needed(int node, int depth) const {
    return target_.shape.depends_on_depth() ? log_shape_of(node, depth) : 0.0;
  }

  // The factor by which removing a leaf and its parent changes the prior of the shape.
  double log_shape_of_removal(int leaf) const {
    const ShapePrior& shape = target_.shape;
    const int k = tree_.n_leaves();
    if (!shape.depends_on_depth()) return shape.log_size(k - 1) - shape.log_size(k);
    const int parent = tree_[leaf].parent;
    const int depth = tree_.depth_of(parent);
    return log_shape_of(tree_.sibling(leaf), depth) - log_shape_of(parent, depth);
  }

  // Under the depth prior: the log prior of a subtree's shape with its top at `depth`.
  double log_shape_of(int node, int depth) const {
    if (tree_[node].is_leaf()) return target_.shape.log_stop(depth);
    return target_.shape.log_split(depth) + log_shape_of(tree_[node].left, depth + 1) +
           log_shape_of(tree_[node].right, depth + 1);
  }

  int depth_below(int node) const {
    if (tree_[node].is_leaf()) return 0;
    return 1 + std::max(depth_below(tree_[node].left), depth_below(tree_[node].right));
  }

  // ---- recording ---------------------------------------------------------------------------

  void record_draw() {
    n_since_draw_ = 0;
    forget_rounding();
    if (has_changed_) {
      draws_.trees.append(tree_, data_.n_classes());
      has_changed_ = false;
    }
    draws_.n_leaves.push_back(tree_.n_leaves());
    draws_.depth.push_back(depth_below(tree_.root()));
    draws_.log_likelihood.push_back(log_likelihood_);
    draws_.log_prior.push_back(log_prior());
    draws_.tree.push_back(static_cast<std::int32_t>(draws_.trees.node_offsets.size()) - 2);
  }

  // The running sum of changes is replaced by the sum over leaves.
  void forget_rounding() {
    log_likelihood_ = 0.0;
    for (int i = 0; i < tree_.n_leaves(); ++i)
      log_likelihood_ += tree_[tree_.leaves[i]].log_leaf;
  }

  void record_move(FullTrace& trace) const {
    trace.n_leaves.push_back(tree_.n_leaves());
    trace.log_likelihood.push_back(log_likelihood_);
  }

  const Target& target_;
  const Data& data_;
  Strategy strategy_;
  Random random_;
  RuleScale rule_scale_;
  Tree tree_;
  Refill refill_;
  std::vector<double> log_catalan_;
  double log_likelihood_ = 0.0;
  Phase phase_ = burn_in;
  std::int64_t n_moves_made_ = 0;
  std::int64_t n_since_draw_ = 0;
  bool has_changed_ = true;
  Counts counts_{};
  Draws draws_;

  // The proposal under evaluation: of birth and death,
  std::vector<int> left_counts_;
  std::vector<int> right_counts_;
  std::vector<Word> range_masks_;
  int left_rows_ = 0;
  int right_rows_ = 0;
  double left_log_leaf_ = 0.0;
  double right_log_leaf_ = 0.0;
  double left_log_stop_ = 0.0;
  double right_log_stop_ = 0.0;
  double merged_log_leaf_ = 0.0;
  double merged_log_stop_ = 0.0;
  // of changes and swaps,
  Rule old_rule_;
  int sibling_in_swap_ = none;
  // of grafts,
  int grafted_ = none;
  int grafted_leaf_ = none;
  // of splices, sweeps and regrafts.
  int removed_ = none;
  int parent_of_removed_ = none;
  int promoted_ = none;
  bool removed_was_left_ = false;
  int left_behind_ = none;
};

}  // namespace sweeptree
