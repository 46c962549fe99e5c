// What every move works on: the tree with its rows, what is sampled from, how the chain walks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "prior.hpp"
#include "refill.hpp"
#include "strategies.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace sweeptree {

struct State {
  // `its_rows` are all rows, or the sample of them; no leaf has fewer than `fewest`.
  State(const Target& its_target, const Strategy& its_strategy, const Data& its_rows, int fewest)
      : target(its_target),
        data(its_rows),
        min_samples_leaf(fewest),
        strategy(its_strategy),
        alpha(static_cast<int>(target.likelihoods.size()) / 2),
        likelihood(&target.likelihoods[alpha]),
        tree(data.n_classes(), data.n_words()),
        refill(target, data, min_samples_leaf, likelihood, tree) {
    plant_root();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Target& target;
  const Data& data;
  const int min_samples_leaf;
  const Strategy strategy;
  int alpha;  // which of the values that it may take
  const LeafLikelihood* likelihood;
  Tree tree;
  Refill refill;
  double log_likelihood = 0.0;
  double share = 1.0;  // how much of the log likelihood counts at present
  std::int64_t n_moves_made = 0;

  // Replaces the tree by a single terminal node.
  void plant_root() {
    refill.forget();
    tree = Tree(data.n_classes(), data.n_words());
    const int root = tree.root();
    const int n_rows = static_cast<int>(data.n_rows());
    std::copy(data.all_rows().begin(), data.all_rows().end(), tree[root].mask);
    const int* counts = data.class_counts().data();
    set_leaf(root, counts, n_rows, likelihood->log_leaf(counts, n_rows),
             target.log_stop(tree[root].mask));
    log_likelihood = tree[root].log_likelihood;
  }

  void set_leaf(int leaf, const int* counts, int n_rows, double log_leaf, double log_stop) {
    std::copy_n(counts, data.n_classes(), tree.counts(leaf));
    tree[leaf].n_rows = n_rows;
    tree[leaf].log_likelihood = log_leaf;
    tree[leaf].log_stop = log_stop;
  }

  bool may_grow() const {
    const bool is_restricted = n_moves_made < strategy.restrict_moves;
    const int most = is_restricted ? std::min(strategy.restrict_leaves, target.max_leaves)
                                   : target.max_leaves;
    return tree.n_leaves() < most && data.n_variables() > 0;
  }

  bool learns_alpha() const { return target.likelihoods.size() > 1; }

  void use_alpha(int value) {
    alpha = value;
    likelihood = &target.likelihoods[value];
    for (int i = 0; i < tree.n_leaves(); ++i) {
      const int leaf = tree.leaves[i];
      tree[leaf].log_likelihood = likelihood->log_leaf(tree.counts(leaf), tree[leaf].n_rows);
    }
    forget_rounding();
  }

  // The log likelihood under each value that alpha may take.
  void log_likelihood_by_alpha(std::vector<double>& out) {
    out.assign(target.likelihoods.size(), 0.0);
    of_leaf_.resize(out.size());
    for (int i = 0; i < tree.n_leaves(); ++i) {
      const int leaf = tree.leaves[i];
      target.likelihoods.log_leaf(tree.counts(leaf), tree[leaf].n_rows, of_leaf_);
      for (std::size_t value = 0; value < out.size(); ++value) out[value] += of_leaf_[value];
    }
  }

  // The running sum of changes is replaced by the sum over leaves.
  void forget_rounding() {
    tree.sum_up_below(tree.root());
    log_likelihood = 0.0;
    for (int i = 0; i < tree.n_leaves(); ++i)
      log_likelihood += tree[tree.leaves[i]].log_likelihood;
  }

  // ---- what a refill changes -----------------------------------------------------------------

  double likelihood_change() const {
    return refill.after.log_likelihood - refill.before.log_likelihood;
  }

  // What the range prior adds to the shape's ratio when so many splits are gained.
  double log_range_change(int n_splits) const {
    return refill.after.log_stop - refill.before.log_stop + n_splits * target.range.log_split();
  }

  // ---- the prior -----------------------------------------------------------------------------

  double log_prior() const {
    double sum = target.shape.depends_on_depth() ? log_shape_of(tree.root(), 0)
                                                 : target.shape.log_size(tree.n_leaves());
    for (int i = 0; i < tree.n_leaves(); ++i) sum += tree[tree.leaves[i]].log_stop;
    for (int i = 0; i < tree.splits.size(); ++i)
      sum += target.range.log_split() + log_prior_of(tree[tree.splits[i]].rule);
    return sum;
  }

  double log_prior_of(const Rule& rule) const {
    return log_rule_prior(target.rule_prior, data, rule.variable, rule.cut);
  }

  int depth_if_needed(int node) const {
    return target.shape.depends_on_depth() ? tree.depth_of(node) : 0;
  }

  double log_shape_if_needed(int node, int depth) const {
    return target.shape.depends_on_depth() ? log_shape_of(node, depth) : 0.0;
  }

  // The factor by which removing a leaf and its parent changes the prior of the shape.
  double log_shape_of_removal(int leaf) const {
    const ShapePrior& shape = target.shape;
    const int k = tree.n_leaves();
    if (!shape.depends_on_depth()) return shape.log_size(k - 1) - shape.log_size(k);
    const int parent = tree[leaf].parent;
    const int depth = tree.depth_of(parent);
    return log_shape_of(tree.sibling(leaf), depth) - log_shape_of(parent, depth);
  }

  // Under the depth prior: the log prior of a subtree's shape with its top at `depth`.
  double log_shape_of(int node, int depth) const {
    if (tree[node].is_leaf()) return target.shape.log_stop(depth);
    return target.shape.log_split(depth) + log_shape_of(tree[node].left, depth + 1) +
           log_shape_of(tree[node].right, depth + 1);
  }

 private:
  std::vector<double> of_leaf_;
};

}  // namespace sweeptree
