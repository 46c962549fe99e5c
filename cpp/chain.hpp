// One Markov chain over trees: propose, evaluate, accept or not, record.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branch_moves.hpp"
#include "leaf_moves.hpp"
#include "moves.hpp"
#include "prior.hpp"
#include "record.hpp"
#include "rule_moves.hpp"
#include "state.hpp"

namespace sweeptree {

enum Phase { burn_in, sampling, n_phases };

class Chain {
 public:
  Chain(const Target& target, const Strategy& strategy, double start_share, Random random)
      : random_(random),
        start_share_(start_share),
        state_(target, strategy),
        leaf_moves_(state_),
        rule_moves_(state_),
        branch_moves_(state_),
        log_catalan_(log_catalan_numbers(target.max_leaves)) {}
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Makes moves until `n` are made or `seconds` have passed; returns how many were made.
  // In the sampling phase every `thin`-th move is recorded.
  std::int64_t run(std::int64_t n, Phase phase, std::int64_t thin, double seconds,
                   FullTrace* trace) {
    constexpr std::int64_t moves_between_looks_at_the_clock = 32;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    phase_ = phase;
    for (std::int64_t i = 1; i <= n; ++i) {
      step();
      if (phase == sampling && ++n_since_draw_ >= thin) record_draw();
      if (trace != nullptr) record_move(*trace);
      if (i % moves_between_looks_at_the_clock == 0 && std::chrono::steady_clock::now() >= end)
        return i;
    }
    return n;
  }

  // One iteration of the sampler.
  void step() {
    for (int n_redraws = 0;; ++n_redraws) {
      const Proposal proposal = draw_proposal();
      const Evaluation evaluation = evaluate(proposal);
      if (!evaluation.is_available && state_.strategy.redraws && n_redraws < max_redraws) {
        count(proposal.move, redrawn);
        drop(proposal);
        continue;
      }
      decide(proposal, evaluation);
      break;
    }
    ++state_.n_moves_made;
    if (state_.learns_alpha() && state_.n_moves_made % moves_between_alphas == 0) draw_alpha();
  }

  Proposal draw_proposal() {
    Proposal proposal{draw_move(random_, state_.strategy.p_move)};
    switch (proposal.move) {
      case birth: leaf_moves_.draw_birth(random_, proposal); break;
      case death: leaf_moves_.draw_death(random_, proposal); break;
      case change_split: rule_moves_.draw_change_split(random_, proposal); break;
      case change_rule: rule_moves_.draw_change_rule(random_, proposal); break;
      case graft: branch_moves_.draw_graft(random_, proposal); break;
      case splice: branch_moves_.draw_splice(random_, proposal); break;
      case swap_rules: rule_moves_.draw_swap(random_, proposal); break;
      default: branch_moves_.draw_regraft(random_, proposal); break;
    }
    return proposal;
  }

  // Deterministic: what the proposal leads to. Its links and rules stay in the tree until it is
  // committed or dropped; a birth or a death leaves the tree as it is.
  Evaluation evaluate(const Proposal& proposal) {
    if (proposal.node == none) return {};
    switch (proposal.move) {
      case birth: return leaf_moves_.evaluate_birth(proposal);
      case death: return leaf_moves_.evaluate_death(proposal);
      case graft: return branch_moves_.evaluate_graft(proposal);
      case splice: return branch_moves_.evaluate_splice(proposal);
      case swap_rules: return rule_moves_.evaluate_swap(proposal);
      case regraft: return branch_moves_.evaluate_regraft(proposal);
      default: return rule_moves_.evaluate_change(proposal);
    }
  }

  void commit(const Proposal& proposal, const Evaluation& evaluation) {
    state_.log_likelihood += evaluation.log_likelihood_change;
    has_changed_ = true;
    switch (proposal.move) {
      case birth: leaf_moves_.commit_birth(proposal); break;
      case death: leaf_moves_.commit_death(proposal); break;
      case graft: branch_moves_.commit_graft(); break;
      case splice: branch_moves_.commit_splice(); break;
      case swap_rules: rule_moves_.commit_swap(); break;
      case regraft: branch_moves_.commit_regraft(); break;
      default: rule_moves_.commit_change(); break;
    }
  }

  void drop(const Proposal& proposal) {
    if (proposal.node == none) return;
    switch (proposal.move) {
      case birth:
      case death: return;
      case graft: branch_moves_.drop_graft(); break;
      case splice: branch_moves_.drop_splice(); break;
      case swap_rules: rule_moves_.drop_swap(proposal); break;
      case regraft: branch_moves_.drop_regraft(); break;
      default: rule_moves_.drop_change(proposal); break;
    }
    state_.refill.drop();
  }

  // Replaces the tree; `nodes` come in preorder, the variable of a terminal node is `none`.
  // Returns false, and leaves a single terminal node, if some leaf would be starved.
  bool plant(std::span<const std::int32_t> variable, std::span<const double> threshold) {
    plant_root();
    std::vector<int> waiting{tree().root()};
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const int node = waiting.back();
      waiting.pop_back();
      if (variable[i] == none) continue;
      Proposal proposal{birth, node};
      proposal.rule = {variable[i], state_.data.cut_of(variable[i], threshold[i]), threshold[i]};
      const Evaluation evaluation = evaluate(proposal);
      if (!evaluation.is_available) {
        plant_root();
        return false;
      }
      commit(proposal, evaluation);
      waiting.push_back(tree()[node].right);
      waiting.push_back(tree()[node].left);
    }
    return true;
  }

  bool may_regraft(int moved, int other) const { return branch_moves_.may_regraft(moved, other); }

  const Tree& tree() const { return state_.tree; }
  double log_likelihood() const { return state_.log_likelihood; }
  double log_prior() const { return state_.log_prior(); }
  const RuleScale& rule_scale() const { return rule_moves_.scale; }
  const Draws& draws() const { return draws_; }
  void halve_draws() { draws_.halve(state_.data.n_classes()); }
  using Counts = std::array<std::array<std::array<std::int64_t, n_outcomes>, n_moves>, n_phases>;
  const Counts& counts() const { return counts_; }

 private:
  // ---- deciding ----------------------------------------------------------------------------

  void decide(const Proposal& proposal, const Evaluation& evaluation) {
    const bool is_accepted = evaluation.is_available && draw_acceptance(evaluation);
    if (is_accepted) commit(proposal, evaluation);
    else drop(proposal);
    const Outcome if_accepted = evaluation.is_swept ? swept : accepted;
    count(proposal.move, is_accepted ? if_accepted : rejected);
    if (proposal.drawn == RuleDraw::gaussian && phase_ == burn_in && state_.strategy.tunes)
      rule_moves_.scale.tune(proposal.rule.variable, is_accepted);
  }

  // The uniform is drawn even where it cannot matter: a ratio of one is sometimes rounded down.
  bool draw_acceptance(const Evaluation& evaluation) {
    const double u = 1.0 - random_.uniform();  // never zero
    const double log_ratio = annealed_log_ratio(evaluation);
    return log_ratio >= 0.0 || std::log(u) < log_ratio;
  }

  // While annealing, the likelihood counts in part, and large trees are held back: under a flat
  // prior there are Catalan(k - 1) of them, and half a likelihood does not outweigh that.
  double annealed_log_ratio(const Evaluation& evaluation) const {
    const double share = likelihood_share();
    if (share == 1.0) return evaluation.log_ratio + evaluation.log_likelihood_change;
    const int k = tree().n_leaves();
    const int k_new = k + evaluation.n_leaves_change;
    const double penalty = log_catalan_[k_new - 1] - log_catalan_[k - 1] + (k_new - k);
    return evaluation.log_ratio + share * evaluation.log_likelihood_change -
           (1.0 - share) * penalty;
  }

  // How much the likelihood counts: less than 1 while annealing.
  double likelihood_share() const {
    const std::int64_t anneal_moves = state_.strategy.anneal_moves;
    if (phase_ == sampling || state_.n_moves_made >= anneal_moves) return 1.0;
    const double progress = static_cast<double>(state_.n_moves_made) / anneal_moves;
    return start_share_ + (1.0 - start_share_) * progress;
  }

  // Given the tree; all values are equally likely a priori.
  void draw_alpha() {
    const double share = likelihood_share();
    alpha_weights_.resize(state_.target.likelihoods.size());
    for (std::size_t i = 0; i < alpha_weights_.size(); ++i)
      alpha_weights_[i] = share * state_.log_likelihood_with_alpha(static_cast<int>(i));
    state_.use_alpha(draw_by_log_weight(random_, alpha_weights_));
  }

  void count(Move move, Outcome outcome) { ++counts_[phase_][move][outcome]; }

  void plant_root() {
    state_.plant_root();
    has_changed_ = true;
  }

  // ---- recording ---------------------------------------------------------------------------

  void record_draw() {
    n_since_draw_ = 0;
    state_.forget_rounding();
    if (has_changed_) {
      draws_.trees.append(tree(), state_.data.n_classes());
      has_changed_ = false;
    }
    draws_.n_leaves.push_back(tree().n_leaves());
    draws_.depth.push_back(tree().depth_below(tree().root()));
    draws_.log_likelihood.push_back(log_likelihood());
    draws_.log_prior.push_back(log_prior());
    draws_.alpha.push_back(state_.alpha);
    draws_.tree.push_back(static_cast<std::int32_t>(draws_.trees.node_offsets.size()) - 2);
  }

  void record_move(FullTrace& trace) const {
    trace.n_leaves.push_back(tree().n_leaves());
    trace.log_likelihood.push_back(log_likelihood());
  }

  Random random_;
  double start_share_;
  State state_;
  LeafMoves leaf_moves_;
  RuleMoves rule_moves_;
  BranchMoves branch_moves_;
  std::vector<double> log_catalan_;
  std::vector<double> alpha_weights_;
  Phase phase_ = burn_in;
  std::int64_t n_since_draw_ = 0;
  bool has_changed_ = true;
  Counts counts_{};
  Draws draws_;
};

}  // namespace sweeptree
