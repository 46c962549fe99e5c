// One of several rules for a split of two leaves, chosen by the likelihood of the leaves that it
// would make. To look at a rule there takes one count of the node's rows. Where these are many, one
// rule is so much better than nearly all others that looking at several is in vain.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "halves.hpp"
#include "moves.hpp"
#include "state.hpp"

namespace sweeptree {

class RuleChoice {
 public:
  explicit RuleChoice(State& state) : state_(state), halves_(state.data) {}

  bool is_offered_at(int node) const {
    return state_.strategy.n_tries > 1 && state_.tree[node].n_rows <= most_rows_chosen_for &&
           state_.tree.prunable.contains(node);
  }

  // Impossible if none of the rules drawn leaves both sides enough rows.
  void draw(Random& random, Proposal& proposal) {
    rules_.clear();
    for (int i = 0; i < state_.strategy.n_tries; ++i)
      rules_.push_back(draw_rule(random, state_.data, state_.target.rule_prior));
    weigh(proposal.node, rules_);
    if (*std::max_element(log_weights_.begin(), log_weights_.end()) == impossible) {
      proposal.node = none;
      return;
    }
    cumulative_ = log_weights_;
    const int chosen = draw_by_log_weight(random, cumulative_);
    proposal.rule = rules_[chosen];
    proposal.log_choice = log_ratio(proposal.node, chosen);
  }

  // For tests: of the first rule, had it been chosen among all of these.
  double log_ratio_of_first(int node, const std::vector<Rule>& rules) {
    weigh(node, rules);
    return log_ratio(node, 0);
  }

 private:
  static constexpr double impossible = -std::numeric_limits<double>::infinity();

  double log_ratio(int node, int chosen) const {
    const Tree& tree = state_.tree;
    const double log_present =
        tree[tree[node].left].log_likelihood + tree[tree[node].right].log_likelihood;
    return choice_log_ratio(log_weights_, chosen, state_.share * log_present);
  }

  void weigh(int node, const std::vector<Rule>& rules) {
    log_weights_.clear();
    for (const Rule& rule : rules) {
      const bool is_possible = halves_.look(state_, node, rule);
      log_weights_.push_back(is_possible ? state_.share * halves_.log_likelihood() : impossible);
    }
  }

  State& state_;
  Halves halves_;
  std::vector<Rule> rules_;
  std::vector<double> log_weights_;
  std::vector<double> cumulative_;
};

}  // namespace sweeptree
