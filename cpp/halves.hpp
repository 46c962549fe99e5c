// The two leaves that a rule would make of the rows at a node: counted, and not written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "state.hpp"

namespace sweeptree {

struct Half {
  explicit Half(std::size_t n_classes) : counts(n_classes) {}

  std::vector<int> counts;
  int n_rows = 0;
  double log_leaf = 0.0;
};

struct Halves {
  explicit Halves(const Data& data) : left(data.n_classes()), right(data.n_classes()) {}

  Half left;
  Half right;

  // Returns whether both have enough rows; the rule is inside its variable's range.
  bool look(const State& state, int node, const Rule& rule) {
    const int* counts = state.tree.counts(node);
    state.data.split(state.tree[node].mask, rule.variable, rule.cut, nullptr, nullptr,
                     left.counts.data());
    left.n_rows = 0;
    for (std::size_t c = 0; c < left.counts.size(); ++c) {
      right.counts[c] = counts[c] - left.counts[c];
      left.n_rows += left.counts[c];
    }
    right.n_rows = state.tree[node].n_rows - left.n_rows;
    if (std::min(left.n_rows, right.n_rows) < state.min_samples_leaf) return false;
    left.log_leaf = state.likelihood->log_leaf(left.counts.data(), left.n_rows);
    right.log_leaf = state.likelihood->log_leaf(right.counts.data(), right.n_rows);
    return true;
  }

  double log_likelihood() const { return left.log_leaf + right.log_leaf; }
};

}  // namespace sweeptree
