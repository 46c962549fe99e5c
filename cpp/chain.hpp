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

#include "data.hpp"
#include "likelihood.hpp"
#include "moves.hpp"
#include "prior.hpp"
#include "strategies.hpp"
#include "tree.hpp"

namespace sweeptree {

// What is sampled from: the data, the likelihood and the priors.
struct Target {
  const Data* data;
  LeafLikelihood likelihood;
  ShapePrior shape;
  RulePrior rule_prior;
  int min_samples_leaf;
  int max_leaves;
};

enum Phase { burn_in, sampling, n_phases };

// Trees as flat arrays: nodes in preorder (a left child follows its parent), variable -1 for
// terminal nodes, whose class counts stand in the same order.
struct FlatTrees {
  std::vector<std::int64_t> node_offsets{0};
  std::vector<std::int32_t> variable;
  std::vector<double> threshold;
  std::vector<std::int32_t> leaf_counts;
};

// What is kept of a chain: one entry per draw, and the trees wherever they changed.
struct Draws {
  std::vector<std::int32_t> n_leaves;
  std::vector<std::int32_t> depth;
  std::vector<double> log_likelihood;
  std::vector<double> log_prior;
  std::vector<std::int32_t> tree;  // index into trees
  FlatTrees trees;
};

// Every move of a chain, on request.
struct FullTrace {
  std::vector<std::int32_t> n_leaves;
  std::vector<double> log_likelihood;
};

// What a proposal leads to. `log_ratio` includes the likelihood.
struct Evaluation {
  bool is_available = false;
  double log_ratio = 0.0;
  double log_likelihood_change = 0.0;
  int swept_leaf = none;
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
        left_counts_(data_.n_classes()),
        right_counts_(data_.n_classes()),
        no_counts_(data_.n_classes(), 0) {
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
    Proposal proposal{draw_move(random_, strategy_.p_move), none, {}};
    switch (proposal.move) {
      case birth: draw_birth(proposal); break;
      case death: proposal.node = draw_member(tree_.prunable); break;
      case change_split: draw_change_split(proposal); break;
      default: draw_change_rule(proposal); break;
    }
    return proposal;
  }

  // Deterministic: what the proposal leads to and its log acceptance ratio. A change stays
  // applied to its node's rule until it is committed or dropped.
  Evaluation evaluate(const Proposal& proposal) {
    if (proposal.node == none) return {};
    switch (proposal.move) {
      case birth: return evaluate_birth(proposal);
      case death: return evaluate_death(proposal);
      default: return evaluate_change(proposal);
    }
  }

  void commit(const Proposal& proposal, const Evaluation& evaluation) {
    log_likelihood_ += evaluation.log_likelihood_change;
    has_changed_ = true;
    switch (proposal.move) {
      case birth: commit_birth(proposal); break;
      case death: commit_death(proposal); break;
      default: commit_change(proposal, evaluation); break;
    }
  }

  void drop(const Proposal& proposal) {
    if (proposal.node == none || proposal.move == birth || proposal.move == death) return;
    tree_[proposal.node].rule = old_rule_;
    give_back_scratch();
  }

  // Replaces the tree; `nodes` come in preorder, the variable of a terminal node is `none`.
  // Returns false, and leaves a single terminal node, if some leaf would be starved.
  bool plant(std::span<const std::int32_t> variable, std::span<const double> threshold) {
    tree_ = Tree(data_.n_classes(), data_.n_words());
    plant();
    std::vector<int> waiting{tree_.root()};
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const int node = waiting.back();
      waiting.pop_back();
      if (variable[i] == none) continue;
      Proposal proposal{birth, node, {}};
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
    for (int i = 0; i < tree_.splits.size(); ++i) {
      const Rule& rule = tree_[tree_.splits[i]].rule;
      sum += log_rule_prior(target_.rule_prior, data_, rule.variable, rule.cut);
    }
    return sum;
  }

  const Tree& tree() const { return tree_; }
  const Draws& draws() const { return draws_; }
  const RuleScale& rule_scale() const { return rule_scale_; }
  using Counts = std::array<std::array<std::array<std::int64_t, n_outcomes>, n_moves>, n_phases>;
  const Counts& counts() const { return counts_; }

  void append_tree(FlatTrees& flat) const {
    append_subtree(flat, tree_.root());
    flat.node_offsets.push_back(static_cast<std::int64_t>(flat.variable.size()));
  }

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
    proposal.rule = strategy_.steps
                        ? draw_rule_step(random_, data_, rule, rule_scale_[rule.variable])
                        : draw_rule_of(random_, data_, target_.rule_prior, rule.variable);
  }

  // ---- deciding ----------------------------------------------------------------------------

  void decide(const Proposal& proposal, const Evaluation& evaluation) {
    const bool is_accepted = evaluation.is_available && draw_acceptance(evaluation.log_ratio);
    if (is_accepted) commit(proposal, evaluation);
    else drop(proposal);
    const Outcome if_accepted = evaluation.swept_leaf == none ? accepted : swept;
    count(proposal.move, is_accepted ? if_accepted : rejected);
    if (proposal.move == change_rule && proposal.node != none && phase_ == burn_in &&
        strategy_.tunes)
      rule_scale_.tune(proposal.rule.variable, is_accepted);
  }

  // The uniform is drawn even where it cannot matter: a ratio of one is sometimes rounded down.
  bool draw_acceptance(double log_ratio) {
    const double u = 1.0 - random_.uniform();  // never zero
    return log_ratio >= 0.0 || std::log(u) < log_ratio;
  }

  void count(Move move, Outcome outcome) { ++counts_[phase_][move][outcome]; }

  // ---- birth and death ---------------------------------------------------------------------

  Evaluation evaluate_birth(const Proposal& proposal) {
    const Node& leaf = tree_[proposal.node];
    const Rule& rule = proposal.rule;
    if (!data_.is_inside(rule.variable, rule.cut)) return {};
    data_.split<Keep::none>(leaf.mask, rule.variable, rule.cut, nullptr, nullptr,
                            left_counts_.data());
    left_rows_ = subtract(tree_.counts(proposal.node), left_counts_, right_counts_);
    right_rows_ = leaf.n_rows - left_rows_;
    if (std::min(left_rows_, right_rows_) < target_.min_samples_leaf) return {};
    left_log_leaf_ = target_.likelihood.log_leaf(left_counts_.data(), left_rows_);
    right_log_leaf_ = target_.likelihood.log_leaf(right_counts_.data(), right_rows_);
    const double change = left_log_leaf_ + right_log_leaf_ - leaf.log_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = target_.shape.log_birth(k, depth_if_needed(proposal.node));
    const double log_ratio = birth_log_ratio(k, tree_.n_prunable_after_birth(proposal.node),
                                             strategy_.p_move, log_shape);
    return {true, change + log_ratio, change, none};
  }

  void commit_birth(const Proposal& proposal) {
    const int node = proposal.node;
    tree_.split_leaf(node, proposal.rule);
    const int left = tree_[node].left;
    const int right = tree_[node].right;
    data_.split<Keep::both>(tree_[node].mask, proposal.rule.variable, proposal.rule.cut,
                            tree_[left].mask, tree_[right].mask, left_counts_.data());
    set_leaf(left, left_counts_.data(), left_rows_, left_log_leaf_);
    set_leaf(right, right_counts_.data(), right_rows_, right_log_leaf_);
  }

  Evaluation evaluate_death(const Proposal& proposal) {
    const Node& node = tree_[proposal.node];
    merged_log_leaf_ = target_.likelihood.log_leaf(tree_.counts(proposal.node), node.n_rows);
    const double change =
        merged_log_leaf_ - tree_[node.left].log_leaf - tree_[node.right].log_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = -target_.shape.log_birth(k - 1, depth_if_needed(proposal.node));
    const double log_ratio =
        death_log_ratio(k, tree_.prunable.size(), strategy_.p_move, log_shape);
    return {true, change + log_ratio, change, none};
  }

  void commit_death(const Proposal& proposal) {
    tree_.merge_leaves(proposal.node);
    tree_[proposal.node].log_leaf = merged_log_leaf_;
  }

  // ---- change-split and change-rule --------------------------------------------------------

  Evaluation evaluate_change(const Proposal& proposal) {
    old_rule_ = std::exchange(tree_[proposal.node].rule, proposal.rule);
    const Refill refilled = refill_from(proposal.node, none);
    if (refilled.n_starved == 0) {
      const double change = refilled.log_new - refilled.log_old;
      const bool is_step = proposal.move == change_rule && strategy_.steps;
      const double log_ratio = is_step ? rule_step_log_ratio(target_.rule_prior, data_, old_rule_,
                                                             proposal.rule)
                                       : 0.0;
      return {true, change + log_ratio, change, none};
    }
    if (refilled.n_starved == 1 && strategy_.sweeps)
      return evaluate_sweep(proposal, refilled.starved_leaf, refilled.log_old);
    return {};
  }

  // The changed tree without its one starved leaf, accepted with the ratio of a death.
  Evaluation evaluate_sweep(const Proposal& proposal, int leaf, double log_old) {
    give_back_scratch();
    const Refill refilled = refill_from(proposal.node, leaf);
    const double change = refilled.log_new - log_old;
    const double log_ratio = death_log_ratio(tree_.n_leaves(), tree_.prunable.size(),
                                             strategy_.p_move, log_shape_of_removal(leaf));
    return {true, change + log_ratio, change, leaf};
  }

  void commit_change(const Proposal& proposal, const Evaluation& evaluation) {
    if (evaluation.swept_leaf != none) {
      const int parent = tree_[evaluation.swept_leaf].parent;
      const int promoted = tree_.sibling(evaluation.swept_leaf);
      if (parent == proposal.node) std::swap(tree_[parent].mask, tree_[promoted].mask);
      tree_.remove_leaf(evaluation.swept_leaf);
    }
    for (const Refilled& refilled : refilled_) settle(refilled);
    give_back_scratch();
  }

  // ---- sending rows down a changed subtree -------------------------------------------------

  struct Refill {
    double log_new = 0.0;
    double log_old = 0.0;
    int n_starved = 0;
    int starved_leaf = none;
  };

  // A node whose rows have changed. The mask of a splitting node is new; that of a terminal node
  // is only written when the proposal is accepted.
  struct Refilled {
    int node;
    Word* mask;  // nullptr: the node's own mask is already right
    std::size_t counts;
    int n_rows;
    double log_leaf;
  };

  // Recomputes the leaves below `node`, leaving out `removed_leaf` and its parent. Stops as soon
  // as more leaves are starved than the strategy can do something about.
  Refill refill_from(int node, int removed_leaf) {
    removed_leaf_ = removed_leaf;
    bypassed_ = removed_leaf == none ? none : tree_[removed_leaf].parent;
    refill_ = Refill{};
    const int top = resolve(node);
    push_counts(tree_.counts(node));
    refill(top, tree_[node].mask, nullptr, 0, tree_[node].n_rows);
    return refill_;
  }

  int resolve(int node) const { return node == bypassed_ ? tree_.sibling(removed_leaf_) : node; }

  // `mask` holds the rows of `node`; `owned` is the same if it was taken from the pool.
  void refill(int node, const Word* mask, Word* owned, std::size_t counts, int n_rows) {
    if (tree_[node].is_leaf()) {
      refill_leaf(node, counts, n_rows);
      return;
    }
    refilled_.push_back({node, owned, counts, n_rows, 0.0});
    const Rule& rule = tree_[node].rule;
    if (!data_.is_inside(rule.variable, rule.cut)) {
      refill_one_side(node, mask, owned, counts, n_rows);
      return;
    }
    const int left = resolve(tree_[node].left);
    const int right = resolve(tree_[node].right);
    Word* left_mask = tree_[left].is_leaf() ? nullptr : take_scratch();
    Word* right_mask = tree_[right].is_leaf() ? nullptr : take_scratch();
    const std::size_t left_counts = push_counts(nullptr);
    const std::size_t right_counts = push_counts(nullptr);
    split_keeping(mask, rule, left_mask, right_mask, &counts_of_refilled_[left_counts]);
    int left_rows = 0;
    for (std::size_t c = 0; c < data_.n_classes(); ++c) {
      const int n_left = counts_of_refilled_[left_counts + c];
      counts_of_refilled_[right_counts + c] = counts_of_refilled_[counts + c] - n_left;
      left_rows += n_left;
    }
    refill(left, left_mask, left_mask, left_counts, left_rows);
    if (is_hopeless()) return;
    refill(right, right_mask, right_mask, right_counts, n_rows - left_rows);
  }

  // A rule outside its variable's range: one child gets every row, the other none.
  void refill_one_side(int node, const Word* mask, Word* owned, std::size_t counts, int n_rows) {
    const bool none_left = tree_[node].rule.cut < 0;
    const int empty = none_left ? tree_[node].left : tree_[node].right;
    const int full = none_left ? tree_[node].right : tree_[node].left;
    if (!tree_[empty].is_leaf()) {
      refill_.n_starved = 2;
      return;
    }
    refill_leaf(empty, push_counts(no_counts_.data()), 0);
    if (!is_hopeless()) refill(full, mask, owned, counts, n_rows);
  }

  void refill_leaf(int leaf, std::size_t counts, int n_rows) {
    refill_.log_old += tree_[leaf].log_leaf;
    if (n_rows < target_.min_samples_leaf) {
      ++refill_.n_starved;
      refill_.starved_leaf = leaf;
      return;
    }
    const double log_leaf = target_.likelihood.log_leaf(&counts_of_refilled_[counts], n_rows);
    refill_.log_new += log_leaf;
    refilled_.push_back({leaf, nullptr, counts, n_rows, log_leaf});
  }

  bool is_hopeless() const { return refill_.n_starved > (strategy_.sweeps ? 1 : 0); }

  void split_keeping(const Word* mask, const Rule& rule, Word* left, Word* right, int* counts) {
    const int v = rule.variable;
    if (left && right) data_.split<Keep::both>(mask, v, rule.cut, left, right, counts);
    else if (left) data_.split<Keep::left>(mask, v, rule.cut, left, nullptr, counts);
    else if (right) data_.split<Keep::right>(mask, v, rule.cut, nullptr, right, counts);
    else data_.split<Keep::none>(mask, v, rule.cut, nullptr, nullptr, counts);
  }

  // Makes the refilled state of a node its state; writes the masks of its terminal children.
  void settle(const Refilled& refilled) {
    Node& node = tree_[refilled.node];
    if (node.is_leaf()) {
      set_leaf(refilled.node, &counts_of_refilled_[refilled.counts], refilled.n_rows,
               refilled.log_leaf);
      return;
    }
    if (refilled.mask != nullptr) {
      std::replace(scratch_.begin(), scratch_.end(), refilled.mask, node.mask);
      node.mask = refilled.mask;
    }
    node.n_rows = refilled.n_rows;
    std::copy_n(&counts_of_refilled_[refilled.counts], data_.n_classes(),
                tree_.counts(refilled.node));
    Word* left = tree_[node.left].is_leaf() ? tree_[node.left].mask : nullptr;
    Word* right = tree_[node.right].is_leaf() ? tree_[node.right].mask : nullptr;
    if (left || right) split_keeping(node.mask, node.rule, left, right, left_counts_.data());
  }

  Word* take_scratch() {
    scratch_.push_back(tree_.masks.take());
    return scratch_.back();
  }

  void give_back_scratch() {
    for (Word* mask : scratch_) tree_.masks.give_back(mask);
    scratch_.clear();
    refilled_.clear();
    counts_of_refilled_.clear();
  }

  std::size_t push_counts(const int* counts) {
    const std::size_t at = counts_of_refilled_.size();
    counts_of_refilled_.resize(at + data_.n_classes());
    if (counts != nullptr) std::copy_n(counts, data_.n_classes(), &counts_of_refilled_[at]);
    return at;
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

  void set_leaf(int leaf, const int* counts, int n_rows, double log_leaf) {
    std::copy_n(counts, data_.n_classes(), tree_.counts(leaf));
    tree_[leaf].n_rows = n_rows;
    tree_[leaf].log_leaf = log_leaf;
  }

  void plant() {
    tree_ = Tree(data_.n_classes(), data_.n_words());
    const int root = tree_.root();
    const int n_rows = static_cast<int>(data_.n_rows());
    std::copy(data_.all_rows().begin(), data_.all_rows().end(), tree_[root].mask);
    const int* counts = data_.class_counts().data();
    set_leaf(root, counts, n_rows, target_.likelihood.log_leaf(counts, n_rows));
    log_likelihood_ = tree_[root].log_leaf;
    has_changed_ = true;
  }

  int depth_if_needed(int node) const {
    return target_.shape.depends_on_depth() ? tree_.depth_of(node) : 0;
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
      append_tree(draws_.trees);
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

  void append_subtree(FlatTrees& flat, int node) const {
    const Node& here = tree_[node];
    flat.variable.push_back(here.is_leaf() ? none : here.rule.variable);
    flat.threshold.push_back(here.is_leaf() ? 0.0 : here.rule.threshold);
    if (here.is_leaf()) {
      const int* counts = tree_.counts(node);
      flat.leaf_counts.insert(flat.leaf_counts.end(), counts, counts + data_.n_classes());
      return;
    }
    append_subtree(flat, here.left);
    append_subtree(flat, here.right);
  }

  const Target& target_;
  const Data& data_;
  Strategy strategy_;
  Random random_;
  RuleScale rule_scale_;
  Tree tree_;
  double log_likelihood_ = 0.0;
  Phase phase_ = burn_in;
  std::int64_t n_moves_made_ = 0;
  std::int64_t n_since_draw_ = 0;
  bool has_changed_ = true;
  Counts counts_{};
  Draws draws_;

  // Scratch of the proposal under evaluation.
  std::vector<int> left_counts_;
  std::vector<int> right_counts_;
  std::vector<int> no_counts_;
  int left_rows_ = 0;
  int right_rows_ = 0;
  double left_log_leaf_ = 0.0;
  double right_log_leaf_ = 0.0;
  double merged_log_leaf_ = 0.0;
  Rule old_rule_;
  Refill refill_;
  int removed_leaf_ = none;
  int bypassed_ = none;
  std::vector<Refilled> refilled_;
  std::vector<Word*> scratch_;
  std::vector<int> counts_of_refilled_;
};

}  // namespace sweeptree
