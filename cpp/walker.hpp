// A tree that walks: propose, evaluate, accept or not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "moves.hpp"
#include "moving_tree.hpp"
#include "record.hpp"
#include "snapshot.hpp"
#include "state.hpp"

namespace sweeptree {

using MoveCounts = std::array<std::array<std::int64_t, n_outcomes>, n_moves>;

// Where proposals are screened there are two trees, the same but for their rows: of the second they
// are a sample. Both make the same moves, so that their nodes have the same numbers.
class Walker {
 public:
  Walker(const Target& target, const Strategy& strategy)
      : whole_(target, strategy, *target.data, target.min_samples_leaf),
        screen_(strategy.screens() ? std::make_unique<MovingTree>(target, strategy,
                                                                  *target.data->sample(), 0)
                                   : nullptr),
        ends_early_(!strategy.redraws && !strategy.sweeps && !target.range.is_used()) {}

  // One iteration of the sampler; returns whether the tree has changed.
  bool step(Random& random, const Heat& heat, bool is_burn_in, MoveCounts& counts) {
    const Strategy& strategy = state().strategy;
    bool has_changed = false;
    whole_.state().share = heat.share;
    const double u = 1.0 - random.uniform();  // never zero
    const double u_of_screen = screen_ ? 1.0 - random.uniform() : 1.0;
    for (int n_redraws = 0;; ++n_redraws) {
      const Proposal proposal = whole_.draw_proposal(random);
      const Screening screening = screened(proposal, u_of_screen, heat);
      const Hurdle hurdle(u, heat, screening.log_likelihood_change);
      const Evaluation evaluation =
          screening.lets_pass ? whole_.evaluate(proposal, ends_early_ ? hurdle : Hurdle{})
                              : Evaluation{};
      if (!evaluation.is_available && strategy.redraws && n_redraws < max_redraws) {
        ++counts[proposal.move][redrawn];
        whole_.drop(proposal);
        continue;
      }
      const Outcome outcome = decide(hurdle, heat, proposal, screening, evaluation);
      ++counts[proposal.move][outcome];
      has_changed = outcome != rejected;
      if (proposal.drawn == RuleDraw::gaussian && is_burn_in && strategy.tunes)
        whole_.rule_scale().tune(proposal.rule.variable, has_changed);
      break;
    }
    ++whole_.state().n_moves_made;
    if (state().learns_alpha() && state().n_moves_made % moves_between_alphas == 0)
      draw_alpha(random, heat.share);
    return has_changed;
  }

  // Replaces the tree by the one that the model holds.
  // Returns false, and leaves a single terminal node, if some leaf would be starved.
  bool plant(const FlatTrees& model) {
    const bool is_planted = whole_.plant(model);
    if (screen_ && is_planted) screen_->plant(model);
    if (screen_ && !is_planted) screen_->state().plant_root();
    return is_planted;
  }

  // Takes the tree and the alpha of another, its steps and its count of moves.
  void follow(const Walker& other) {
    FlatTrees model;
    model.append(other.tree(), state().data);
    plant(model);
    use_alpha(other.state().alpha);
    whole_.rule_scale() = other.rule_scale();
    whole_.state().n_moves_made = other.state().n_moves_made;
  }

  WalkerSnapshot snapshot() const { return take_snapshot(state(), whole_.rule_scale()); }
  void restore(const WalkerSnapshot& snapshot) {
    restore_snapshot(whole_.state(), whole_.rule_scale(), snapshot);
    if (screen_) restore_snapshot(screen_->state(), screen_->rule_scale(), snapshot);
  }

  MovingTree& moving_tree() { return whole_; }
  const MovingTree& moving_tree() const { return whole_; }
  MovingTree* screen() { return screen_.get(); }

  const State& state() const { return whole_.state(); }
  const Tree& tree() const { return whole_.tree(); }
  double log_likelihood() const { return state().log_likelihood; }
  void forget_rounding() { whole_.state().forget_rounding(); }
  const RuleScale& rule_scale() const { return whole_.rule_scale(); }

 private:
  // What was seen of a proposal on the sample of rows.
  struct Screening {
    bool lets_pass = true;
    double log_likelihood_change = 0.0;
  };

  // A proposal passes by the likelihood of the sample alone, and what was seen of it there is taken
  // off its ratio later on.
  Screening screened(const Proposal& proposal, double u, const Heat& heat) {
    if (!screen_) return {};
    const Evaluation seen = screen_->evaluate(proposal);
    if (!seen.is_available) return {false};
    const double change = seen.log_likelihood_change;
    return {Hurdle(u, heat).lets_pass(heat.share * change), change};
  }

  Outcome decide(const Hurdle& hurdle, const Heat& heat, const Proposal& proposal,
                 const Screening& screening, const Evaluation& evaluation) {
    const double taken_off = heat.share * screening.log_likelihood_change;
    if (!evaluation.is_available ||
        !hurdle.lets_pass(heated_log_ratio(heat, evaluation) - taken_off)) {
      if (screening.lets_pass) whole_.drop(proposal);
      if (screen_) screen_->drop(proposal);
      return rejected;
    }
    whole_.commit(proposal, evaluation);
    if (screen_) screen_->commit(proposal, Evaluation{});
    return evaluation.is_swept ? swept : accepted;
  }

  // While annealing large trees are held back: under a flat prior there are Catalan(k - 1) of
  // them, and half a likelihood does not outweigh that.
  double heated_log_ratio(const Heat& heat, const Evaluation& evaluation) const {
    const double log_ratio = evaluation.log_ratio + heat.share * evaluation.log_likelihood_change;
    if (heat.hold_back == 0.0) return log_ratio;
    const int k = tree().n_leaves();
    const int k_new = k + evaluation.n_leaves_change;
    const std::vector<double>& log_catalan = state().target.log_catalan;
    const double penalty = log_catalan[k_new - 1] - log_catalan[k - 1] + (k_new - k);
    return log_ratio - heat.hold_back * penalty;
  }

  // Given the tree; all values are equally likely a priori.
  void draw_alpha(Random& random, double share) {
    whole_.state().log_likelihood_by_alpha(alpha_weights_);
    for (double& weight : alpha_weights_) weight *= share;
    const int drawn = draw_by_log_weight(random, alpha_weights_);
    if (drawn != state().alpha) use_alpha(drawn);
  }

  void use_alpha(int value) {
    whole_.state().use_alpha(value);
    if (screen_) screen_->state().use_alpha(value);
  }

  MovingTree whole_;
  std::unique_ptr<MovingTree> screen_;
  // Redraws and sweeps depend on how many leaves are starved, the range prior on all leaves.
  const bool ends_early_;
  std::vector<double> alpha_weights_;
};

}  // namespace sweeptree
