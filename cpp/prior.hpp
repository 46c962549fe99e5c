// The prior of a tree: its shape and its rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "data.hpp"

namespace sweeptree {

enum class TreePrior { uniform, paper, flat, geometric, depth, range };
enum class RulePrior { observed, continuous };

// log Catalan(0..n). Trees with k terminal nodes number Catalan(k - 1).
inline std::vector<double> log_catalan_numbers(std::size_t n) {
  std::vector<double> log_catalan(n + 1, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double i = static_cast<double>(j);
    log_catalan[j + 1] = log_catalan[j] + std::log(2.0 * (2.0 * i + 1.0) / (i + 2.0));
  }
  return log_catalan;
}

// Under uniform, paper, flat and geometric the prior depends on k alone; under depth (Eq. 12) it is a product
// over nodes of the chance to split, or to stop, at their depth. What range adds is RangePrior's.
class ShapePrior {
 public:
  ShapePrior(TreePrior kind, double leaf_penalty, double gamma, double delta, int max_leaves)
      : kind_(kind) {
    const std::size_t n = static_cast<std::size_t>(max_leaves) + 2;
    log_size_.assign(n + 1, 0.0);
    if (kind == TreePrior::depth) fill_depths(gamma, delta, n);
    else if (kind == TreePrior::geometric) fill_penalties(leaf_penalty, n);
    else if (kind == TreePrior::uniform || kind == TreePrior::paper) fill_numbers_of_shapes(n);
  }

  bool depends_on_depth() const { return kind_ == TreePrior::depth; }
  double log_size(int k) const { return log_size_[k]; }
  double log_split(int depth) const { return log_split_[depth]; }
  double log_stop(int depth) const { return log_stop_[depth]; }

  // The factor by which a birth changes the prior of the shape.
  double log_birth(int k, int depth) const {
    if (depends_on_depth()) return log_split(depth) + 2.0 * log_stop(depth + 1) - log_stop(depth);
    return log_size(k + 1) - log_size(k);
  }

 private:
  void fill_penalties(double leaf_penalty, std::size_t n) {
    for (std::size_t k = 1; k <= n; ++k)
      log_size_[k] = -leaf_penalty * (static_cast<double>(k) - 1.0);
  }

  void fill_numbers_of_shapes(std::size_t n) {
    const std::vector<double> log_catalan = log_catalan_numbers(n);
    const std::size_t shift = kind_ == TreePrior::uniform ? 1 : 0;
    for (std::size_t k = 1; k <= n; ++k) log_size_[k] = -log_catalan[k - shift];
  }

  void fill_depths(double gamma, double delta, std::size_t n) {
    for (std::size_t depth = 0; depth <= n; ++depth) {
      const double p_split = gamma * std::pow(1.0 + static_cast<double>(depth), -delta);
      log_split_.push_back(std::log(p_split));
      log_stop_.push_back(std::log(1.0 - p_split));
    }
  }

  TreePrior kind_;
  std::vector<double> log_size_;
  std::vector<double> log_split_;
  std::vector<double> log_stop_;
};

// Eq. 13 as a proper prior: a rule is drawn from its prior with chance g; if it leaves both sides
// enough rows the node is split, otherwise, or without a rule, it stays terminal. So a splitting
// node has the factor g * p(rule), a terminal node 1 - g * P_s, with P_s the share of the rules
// that could split it. With continuous rules and one row per leaf, that share is, for each
// variable, Eq. 13: the range of the node's rows over the range of all rows.
class RangePrior {
 public:
  RangePrior(TreePrior kind, double g, RulePrior rule_prior, const Data* data, int min_samples_leaf)
      : is_used_(kind == TreePrior::range),
        g_(g),
        rule_prior_(rule_prior),
        data_(data),
        min_samples_leaf_(min_samples_leaf) {}

  bool is_used() const { return is_used_; }
  double log_split() const { return is_used_ ? std::log(g_) : 0.0; }
  double log_stop(const Word* mask) const { return std::log(1.0 - g_ * p_splittable(mask)); }

 private:
  double p_splittable(const Word* mask) const {
    if (data_->n_variables() == 0) return 0.0;
    double sum = 0.0;
    for (int v = 0; v < data_->n_variables(); ++v)
      sum += data_->variable(v).is_ordered() ? share_of_thresholds(v, mask) : share_of_levels(v, mask);
    return sum / data_->n_variables();
  }

  // The share of an ordered variable's rules that leave both sides enough rows.
  double share_of_thresholds(int v, const Word* mask) const {
    const Variable& variable = data_->variable(v);
    if (variable.n_missing == 0) return mass_between(v, mask, min_samples_leaf_, min_samples_leaf_);
    const int n_missing = data_->count_missing(v, mask);
    const int n_present = data_->count(mask) - n_missing;
    const int n_more = std::max(min_samples_leaf_ - n_missing, 0);  // on the side of missing ones
    double share = 0.0;
    if (variable.n_questions > 0 && n_present >= min_samples_leaf_)
      share = mass_between(v, mask, min_samples_leaf_, n_more) +
              mass_between(v, mask, n_more, min_samples_leaf_);
    if (std::min(n_missing, n_present) >= min_samples_leaf_) share += 1.0 / variable.n_cuts;
    return share;
  }

  // The mass of the thresholds, with missing values on one side, that leave n rows with a value
  // left and m right.
  double mass_between(int v, const Word* mask, int n, int m) const {
    const Variable& variable = data_->variable(v);
    const auto [low, high] = data_->inner_ranks(v, mask, n, m);
    if (low >= high) return 0.0;
    if (rule_prior_ == RulePrior::observed) return static_cast<double>(high - low) / variable.n_cuts;
    return (variable.values[high] - variable.values[low]) / variable.range() *
           variable.n_questions / variable.n_cuts;
  }

  double share_of_levels(int v, const Word* mask) const {
    const int n_rows = data_->count(mask);
    std::vector<int> left_counts(data_->n_classes());
    int n_splitting = 0;
    for (int cut = 0; cut < data_->n_cuts(v); ++cut) {
      data_->split(mask, v, cut, nullptr, nullptr, left_counts.data());
      const int n_left = std::accumulate(left_counts.begin(), left_counts.end(), 0);
      n_splitting += std::min(n_left, n_rows - n_left) >= min_samples_leaf_;
    }
    return static_cast<double>(n_splitting) / data_->n_cuts(v);
  }

  bool is_used_;
  double g_;
  RulePrior rule_prior_;
  const Data* data_;
  int min_samples_leaf_;
};

// The log probability that the prior gives a variable and a rule. Rules of a variable are equally
// likely, but for thresholds under continuous rules: these have the mass of their whole gap, so
// that it does not depend on the variable's units.
inline double log_rule_prior(RulePrior kind, const Data& data, int v, int cut) {
  const Variable& variable = data.variable(v);
  const double log_variable = -std::log(static_cast<double>(data.n_variables()));
  if (kind == RulePrior::observed || variable.test_of(cut) != Test::at_most)
    return log_variable - std::log(static_cast<double>(variable.n_cuts));
  const double share = static_cast<double>(variable.n_questions) / variable.n_cuts;
  return log_variable + std::log(variable.gap(cut) / variable.range() * share);
}

}  // namespace sweeptree
