// What is kept of a chain.
#pragma once

#include <cstdint>
#include <vector>

#include "tree.hpp"

namespace sweeptree {

// Trees as flat arrays: nodes in preorder (a left child follows its parent), variable -1 for
// terminal nodes, whose class counts stand in the same order.
struct FlatTrees {
  std::vector<std::int64_t> node_offsets{0};
  std::vector<std::int32_t> variable;
  std::vector<double> threshold;
  std::vector<std::int32_t> leaf_counts;

  void append(const Tree& tree, std::size_t n_classes) {
    append_subtree(tree, tree.root(), n_classes);
    node_offsets.push_back(static_cast<std::int64_t>(variable.size()));
  }

 private:
  void append_subtree(const Tree& tree, int node, std::size_t n_classes) {
    const Node& here = tree[node];
    variable.push_back(here.is_leaf() ? none : here.rule.variable);
    threshold.push_back(here.is_leaf() ? 0.0 : here.rule.threshold);
    if (here.is_leaf()) {
      const int* counts = tree.counts(node);
      leaf_counts.insert(leaf_counts.end(), counts, counts + n_classes);
      return;
    }
    append_subtree(tree, here.left, n_classes);
    append_subtree(tree, here.right, n_classes);
  }
};

// One entry per draw, and the trees wherever they changed.
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

}  // namespace sweeptree
