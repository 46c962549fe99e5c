// What is kept of a chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
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

  // One tree of another record. A tree of m nodes has (m + 1) / 2 leaves.
  void append(const FlatTrees& other, std::int64_t number, std::size_t n_classes) {
    const auto t = static_cast<std::size_t>(number);
    const std::int64_t begin = other.node_offsets[t];
    const std::int64_t end = other.node_offsets[t + 1];
    const auto n = static_cast<std::int64_t>(n_classes);
    copy(other.variable, begin, end, variable);
    copy(other.threshold, begin, end, threshold);
    copy(other.leaf_counts, (begin + number) / 2 * n, (end + number + 1) / 2 * n, leaf_counts);
    node_offsets.push_back(static_cast<std::int64_t>(variable.size()));
  }

 private:
  template <typename T>
  static void copy(const std::vector<T>& from, std::int64_t begin, std::int64_t end,
                   std::vector<T>& to) {
    to.insert(to.end(), from.begin() + begin, from.begin() + end);
  }

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
  std::vector<std::int32_t> alpha;  // which of the values that it may take
  std::vector<std::int32_t> tree;  // index into trees
  FlatTrees trees;

  // Keeps the second draw, the fourth and so on, and the trees that these use. The number of draws
  // must be even: the tree of the last one is kept, so that the next draw may share it.
  void halve(std::size_t n_classes) {
    keep_every_second(n_leaves);
    keep_every_second(depth);
    keep_every_second(log_likelihood);
    keep_every_second(log_prior);
    keep_every_second(alpha);
    keep_every_second(tree);
    FlatTrees kept;
    std::int32_t last = -1;
    for (std::int32_t& number : tree) {
      if (number != last) kept.append(trees, number, n_classes);
      last = number;
      number = static_cast<std::int32_t>(kept.node_offsets.size()) - 2;
    }
    trees = std::move(kept);
  }

 private:
  template <typename T>
  static void keep_every_second(std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = values[2 * i + 1];
    values.resize(values.size() / 2);
  }
};

// Every move of a chain, on request.
struct FullTrace {
  std::vector<std::int32_t> n_leaves;
  std::vector<double> log_likelihood;
};

}  // namespace sweeptree
