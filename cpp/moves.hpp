// The four moves of the paper: how they are drawn, and the proposal-and-prior part of their
// acceptance ratios. Only draw_* functions take the generator; the ratios are plain arithmetic.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "data.hpp"
#include "prior.hpp"
#include "tree.hpp"

namespace sweeptree {

enum Move { birth, death, change_split, change_rule, n_moves };
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

struct Proposal {
  Move move;
  int node = none;  // none: the move is impossible from this tree
  Rule rule;
};

inline Move draw_move(Random& random, const MoveProbabilities& p_move) {
  double rest = random.uniform();
  for (int move = birth; move < n_moves - 1; ++move) {
    if (rest < p_move[move]) return static_cast<Move>(move);
    rest -= p_move[move];
  }
  return static_cast<Move>(n_moves - 1);
}

// One uniform gives both the cut (or gap) and the place inside it.
inline Rule draw_rule_of(Random& random, const Data& data, RulePrior prior, int variable) {
  if (prior == RulePrior::observed) {
    const double place = random.uniform() * data.n_cuts(variable);
    const int cut = static_cast<int>(place);
    return {variable, cut, data.threshold_in_gap(variable, cut, place - cut)};
  }
  const double threshold = data.lowest(variable) + random.uniform() * data.range(variable);
  return {variable, data.cut_of(variable, threshold), threshold};  // Eq. 14
}

inline Rule draw_rule(Random& random, const Data& data, RulePrior prior) {
  return draw_rule_of(random, data, prior, random.below(data.n_variables()));
}

// A rule of another variable (Eq. 15); there must be one.
inline Rule draw_other_rule(Random& random, const Data& data, RulePrior prior, int variable) {
  const int other = random.below(data.n_variables() - 1);
  return draw_rule_of(random, data, prior, other < variable ? other : other + 1);
}

// A Gaussian step from the present threshold (Eq. 16). It may leave the variable's range.
inline Rule draw_rule_step(Random& random, const Data& data, const Rule& rule, double scale) {
  const double sigma = scale * data.range(rule.variable);
  const double threshold = rule.threshold + sigma * random.normal();
  return {rule.variable, data.cut_of(rule.variable, threshold), threshold};
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

// A symmetric step of the threshold. Under observed cuts the threshold has density
// 1 / (N gap) inside a gap, so crossing into a wider gap is paid for.
inline double rule_step_log_ratio(RulePrior prior, const Data& data, const Rule& from,
                                  const Rule& to) {
  if (prior == RulePrior::continuous) return 0.0;
  return std::log(data.gap(from.variable, from.cut) / data.gap(to.variable, to.cut));
}

}  // namespace sweeptree
