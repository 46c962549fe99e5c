// Averaging over trees (Eq. 2): which leaf a row falls into, and the mean over many trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "tree.hpp"

namespace sweeptree {

// Trees laid out for walking down them. Leaves are numbered through, tree after tree.
class Forest {
 public:
  Forest(std::span<const std::int64_t> node_offsets, std::span<const std::int32_t> variable,
         std::span<const double> threshold) {
    if (node_offsets.empty() || node_offsets.front() != 0 ||
        node_offsets.back() != static_cast<std::int64_t>(variable.size()) ||
        variable.size() != threshold.size())
      throw std::invalid_argument("the arrays of the trees do not fit together");
    nodes_.reserve(variable.size());
    for (std::size_t t = 0; t + 1 < node_offsets.size(); ++t) {
      const std::int64_t end = node_offsets[t + 1];
      roots_.push_back(nodes_.size());
      if (end > node_offsets.back() || append(variable, threshold, end) != end)
        throw std::invalid_argument("a tree is not complete");
    }
  }

  std::size_t n_trees() const { return roots_.size(); }
  std::size_t n_leaves() const { return n_leaves_; }
  int highest_variable() const { return highest_variable_; }

  // out[row, class] += sum over trees of weight * value[leaf of the row, class].
  void average(std::span<const double> x, std::size_t n_columns, std::span<const double> weight,
               std::span<const double> leaf_value, std::size_t n_classes, double* out) const {
    constexpr std::size_t rows_per_block = 256;  // their values and sums stay in the cache
    const std::size_t n_rows = x.size() / std::max<std::size_t>(n_columns, 1);
    for (std::size_t begin = 0; begin < n_rows; begin += rows_per_block) {
      const std::size_t end = std::min(n_rows, begin + rows_per_block);
      for (std::size_t t = 0; t < n_trees(); ++t) {
        if (weight[t] == 0.0) continue;
        for (std::size_t row = begin; row < end; ++row) {
          const double* value = &leaf_value[leaf_of(t, &x[row * n_columns]) * n_classes];
          for (std::size_t c = 0; c < n_classes; ++c)
            out[row * n_classes + c] += weight[t] * value[c];
        }
      }
    }
  }

  // out[tree, row] = the leaf that the row falls into.
  void apply(std::span<const double> x, std::size_t n_columns, std::int32_t* out) const {
    const std::size_t n_rows = x.size() / std::max<std::size_t>(n_columns, 1);
    for (std::size_t t = 0; t < n_trees(); ++t)
      for (std::size_t row = 0; row < n_rows; ++row)
        out[t * n_rows + row] = static_cast<std::int32_t>(leaf_of(t, &x[row * n_columns]));
  }

 private:
  struct PackedNode {
    double threshold;
    std::int32_t variable;  // none: a leaf
    std::int32_t next;      // right child, counted from here; or the number of the leaf
  };

  std::size_t leaf_of(std::size_t tree, const double* row) const {
    const PackedNode* node = &nodes_[roots_[tree]];
    while (node->variable != none)
      node += row[node->variable] <= node->threshold ? 1 : node->next;
    return static_cast<std::size_t>(node->next);
  }

  // Appends the tree that starts at the next node, in preorder; returns where it ends, or -1 if
  // it needs nodes beyond `end`.
  std::int64_t append(std::span<const std::int32_t> variable, std::span<const double> threshold,
                      std::int64_t end) {
    std::vector<std::size_t> without_right;
    bool is_complete = false;
    while (!is_complete) {
      const std::size_t here = nodes_.size();
      if (static_cast<std::int64_t>(here) >= end) return -1;
      const std::int32_t v = variable[here];
      if (v < none) return -1;
      highest_variable_ = std::max(highest_variable_, v);
      nodes_.push_back({threshold[here], v, 0});
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

  std::vector<PackedNode> nodes_;
  std::vector<std::size_t> roots_;
  std::size_t n_leaves_ = 0;
  std::int32_t highest_variable_ = none;
};

}  // namespace sweeptree
