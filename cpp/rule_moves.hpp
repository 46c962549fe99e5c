// Changes of rules where they stand: of one splitting node, with the sweep that may follow, and the
// swap between a node and its parent. The new rules are in the tree while they are looked at.
#pragma once

#include <optional>
#include <utility>

#include "moves.hpp"
#include "rule_choice.hpp"
#include "state.hpp"

namespace sweeptree {

class RuleMoves {
 public:
  explicit RuleMoves(State& state)
      : scale(state.strategy),
        choice(state),
        state_(state),
        tree_(state.tree),
        refill_(state.refill) {}

  RuleScale scale;
  RuleChoice choice;

  // ---- changes -------------------------------------------------------------------------------

  void draw_change_split(Random& random, Proposal& proposal) {
    const bool changes_variable = state_.strategy.changes_variable;
    if (changes_variable && state_.data.n_variables() < 2) return;
    proposal.node = draw_member(random, tree_.splits);
    if (proposal.node == none) return;
    if (choice.is_offered_at(proposal.node)) {
      choice.draw(random, proposal);
      return;
    }
    const int variable = tree_[proposal.node].rule.variable;
    const RulePrior prior = state_.target.rule_prior;
    proposal.rule = changes_variable ? draw_other_rule(random, state_.data, prior, variable)
                                     : draw_rule(random, state_.data, prior);
  }

  void draw_change_rule(Random& random, Proposal& proposal) {
    proposal.node = draw_member(random, tree_.splits);
    if (proposal.node == none) return;
    const Data& data = state_.data;
    const Rule& rule = tree_[proposal.node].rule;
    const Variable& variable = data.variable(rule.variable);
    proposal.drawn = state_.strategy.rule_draw;
    if (proposal.drawn == RuleDraw::ranks && random.uniform() < p_anywhere)
      proposal.drawn = RuleDraw::prior;
    if (!variable.is_ordered()) proposal.drawn = RuleDraw::prior;  // levels have no neighbours
    if (proposal.drawn == RuleDraw::gaussian && variable.asks_missing(rule.cut)) {
      proposal = Proposal{change_rule};  // there is no threshold to step from
      return;
    }
    switch (proposal.drawn) {
      case RuleDraw::prior:
        proposal.rule = draw_rule_of(random, data, state_.target.rule_prior, rule.variable);
        break;
      case RuleDraw::gaussian:
        proposal.rule = draw_gaussian_step(random, data, rule, scale[rule.variable]);
        break;
      case RuleDraw::ranks: proposal.rule = draw_rank_step(random, data, rule); break;
    }
  }

  Evaluation evaluate_change(const Proposal& proposal, const Hurdle& hurdle) {
    const bool sweeps = state_.strategy.sweeps;
    swept_.reset();
    old_rule_ = std::exchange(tree_[proposal.node].rule, proposal.rule);
    const bool is_inside = state_.data.is_inside(proposal.rule.variable, proposal.rule.cut);
    if (!is_inside && !sweeps) return {};
    const double log_ratio = is_inside ? rule_log_ratio(proposal.drawn, state_.target.rule_prior,
                                                        state_.data, old_rule_, proposal.rule) +
                                             proposal.log_choice
                                       : 0.0;
    // A sweep compares sums over all leaves: none may be passed over.
    refill_.begin(sweeps ? 1 : 0, Changes{.anywhere = sweeps}, hurdle.least_change(log_ratio));
    refill_.run(proposal.node, proposal.node);
    if (refill_.n_starved == 1 && sweeps) return evaluate_sweep(proposal);
    if (refill_.is_hopeless()) return {};
    return {true, log_ratio + state_.log_range_change(0), state_.likelihood_change(), 0};
  }

  void commit_change() {
    refill_.settle();
    if (swept_) tree_.discard(*swept_);
  }

  void drop_change(const Proposal& proposal) {
    if (swept_) tree_.relink(*swept_);
    tree_[proposal.node].rule = old_rule_;
  }

  // ---- swap ----------------------------------------------------------------------------------

  // A splitting node below another one; if its sibling has the same cut, a threshold for it too.
  void draw_swap(Random& random, Proposal& proposal) {
    proposal.node = draw_lower_split(random, tree_);
    if (proposal.node == none || !tree_.shares_cut_with_sibling(proposal.node)) return;
    proposal.rule = tree_[tree_[proposal.node].parent].rule;
    proposal.rule =
        rule_at(state_.data, proposal.rule.variable, proposal.rule.cut, random.uniform());
  }

  // A parent and a child exchange their rules; if both children have one cut, both take part.
  Evaluation evaluate_swap(const Proposal& proposal, const Hurdle& hurdle) {
    const int child = proposal.node;
    const int parent = tree_[child].parent;
    const double log_ratio = swap_log_ratio(child);
    sibling_in_swap_ = tree_.shares_cut_with_sibling(child) ? tree_.sibling(child) : none;
    std::swap(tree_[parent].rule, tree_[child].rule);
    if (sibling_in_swap_ != none)
      old_rule_ = std::exchange(tree_[sibling_in_swap_].rule, proposal.rule);
    refill_.begin(0, Changes{.node = child, .other = sibling_in_swap_},
                  hurdle.least_change(log_ratio));
    refill_.run(parent, parent);
    if (refill_.is_hopeless()) return {};
    return {true, log_ratio + state_.log_range_change(0), state_.likelihood_change(), 0};
  }

  void commit_swap() { refill_.settle(); }

  void drop_swap(const Proposal& proposal) {
    std::swap(tree_[tree_[proposal.node].parent].rule, tree_[proposal.node].rule);
    if (sibling_in_swap_ != none) tree_[sibling_in_swap_].rule = old_rule_;
  }

 private:
  // The changed tree without its one starved leaf, accepted with the ratio of a death.
  Evaluation evaluate_sweep(const Proposal& proposal) {
    const LeafSums before = refill_.before;
    const int leaf = refill_.starved_leaf;
    const int k = tree_.n_leaves();
    const double log_shape = state_.log_shape_of_removal(leaf);
    swept_ = tree_.unlink(leaf);
    refill_.begin(0, Changes{.anywhere = true}, Hurdle{}.least_change(0.0));
    refill_.run(swept_->split == proposal.node ? swept_->promoted : proposal.node, proposal.node);
    refill_.before = before;
    const double log_ratio = death_log_ratio(k, tree_.prunable.size(), state_.strategy.p_move,
                                             log_shape + state_.log_range_change(-1));
    return {true, log_ratio, state_.likelihood_change(), -1, true};
  }

  // Where both children take part the tree gains one of the parent's rules and loses one of theirs.
  double swap_log_ratio(int child) const {
    if (!tree_.shares_cut_with_sibling(child)) return 0.0;
    return state_.log_prior_of(tree_[tree_[child].parent].rule) -
           state_.log_prior_of(tree_[child].rule);
  }

  State& state_;
  Tree& tree_;
  Refill& refill_;

  // The proposal under evaluation.
  Rule old_rule_;
  std::optional<Removal> swept_;
  int sibling_in_swap_ = none;
};

}  // namespace sweeptree
