// The moves: how they are drawn, and the proposal-and-prior part of their acceptance ratios.
// Only draw_* functions take the generator; the ratios are plain arithmetic.
// Birth, death and the changes are the paper's; with graft, splice, swap, regraft, rotate and
// transpose sweeping is exact.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

#include "data.hpp"
#include "prior.hpp"
#include "tree.hpp"

namespace sweeptree {

enum Move {
  birth,
  death,
  change_split,
  change_rule,
  graft,
  splice,
  swap_rules,
  regraft,
  rotate,
  transpose,
  n_moves
};
enum Outcome { accepted, rejected, redrawn, swept, n_outcomes };

using MoveProbabilities = std::array<double, n_moves>;

// numpy's bitgen_t, as its bit generators expose it through a capsule.
struct BitGenerator {
  void* state;
  std::uint64_t (*next_uint64)(void*);
  std::uint32_t (*next_uint32)(void*);
  double (*next_double)(void*);
  std::uint64_t (*next_raw)(void*);
};

class Random {
 public:
  explicit Random(BitGenerator* generator) : generator_(generator) {}

  double uniform() { return generator_->next_double(generator_->state); }
  int below(int n) { return static_cast<int>(uniform() * n); }

  // Box and Muller; the second value is not kept, so that a draw depends on nothing before it.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  BitGenerator* generator_;
};

// How much of the target counts.
struct Heat {
  double share = 1.0;      // of the log likelihood
  double hold_back = 0.0;  // of the penalty on large trees, while annealing
};

// What a proposal has to pass: a uniform, drawn before the proposal is looked at, so that the look
// can end once it is certain to fail.
class Hurdle {
 public:
  // Nothing is certain to fail.
  Hurdle() = default;
  // Of the change of the log likelihood `taken_off` does not count: what a screen has seen of it.
  Hurdle(double u, const Heat& heat, double taken_off = 0.0)
      : u_(u), heat_(heat), taken_off_(taken_off) {
    constexpr int bias = 1023;
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(u) >> 52) - bias;
    log_u_low_ = exponent * std::numbers::ln2;
  }

  // Whether log u is below; most often its exponent tells.
  bool lets_pass(double log_ratio) const {
    if (log_ratio >= 0.0 || log_ratio > log_u_low_ + std::numbers::ln2) return true;
    return log_ratio >= log_u_low_ && std::log(u_) < log_ratio;
  }

  // A proposal with this ratio and a smaller change of the log likelihood is certain to fail.
  double least_change(double log_ratio) const {
    if (heat_.hold_back > 0.0 || heat_.share == 0.0)
      return -std::numeric_limits<double>::infinity();
    return (log_u_low_ - log_ratio) / heat_.share + taken_off_;
  }

 private:
  double u_ = 0.0;
  Heat heat_;
  double taken_off_ = 0.0;
  double log_u_low_ = -std::numeric_limits<double>::infinity();
};

// How a new rule is drawn: from its prior, by a Gaussian step, or by a step over cut points.
enum class RuleDraw { prior, gaussian, ranks };

struct Proposal {
  Move move;
  int node = none;  // none: the move is impossible from this tree
  Rule rule{};
  RuleDraw drawn = RuleDraw::prior;
  // Graft, regraft: the side of what is added; rotate: of what goes over; transpose: of what rises.
  bool is_left = false;
  // Regraft: the node above which the subtree goes; transpose: the child that
  // gets the upper rule as it was.
  int other = none;
  // Of a rule chosen among several: the log of the chance to choose the present one back, over the
  // chance to choose this one.
  double log_choice = 0.0;
};

// What a proposal leads to. `log_ratio` is its proposal-and-prior part.
struct Evaluation {
  bool is_available = false;  // nor if it is certain to fail
  double log_ratio = 0.0;
  double log_likelihood_change = 0.0;
  int n_leaves_change = 0;
  bool is_swept = false;
};

// What rounding leaves over goes to the last move that is made at all.
inline Move draw_move(Random& random, const MoveProbabilities& p_move) {
  const double u = random.uniform();
  double sum = 0.0;
  int move = 0;
  for (const double p : p_move) move += u >= (sum += p);
  while (move >= n_moves || p_move[move] <= 0.0) --move;
  return static_cast<Move>(move);
}

inline int draw_member(Random& random, const NodeSet& set) {
  return set.size() == 0 ? none : set[random.below(set.size())];
}

// One of all 2k - 1.
inline int draw_node(Random& random, const Tree& tree) {
  const int n_leaves = tree.n_leaves();
  const int place = random.below(2 * n_leaves - 1);
  return place < n_leaves ? tree.leaves[place] : tree.splits[place - n_leaves];
}

// A splitting node whose two children ask about the same variable, or none.
inline int draw_split_above_twins(Random& random, const Tree& tree) {
  const int n = tree.n_splits_above_twins();
  return n == 0 ? none : tree.split_above_twins(random.below(n));
}

// A splitting node below another one, or none.
inline int draw_lower_split(Random& random, const Tree& tree) {
  const int n = tree.splits.size() - 1;
  if (n < 1) return none;
  const int place = random.below(n);
  return tree.splits[place < tree.splits.place_of(tree.root()) ? place : place + 1];
}

// A place, each with a chance in proportion to its weight. The weights are used up.
inline int draw_by_log_weight(Random& random, std::vector<double>& log_weights) {
  const double most = *std::max_element(log_weights.begin(), log_weights.end());
  double sum = 0.0;
  for (double& weight : log_weights) weight = sum += std::exp(weight - most);
  const auto above =
      std::upper_bound(log_weights.begin(), log_weights.end(), random.uniform() * sum);
  return static_cast<int>(std::min(above, log_weights.end() - 1) - log_weights.begin());
}

// A rule at one place among those of a variable, the fraction being that inside its gap.
inline Rule rule_at(const Data& data, int variable, int cut, double fraction) {
  return {variable, cut, data.variable(variable).threshold_of(cut, fraction)};
}

// One uniform gives both the rule and, of a threshold, the place inside its gap.
inline Rule draw_observed_rule(Random& random, const Data& data, int variable) {
  const double place = random.uniform() * data.n_cuts(variable);
  const int cut = static_cast<int>(place);
  return rule_at(data, variable, cut, place - cut);
}

// A threshold anywhere in the variable's range, below its highest value even where it is rounded.
inline Rule draw_threshold(Random& random, const Data& data, int v, bool missing_left) {
  const Variable& variable = data.variable(v);
  const double drawn = variable.values.front() + random.uniform() * variable.range();
  const double highest = std::nextafter(variable.values.back(), variable.values.front());
  const double threshold = std::min(drawn, highest);
  return {v, variable.cut_of(Test::at_most, threshold, missing_left), threshold};  // Eq. 14
}

inline Rule draw_rule_of(Random& random, const Data& data, RulePrior prior, int variable) {
  const Variable& its = data.variable(variable);
  if (prior == RulePrior::observed || !its.is_ordered())
    return draw_observed_rule(random, data, variable);
  if (its.n_missing == 0) return draw_threshold(random, data, variable, false);
  const int cut = random.below(its.n_cuts);  // whether missing values are asked for, or their side
  if (its.asks_missing(cut)) return rule_at(data, variable, cut, 0.0);
  return draw_threshold(random, data, variable, its.sends_missing_left(cut));
}

inline Rule draw_rule(Random& random, const Data& data, RulePrior prior) {
  return draw_rule_of(random, data, prior, random.below(data.n_variables()));
}

// A rule of another variable (Eq. 15); there must be one.
inline Rule draw_other_rule(Random& random, const Data& data, RulePrior prior, int variable) {
  const int other = random.below(data.n_variables() - 1);
  return draw_rule_of(random, data, prior, other < variable ? other : other + 1);
}

// A step by 1 to 2^j cuts with j uniform. Symmetric between cuts; it may leave the range.
inline Rule draw_rank_step(Random& random, const Data& data, const Rule& rule) {
  const int n_cuts = data.n_cuts(rule.variable);
  const int reach = 1 << random.below(std::bit_width(static_cast<unsigned>(n_cuts)));
  const int size = 1 + random.below(reach);
  const int cut = random.uniform() < 0.5 ? rule.cut - size : rule.cut + size;
  const double fraction = random.uniform();
  if (!data.is_inside(rule.variable, cut)) return {rule.variable, cut, rule.threshold};
  return rule_at(data, rule.variable, cut, fraction);
}

// Where two splits get a rule that one had, the second has the same cut this often.
inline constexpr double p_same_cut = 0.5;

// That cut, its threshold drawn anew; else a step over cuts, whatever these are.
inline Rule draw_twin_rule(Random& random, const Data& data, const Rule& rule) {
  if (random.uniform() < p_same_cut)
    return rule_at(data, rule.variable, rule.cut, random.uniform());
  return draw_rank_step(random, data, rule);
}

// A Gaussian step from the present threshold (Eq. 16), and a side for missing values. It may leave
// the variable's range.
inline Rule draw_gaussian_step(Random& random, const Data& data, const Rule& rule, double scale) {
  const Variable& variable = data.variable(rule.variable);
  const double threshold = rule.threshold + scale * variable.range() * random.normal();
  const bool missing_left = variable.n_missing > 0 && random.uniform() < 0.5;
  return {rule.variable, variable.cut_of(Test::at_most, threshold, missing_left), threshold};
}

// Birth, k -> k + 1 terminal nodes (Eq. 10). The rule is drawn from its prior, so those factors
// cancel. `n_prunable_after` is counted on the proposed tree; `log_shape` is the prior's factor.
inline double birth_log_ratio(int k, int n_prunable_after, const MoveProbabilities& p_move,
                              double log_shape) {
  return std::log(p_move[death] * k / (p_move[birth] * n_prunable_after)) + log_shape;
}

// Death, k -> k - 1: the inverse of the birth that undoes it (Eq. 11, corrected).
inline double death_log_ratio(int k, int n_prunable, const MoveProbabilities& p_move,
                              double log_shape) {
  return std::log(p_move[birth] * n_prunable / (p_move[death] * (k - 1))) + log_shape;
}

// A new rule of the same variable. A rule drawn from the prior needs no factor. A Gaussian step is
// symmetric between thresholds, whose density under observed cuts is 1 / (N gap) inside a gap; a
// step over cut points is symmetric between cuts, which under continuous rules differ in mass.
inline double rule_log_ratio(RuleDraw drawn, RulePrior prior, const Data& data, const Rule& from,
                             const Rule& to) {
  const Variable& variable = data.variable(from.variable);
  if (drawn == RuleDraw::gaussian && prior == RulePrior::observed)
    return std::log(variable.gap(from.cut) / variable.gap(to.cut));
  if (drawn == RuleDraw::ranks && prior == RulePrior::continuous)
    return log_rule_prior(prior, data, to.variable, to.cut) -
           log_rule_prior(prior, data, from.variable, from.cut);
  return 0.0;
}

// Log of R for a rule chosen among several, each with a chance in proportion to its weight. On the
// way back the present one is chosen among it and the others in the same way.
inline double choice_log_ratio(const std::vector<double>& log_weights, int chosen,
                               double log_present) {
  const double log_chosen = log_weights[chosen];
  const double most =
      std::max(log_present, *std::max_element(log_weights.begin(), log_weights.end()));
  double others = 0.0;
  for (int i = 0; i < static_cast<int>(log_weights.size()); ++i)
    if (i != chosen) others += std::exp(log_weights[i] - most);
  const double forth = others + std::exp(log_chosen - most);
  const double back = others + std::exp(log_present - most);
  return std::log(forth) - std::log(back) + log_present - log_chosen;
}

// The chance that draw_twin_rule makes one cut of another. Symmetric.
inline double p_twin_cut(int n_cuts, int from, int to) {
  const int size = std::abs(to - from);
  if (size == 0) return p_same_cut;
  const int n_reaches = std::bit_width(static_cast<unsigned>(n_cuts));
  double p_size = 0.0;
  for (int j = 0; j < n_reaches; ++j)
    if (size <= 1 << j) p_size += 1.0 / (static_cast<double>(n_reaches) * (1 << j));
  return (1.0 - p_same_cut) * 0.5 * p_size;
}

// Graft, k -> k + 1: one of 2k - 1 nodes, one of two sides, a rule from its prior; undone by the
// splice of the one leaf it adds. Under 1/S_k the shape's factor is (k + 1) / (2 (2k - 1)): at
// equal rates everything cancels and the ratio is the likelihood's alone.
inline double graft_log_ratio(int k, const MoveProbabilities& p_move, double log_shape) {
  return std::log(p_move[splice] * 2.0 * (2.0 * k - 1.0) / (p_move[graft] * (k + 1.0))) + log_shape;
}

// Splice, k -> k - 1: the inverse of the graft that undoes it.
inline double splice_log_ratio(int k, const MoveProbabilities& p_move, double log_shape) {
  return std::log(p_move[graft] * k / (p_move[splice] * 2.0 * (2.0 * k - 3.0))) + log_shape;
}

}  // namespace sweeptree
