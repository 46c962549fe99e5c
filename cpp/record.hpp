// What is kept of a chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data.hpp"
#include "tree.hpp"

namespace sweeptree {

// Trees as flat arrays: nodes in preorder (a left child follows its parent), variable -1 for
// terminal nodes, whose class counts stand in the same order.
struct FlatTrees {
  std::vector<std::int64_t> node_offsets{0};
  std::vector<std::int32_t> variable;
  std::vector<std::uint8_t> test;
  std::vector<double> threshold;
  std::vector<std::uint8_t> missing_left;  // whether a missing value goes left
  std::vector<std::int32_t> leaf_counts;

  void append(const Tree& tree, const Data& data) {
    append_subtree(tree, tree.root(), data);
    node_offsets.push_back(static_cast<std::int64_t>(variable.size()));
  }

  // One tree of another record. A tree of m nodes has (m + 1) / 2 leaves.
  void append(const FlatTrees& other, std::int64_t number, std::size_t n_classes) {
    const auto t = static_cast<std::size_t>(number);
    const std::int64_t begin = other.node_offsets[t];
    const std::int64_t end = other.node_offsets[t + 1];
    const auto n = static_cast<std::int64_t>(n_classes);
    copy(other.variable, begin, end, variable);
    copy(other.test, begin, end, test);
    copy(other.threshold, begin, end, threshold);
    copy(other.missing_left, begin, end, missing_left);
    copy(other.leaf_counts, (begin + number) / 2 * n, (end + number + 1) / 2 * n, leaf_counts);
    node_offsets.push_back(static_cast<std::int64_t>(variable.size()));
  }

  void append_node(int its_variable, Test its_test, double its_threshold, bool goes_left) {
    variable.push_back(its_variable);
    test.push_back(static_cast<std::uint8_t>(its_test));
    threshold.push_back(its_threshold);
    missing_left.push_back(goes_left);
  }

  Rule rule_of(std::size_t node, const Data& data) const {
    const Variable& its = data.variable(variable[node]);
    const Test its_test = static_cast<Test>(test[node]);
    return {variable[node], its.cut_of(its_test, threshold[node], missing_left[node] != 0),
            threshold[node]};
  }

 private:
  template <typename T>
  static void copy(const std::vector<T>& from, std::int64_t begin, std::int64_t end,
                   std::vector<T>& to) {
    to.insert(to.end(), from.begin() + begin, from.begin() + end);
  }

  void append_subtree(const Tree& tree, int node, const Data& data) {
    const Node& here = tree[node];
    if (here.is_leaf()) {
      append_node(none, Test::at_most, 0.0, false);
      const int* counts = tree.counts(node);
      leaf_counts.insert(leaf_counts.end(), counts, counts + data.n_classes());
      return;
    }
    const Rule& rule = here.rule;
    append_node(rule.variable, data.variable(rule.variable).test_of(rule.cut), rule.threshold,
                sends_missing_left(tree, here, data));
    append_subtree(tree, here.left, data);
    append_subtree(tree, here.right, data);
  }

  // Where training had no missing value, one that comes up later goes with the most rows.
  static bool sends_missing_left(const Tree& tree, const Node& node, const Data& data) {
    const Variable& its = data.variable(node.rule.variable);
    if (its.n_missing > 0) return its.sends_missing_left(node.rule.cut);
    return tree[node.left].n_rows >= tree[node.right].n_rows;
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
