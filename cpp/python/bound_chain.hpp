// A chain as Python sees it: run, read, taken apart into a dict and put together again, and asked what
// a single move would do.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../chain.hpp"
#include "../predict.hpp"
#include "arrays.hpp"

namespace sweeptree {

inline const std::map<std::string, Move> moves{{"birth", birth},
                                               {"death", death},
                                               {"change_split", change_split},
                                               {"change_rule", change_rule},
                                               {"graft", graft},
                                               {"splice", splice},
                                               {"swap", swap_rules},
                                               {"regraft", regraft},
                                               {"rotate", rotate},
                                               {"transpose", transpose}};
inline const std::map<std::string, RuleDraw> rule_draws{{"prior", RuleDraw::prior},
                                                        {"gaussian", RuleDraw::gaussian},
                                                        {"ranks", RuleDraw::ranks}};

inline Random random_of(nb::handle bit_generator) {
  nb::object capsule = bit_generator.attr("capsule");
  auto* generator =
      static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
  if (generator == nullptr) throw nb::python_error();
  return Random(generator);
}

inline nb::object trees_to_numpy(const FlatTrees& trees, std::size_t n_classes) {
  const std::size_t n_leaves = trees.leaf_counts.size() / n_classes;
  return nb::make_tuple(to_numpy(trees.node_offsets), to_numpy(trees.variable),
                        to_numpy(trees.test), to_numpy(trees.threshold),
                        to_numpy(trees.missing_left),
                        to_numpy(trees.leaf_counts, {n_leaves, n_classes}));
}

// Puts what it visits into a dict.
struct Give {
  nb::dict& to;

  template <typename T>
  void operator()(const char* name, const std::vector<T>& values) const {
    to[name] = to_numpy(values);
  }

  template <typename T>
  void operator()(const char* name, const T& number) const {
    to[name] = number;
  }
};

// Fills what it visits from a dict, without converting anything.
struct Take {
  const nb::dict& from;

  template <typename T>
  void operator()(const char* name, std::vector<T>& values) const {
    Array<T> array;
    get(name, array);
    values.assign(array.data(), array.data() + array.size());
  }

  template <typename T>
  void operator()(const char* name, T& number) const {
    get(name, number);
  }

 private:
  template <typename T>
  void get(const char* name, T& value) const {
    if (!from.contains(name) || !nb::try_cast(from[name], value, false))
      throw std::invalid_argument(std::string("the state has no '") + name + "' as it should be");
  }
};

template <typename T>
T part(const nb::dict& of, const char* name) {
  if (!of.contains(name) || !nb::isinstance<T>(of[name]))
    throw std::invalid_argument(std::string("the state has no '") + name + "' as it should be");
  return nb::borrow<T>(of[name]);
}

// A chain and what it needs to stay alive.
class BoundChain {
 public:
  BoundChain(nb::object target, const Strategy& strategy, nb::object bit_generator,
             double start_share, bool keeps_full_trace)
      : target_owner_(std::move(target)),
        generator_owner_(std::move(bit_generator)),
        target_(fit_to_screen(nb::cast<const Target&>(target_owner_), strategy)),
        keeps_full_trace_(keeps_full_trace),
        chain_(target_, strategy, start_share, random_of(generator_owner_)) {
    require(static_cast<int>(strategy.rule_scale.size()) == target_.data->n_variables(),
            "rule_scale needs one value per variable");
  }

  BoundChain(const BoundChain&) = delete;
  BoundChain& operator=(const BoundChain&) = delete;

  std::int64_t run(std::int64_t n, bool is_burn_in, std::int64_t thin, double seconds) {
    nb::gil_scoped_release release;
    return chain_.run(n, is_burn_in ? burn_in : sampling, thin, seconds,
                      keeps_full_trace_ ? &trace_ : nullptr);
  }

  void temper(const std::vector<double>& shares, std::int64_t moves_between_exchanges) {
    require(shares.empty() || (shares.front() < 1.0 && shares.back() > 0.0 &&
                               std::is_sorted(shares.rbegin(), shares.rend())),
            "the shares must fall, between 1 and 0");
    require(moves_between_exchanges > 0, "moves_between_exchanges must be positive");
    chain_.temper(shares, moves_between_exchanges);
  }

  void halve_draws() {
    require(chain_.draws().tree.size() % 2 == 0, "only an even number of draws can be halved");
    chain_.halve_draws();
  }

  int n_leaves() const { return chain_.tree().n_leaves(); }
  double log_likelihood() const { return chain_.walker().log_likelihood(); }
  double log_prior() const { return chain_.walker().state().log_prior(); }
  std::vector<double> rule_scale() const { return chain_.walker().rule_scale().values(); }

  nb::object counts() const {
    std::vector<std::int64_t> flat;
    for (const auto& phase : chain_.counts())
      for (const auto& move : phase) flat.insert(flat.end(), move.begin(), move.end());
    return to_numpy(flat, {n_phases, n_moves, n_outcomes});
  }

  nb::object draws() const {
    const Draws& draws = chain_.draws();
    nb::dict out;
    out["n_leaves"] = to_numpy(draws.n_leaves);
    out["depth"] = to_numpy(draws.depth);
    out["log_likelihood"] = to_numpy(draws.log_likelihood);
    out["log_prior"] = to_numpy(draws.log_prior);
    out["alpha"] = to_numpy(draws.alpha);
    out["tree"] = to_numpy(draws.tree);
    out["trees"] = trees_to_numpy(draws.trees, target_.data->n_classes());
    return out;
  }

  nb::object full_trace() const {
    return nb::make_tuple(to_numpy(trace_.n_leaves), to_numpy(trace_.log_likelihood));
  }

  // All that the chain's future depends on, its generator included.
  nb::object state() const {
    const ChainSnapshot snapshot = chain_.snapshot();
    nb::list walkers;
    for (const WalkerSnapshot& walker : snapshot.walkers) {
      nb::dict of_walker;
      visit_walker(walker, Give{of_walker});
      walkers.append(of_walker);
    }
    nb::dict trees, draws, trace, out;
    visit_trees(snapshot.draws.trees, Give{trees});
    visit_traces(snapshot.draws, Give{draws});
    visit_full_trace(trace_, Give{trace});
    visit_chain(snapshot, Give{out});
    draws["trees"] = trees;
    out["walkers"] = walkers;
    out["draws"] = draws;
    out["full_trace"] = trace;
    out["random"] = generator_owner_.attr("state");
    return out;
  }

  void restore(const nb::dict& state) {
    ChainSnapshot snapshot;
    FullTrace trace;
    visit_chain(snapshot, Take{state});
    for (nb::handle walker : part<nb::list>(state, "walkers")) {
      require(nb::isinstance<nb::dict>(walker), "a walker must be a dict");
      visit_walker(snapshot.walkers.emplace_back(), Take{nb::borrow<nb::dict>(walker)});
    }
    const nb::dict draws = part<nb::dict>(state, "draws");
    visit_traces(snapshot.draws, Take{draws});
    visit_trees(snapshot.draws.trees, Take{part<nb::dict>(draws, "trees")});
    visit_full_trace(trace, Take{part<nb::dict>(state, "full_trace")});
    require(trace.n_leaves.size() == trace.log_likelihood.size(),
            "the full traces have different lengths");
    chain_.restore(std::move(snapshot));
    trace_ = std::move(trace);
    restore_generator(part<nb::dict>(state, "random"));
  }

  nb::object tree() const {
    FlatTrees flat;
    flat.append(chain_.tree(), *target_.data);
    return trees_to_numpy(flat, target_.data->n_classes());
  }

  // Replaces the tree; false if a leaf of the new one would be starved. Nodes come in preorder,
  // as their variable (-1: a leaf) and the number of the rule among those of the variable.
  bool plant(const Array<std::int32_t>& variable, const Array<std::int32_t>& cut) {
    require(variable.size() == cut.size(), "variables and cuts must fit together");
    FlatTrees model;
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const int v = variable.data()[i];
      if (v < 0) {
        model.append_node(v, Test::at_most, 0.0, false);
        continue;
      }
      const Rule rule = checked_rule(v, cut.data()[i]);
      const Variable& its = target_.data->variable(v);
      model.append_node(v, its.test_of(rule.cut), rule.threshold,
                        its.sends_missing_left(rule.cut));
    }
    const std::vector<std::int64_t> ends{0, static_cast<std::int64_t>(variable.size())};
    const Forest checked(ends, {model.variable, model.test, model.threshold, model.missing_left});
    require(static_cast<int>(checked.n_leaves()) <= target_.max_leaves, "too many leaves");
    return chain_.plant(model);
  }

  // Evaluates one move on the present tree, without drawing anything: whether it is available,
  // its log acceptance ratio, the tree it leads to, and the change of the log likelihood by which
  // it is screened, or 0. `node` counts in preorder. The present tree is left as it was, by planting
  // it again.
  nb::object propose(const std::string& move, int node, int variable, int cut,
                     const std::string& drawn, bool is_left, int other,
                     const std::vector<std::pair<int, int>>& others_tried) {
    FlatTrees before;
    before.append(chain_.tree(), *target_.data);
    chain_.plant(before);
    Proposal proposal{named(moves, move), node_at(node)};
    proposal.drawn = named(rule_draws, drawn);
    proposal.is_left = is_left;
    if (other != none) proposal.other = node_at(other);
    require(is_fit(proposal), "this move cannot be made at this node");
    if (variable != none) proposal.rule = checked_rule(variable, cut);
    require(proposal.move != transpose ||
                proposal.rule.variable == chain_.tree()[proposal.node].rule.variable,
            "a transposition keeps the variable of the upper rule");
    if (proposal.drawn == RuleDraw::gaussian)
      require(is_threshold(proposal.rule) && is_threshold(chain_.tree()[proposal.node].rule),
              "only a threshold can make a Gaussian step");
    MovingTree& moving = chain_.walker().moving_tree();
    moving.state().share = 1.0;
    if (!others_tried.empty()) {
      require(proposal.move == change_split && chain_.tree().prunable.contains(proposal.node),
              "only for a split of two leaves is a rule chosen among several");
      std::vector<Rule> rules{proposal.rule};
      for (const auto& [v, c] : others_tried) rules.push_back(checked_rule(v, c));
      proposal.log_choice = moving.rule_choice().log_ratio_of_first(proposal.node, rules);
    }
    const Evaluation evaluation = moving.evaluate(proposal);
    const double seen = seen_on_sample(proposal);
    FlatTrees after;
    if (evaluation.is_available) moving.commit(proposal, evaluation);
    else moving.drop(proposal);
    after.append(chain_.tree(), *target_.data);
    chain_.plant(before);
    return nb::make_tuple(evaluation.is_available,
                          evaluation.log_ratio + evaluation.log_likelihood_change,
                          trees_to_numpy(after, target_.data->n_classes()), seen);
  }

 private:
  static const Target& fit_to_screen(const Target& target, const Strategy& strategy) {
    require(!strategy.screens() || target.data->sample() != nullptr,
            "there is no sample to screen proposals by");
    require(!strategy.screens() || !target.range.is_used(),
            "moves under the range prior cannot be screened");
    return target;
  }

  double seen_on_sample(const Proposal& proposal) {
    MovingTree* screen = chain_.walker().screen();
    if (screen == nullptr) return 0.0;
    const double change = screen->evaluate(proposal).log_likelihood_change;
    screen->drop(proposal);
    return change;
  }

  bool is_threshold(const Rule& rule) const {
    return rule.variable != none &&
           target_.data->variable(rule.variable).test_of(rule.cut) == Test::at_most;
  }

  // The rule in the middle of its gap.
  Rule checked_rule(int variable, int cut) const {
    require(variable >= 0 && variable < target_.data->n_variables(), "no such variable");
    require(target_.data->is_inside(variable, cut), "no such rule");
    return rule_at(*target_.data, variable, cut, 0.5);
  }

  bool is_fit(const Proposal& proposal) const {
    const Tree& tree = chain_.tree();
    const bool may_grow = tree.n_leaves() < target_.max_leaves;
    switch (proposal.move) {
      case birth: return may_grow && tree.leaves.contains(proposal.node);
      case death: return tree.prunable.contains(proposal.node);
      case graft: return may_grow;
      case splice: return tree.n_leaves() > 1 && tree.leaves.contains(proposal.node);
      case swap_rules:
      case rotate:
        return tree.splits.contains(proposal.node) && proposal.node != tree.root();
      case regraft:
        return proposal.other != none && chain_.walker().moving_tree().may_regraft(proposal.node, proposal.other);
      case transpose:
        return tree.splits.contains(proposal.node) && tree.is_above_twins(proposal.node) &&
               proposal.other != none && tree[proposal.other].parent == proposal.node;
      default: return tree.splits.contains(proposal.node);
    }
  }

  void restore_generator(const nb::dict& state) {
    try {
      generator_owner_.attr("state") = state;
    } catch (const nb::python_error&) {
      throw std::invalid_argument("the state of the generator is not as it should be");
    }
  }

  // The node at a place in preorder.
  int node_at(int place) const {
    std::vector<int> waiting{chain_.tree().root()};
    for (; !waiting.empty(); --place) {
      const int node = waiting.back();
      waiting.pop_back();
      if (place == 0) return node;
      if (chain_.tree()[node].is_leaf()) continue;
      waiting.push_back(chain_.tree()[node].right);
      waiting.push_back(chain_.tree()[node].left);
    }
    throw std::invalid_argument("no such node");
  }

  nb::object target_owner_;
  nb::object generator_owner_;
  const Target& target_;
  bool keeps_full_trace_;
  FullTrace trace_;
  Chain chain_;
};

}  // namespace sweeptree
