// How a chain walks: what it does with moves that cannot be made, and how it steps its rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "moves.hpp"

namespace sweeptree {

struct Strategy {
  MoveProbabilities p_move{};
  bool redraws = false;           // an unavailable move is drawn anew instead of being rejected
  bool sweeps = false;            // a change that starves one leaf removes that leaf
  bool changes_variable = false;  // change-split draws a variable other than the present (Eq. 15)
  RuleDraw rule_draw = RuleDraw::prior;  // how change-rule draws
  bool tunes = false;             // the step sizes are tuned in burn-in
  std::vector<double> rule_scale;  // Gaussian step of each variable, as a share of its range
  int restrict_leaves = 0;
  std::int64_t restrict_moves = 0;  // for so many moves, at most restrict_leaves
  std::int64_t anneal_moves = 0;    // over so many moves the likelihood comes to count in full
  int n_tries = 1;  // of so many rules change-split chooses one, for a small split of two leaves
  int screen_every = 1;  // proposals are screened by every so many-th row; 1: they are not

  bool screens() const { return screen_every > 1; }
};

// Steps over cut points are, this often, draws from the prior: a cut far away is within reach.
inline constexpr double p_anywhere = 0.15;

// For a split of more rows no rule is chosen among several.
inline constexpr int most_rows_chosen_for = 200;

// After so many moves alpha is drawn anew, where it is learned.
inline constexpr std::int64_t moves_between_alphas = 100;

// After so many redraws in a row the chain stays where it is: nothing may be available at all.
inline constexpr int max_redraws = 1000;

// The step sizes of change-rule, tuned toward the paper's acceptance by Robbins and Monro's
// recursion on the log scale, with steps that shrink.
class RuleScale {
 public:
  explicit RuleScale(const Strategy& strategy)
      : scale_(strategy.rule_scale), n_tried_(strategy.rule_scale.size(), 0) {}
  RuleScale(std::vector<double> scale, std::vector<std::int64_t> n_tried)
      : scale_(std::move(scale)), n_tried_(std::move(n_tried)) {}

  static constexpr double target_acceptance = 0.25;
  static constexpr double smallest = 1e-6;
  static constexpr double largest = 1.0;

  double operator[](int variable) const { return scale_[variable]; }
  const std::vector<double>& values() const { return scale_; }
  const std::vector<std::int64_t>& n_tried() const { return n_tried_; }

  void tune(int variable, bool was_accepted) {
    const double n = static_cast<double>(++n_tried_[variable]);
    const double error = (was_accepted ? 1.0 : 0.0) - target_acceptance;
    const double scale = scale_[variable] * std::exp(error * std::pow(n, -0.6));
    scale_[variable] = std::clamp(scale, smallest, largest);
  }

 private:
  std::vector<double> scale_;
  std::vector<std::int64_t> n_tried_;
};

}  // namespace sweeptree
