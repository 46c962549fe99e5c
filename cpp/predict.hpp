// Averaging over trees (Eq. 2): which leaf a row falls into, and the mean over many trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tree.hpp"
#include "variable.hpp"

namespace sweeptree {

// The nodes of many trees in preorder, side by side; of a terminal node the variable is `none`.
struct ForestNodes {
  std::span<const std::int32_t> variable;
  std::span<const std::uint8_t> test;
  std::span<const double> threshold;
  std::span<const std::uint8_t> missing_left;

  std::size_t size() const { return variable.size(); }
  bool is_parallel() const {
    return test.size() == size() && threshold.size() == size() && missing_left.size() == size();
  }
};

// Trees laid out for walking down them. Leaves are numbered through, tree after tree.
class Forest {
 public:
  // `n_threads` share the rows that are sent down; what comes out does not depend on it.
  Forest(std::span<const std::int64_t> node_offsets, const ForestNodes& nodes,
         std::size_t n_threads = 1)
      : n_threads_(n_threads) {
    if (node_offsets.empty() || node_offsets.front() != 0 ||
        node_offsets.back() != static_cast<std::int64_t>(nodes.size()) || !nodes.is_parallel())
      throw std::invalid_argument("the arrays of the trees do not fit together");
    nodes_.reserve(nodes.size());
    for (std::size_t t = 0; t + 1 < node_offsets.size(); ++t) {
      const std::int64_t end = node_offsets[t + 1];
      roots_.push_back(nodes_.size());
      if (end > node_offsets.back() || append(nodes, end) != end)
        throw std::invalid_argument("a tree is not complete");
    }
  }

  std::size_t n_trees() const { return roots_.size(); }
  std::size_t n_leaves() const { return n_leaves_; }
  int highest_variable() const { return highest_variable_; }

  // out[row, class] += sum over trees of weight * value[leaf of the row, class].
  void average(std::span<const double> x, std::size_t n_columns, std::span<const double> weight,
               std::span<const double> leaf_value, std::size_t n_classes, double* out) const {
    for_each_leaf(x, n_columns, [&](std::size_t t) { return weight[t] != 0.0; },
                  [&](std::size_t t, std::size_t row, std::size_t leaf) {
                    for (std::size_t c = 0; c < n_classes; ++c)
                      out[row * n_classes + c] += weight[t] * leaf_value[leaf * n_classes + c];
                  });
  }

  // out[tree, row] = the leaf that the row falls into.
  void apply(std::span<const double> x, std::size_t n_columns, std::int32_t* out) const {
    const std::size_t n_rows = x.size() / std::max<std::size_t>(n_columns, 1);
    for_each_leaf(x, n_columns, [](std::size_t) { return true; },
                  [&](std::size_t t, std::size_t row, std::size_t leaf) {
                    out[t * n_rows + row] = static_cast<std::int32_t>(leaf);
                  });
  }

 private:
  struct PackedNode {
    double threshold;
    std::int32_t variable;  // none: a leaf
    std::int32_t next;      // right child, counted from here; or the number of the leaf
  };

  // What a node asks beyond a plain threshold.
  struct Manner {
    Test test;
    bool missing_left;
  };

  // Threads that are waited for, also where one more could not be started.
  struct Joined {
    std::vector<std::thread> threads;
    ~Joined() {
      for (std::thread& thread : threads) thread.join();
    }
  };

  // Walks the rows down the trees in blocks whose values stay in the cache; threads take turns at
  // the blocks.
  template <typename Wanted, typename Use>
  void for_each_leaf(std::span<const double> x, std::size_t n_columns, Wanted is_wanted,
                     Use use) const {
    constexpr std::size_t rows_per_block = 256;
    const std::size_t n_rows = x.size() / std::max<std::size_t>(n_columns, 1);
    const std::size_t n_blocks = (n_rows + rows_per_block - 1) / rows_per_block;
    const auto work = [&](std::size_t first_block) {
      for (std::size_t block = first_block; block < n_blocks; block += n_threads_) {
        const std::size_t begin = block * rows_per_block;
        const std::size_t end = std::min(n_rows, begin + rows_per_block);
        walk_block(x, n_columns, begin, end, is_wanted, use);
      }
    };
    Joined others;
    for (std::size_t thread = 1; thread < std::min(n_threads_, n_blocks); ++thread)
      others.threads.emplace_back(work, thread);
    work(0);
  }

  template <typename Wanted, typename Use>
  void walk_block(std::span<const double> x, std::size_t n_columns, std::size_t begin,
                  std::size_t end, const Wanted& is_wanted, const Use& use) const {
    const auto block = x.subspan(begin * n_columns, (end - begin) * n_columns);
    const bool is_plain = has_only_thresholds_ && std::none_of(block.begin(), block.end(), is_nan);
    for (std::size_t t = 0; t < n_trees(); ++t) {
      if (!is_wanted(t)) continue;
      for (std::size_t row = begin; row < end; ++row) {
        const double* values = &x[row * n_columns];
        use(t, row, is_plain ? leaf_by_thresholds(t, values) : leaf_of(t, values));
      }
    }
  }

  static bool is_nan(double value) { return std::isnan(value); }

  std::size_t leaf_by_thresholds(std::size_t tree, const double* row) const {
    const PackedNode* node = &nodes_[roots_[tree]];
    while (node->variable != none)
      node += row[node->variable] <= node->threshold ? 1 : node->next;
    return static_cast<std::size_t>(node->next);
  }

  std::size_t leaf_of(std::size_t tree, const double* row) const {
    std::size_t place = roots_[tree];
    while (nodes_[place].variable != none)
      place += goes_left(place, row[nodes_[place].variable]) ? 1 : nodes_[place].next;
    return static_cast<std::size_t>(nodes_[place].next);
  }

  bool goes_left(std::size_t place, double value) const {
    if (is_nan(value)) return manners_[place].missing_left;
    const double threshold = nodes_[place].threshold;
    switch (manners_[place].test) {
      case Test::at_most: return value <= threshold;
      case Test::is_level: return value == threshold;
      case Test::in_group:
        if (!(value >= 0.0 && value < word_bits)) return manners_[place].missing_left;
        return static_cast<Word>(threshold) >> static_cast<int>(value) & 1u;
      default: return false;
    }
  }

  // Appends the tree that starts at the next node, in preorder; returns where it ends, or -1 if
  // it needs nodes beyond `end`.
  std::int64_t append(const ForestNodes& nodes, std::int64_t end) {
    std::vector<std::size_t> without_right;
    bool is_complete = false;
    while (!is_complete) {
      const std::size_t here = nodes_.size();
      if (static_cast<std::int64_t>(here) >= end) return -1;
      const std::int32_t v = nodes.variable[here];
      if (v < none) return -1;
      append_node(nodes, here);
      if (v != none) {
        without_right.push_back(here);
        continue;
      }
      nodes_.back().next = static_cast<std::int32_t>(n_leaves_++);
      is_complete = without_right.empty();
      if (!is_complete) {
        nodes_[without_right.back()].next =
            static_cast<std::int32_t>(nodes_.size() - without_right.back());
        without_right.pop_back();
      }
    }
    return static_cast<std::int64_t>(nodes_.size());
  }

  void append_node(const ForestNodes& nodes, std::size_t here) {
    const std::int32_t v = nodes.variable[here];
    const Test test = static_cast<Test>(nodes.test[here]);
    if (test >= Test::n_tests) throw std::invalid_argument("a node asks in an unknown manner");
    highest_variable_ = std::max(highest_variable_, v);
    has_only_thresholds_ = has_only_thresholds_ && (v == none || test == Test::at_most);
    nodes_.push_back({nodes.threshold[here], v, 0});
    manners_.push_back({test, nodes.missing_left[here] != 0});
  }

  std::size_t n_threads_;
  std::vector<PackedNode> nodes_;
  std::vector<Manner> manners_;  // parallel to nodes
  std::vector<std::size_t> roots_;
  std::size_t n_leaves_ = 0;
  std::int32_t highest_variable_ = none;
  bool has_only_thresholds_ = true;
};

}  // namespace sweeptree
