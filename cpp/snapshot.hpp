// All that the future of a chain depends on, as numbers that can be kept: taken, checked, restored.
//
// A tree is its nodes in preorder, and the sets from which moves pick are places in that order.
// The numbers that nodes have inside a tree are only names, so they need not be kept; rows, counts
// and likelihoods of nodes follow from the rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "record.hpp"
#include "state.hpp"
#include "strategies.hpp"

namespace sweeptree {

using Places = std::vector<std::int32_t>;

struct WalkerSnapshot {
  Places variable;  // none for a terminal node
  Places cut;
  std::vector<double> threshold;
  Places leaves;
  Places splits;
  Places prunable;
  std::int64_t alpha = 0;
  double log_likelihood = 0.0;  // the running sum, with its rounding
  std::int64_t n_moves_made = 0;
  std::vector<double> rule_scale;
  std::vector<std::int64_t> n_tried;
};

struct ChainSnapshot {
  std::vector<WalkerSnapshot> walkers;
  std::vector<double> shares;
  std::int64_t moves_between_exchanges = 1;
  std::int64_t first_to_exchange = 0;
  std::int64_t n_since_draw = 0;
  bool has_changed = true;
  std::vector<std::int64_t> counts;
  Draws draws;
};

// ---- everything by its name ------------------------------------------------------------------

template <typename Snapshot, typename Visit>
void visit_walker(Snapshot& walker, Visit&& visit) {
  visit("variable", walker.variable);
  visit("cut", walker.cut);
  visit("threshold", walker.threshold);
  visit("leaves", walker.leaves);
  visit("splits", walker.splits);
  visit("prunable", walker.prunable);
  visit("alpha", walker.alpha);
  visit("log_likelihood", walker.log_likelihood);
  visit("n_moves_made", walker.n_moves_made);
  visit("rule_scale", walker.rule_scale);
  visit("n_tried", walker.n_tried);
}

// But for its walkers and its record.
template <typename Snapshot, typename Visit>
void visit_chain(Snapshot& chain, Visit&& visit) {
  visit("shares", chain.shares);
  visit("moves_between_exchanges", chain.moves_between_exchanges);
  visit("first_to_exchange", chain.first_to_exchange);
  visit("n_since_draw", chain.n_since_draw);
  visit("has_changed", chain.has_changed);
  visit("counts", chain.counts);
}

template <typename Record, typename Visit>
void visit_traces(Record& draws, Visit&& visit) {
  visit("n_leaves", draws.n_leaves);
  visit("depth", draws.depth);
  visit("log_likelihood", draws.log_likelihood);
  visit("log_prior", draws.log_prior);
  visit("alpha", draws.alpha);
  visit("tree", draws.tree);
}

// Arrays with one entry per node.
template <typename Trees, typename Visit>
void visit_nodes(Trees& trees, Visit&& visit) {
  visit("variable", trees.variable);
  visit("test", trees.test);
  visit("threshold", trees.threshold);
  visit("missing_left", trees.missing_left);
}

template <typename Trees, typename Visit>
void visit_trees(Trees& trees, Visit&& visit) {
  visit("node_offsets", trees.node_offsets);
  visit_nodes(trees, visit);
  visit("leaf_counts", trees.leaf_counts);
}

template <typename Trace, typename Visit>
void visit_full_trace(Trace& trace, Visit&& visit) {
  visit("n_leaves", trace.n_leaves);
  visit("log_likelihood", trace.log_likelihood);
}

// ---- taking ----------------------------------------------------------------------------------

inline std::vector<int> nodes_in_preorder(const Tree& tree) {
  std::vector<int> nodes;
  std::vector<int> waiting{tree.root()};
  while (!waiting.empty()) {
    const int node = waiting.back();
    waiting.pop_back();
    nodes.push_back(node);
    if (tree[node].is_leaf()) continue;
    waiting.push_back(tree[node].right);
    waiting.push_back(tree[node].left);
  }
  return nodes;
}

inline Places places_of(const NodeSet& set, const std::vector<int>& place_of_node) {
  Places places;
  for (int i = 0; i < set.size(); ++i) places.push_back(place_of_node[set[i]]);
  return places;
}

inline WalkerSnapshot take_snapshot(const State& state, const RuleScale& scale) {
  WalkerSnapshot walker;
  const Tree& tree = state.tree;
  const std::vector<int> nodes = nodes_in_preorder(tree);
  std::vector<int> place_of_node(*std::max_element(nodes.begin(), nodes.end()) + 1, none);
  for (const int node : nodes) {
    place_of_node[node] = static_cast<int>(walker.variable.size());
    const Rule rule = tree[node].is_leaf() ? Rule{} : tree[node].rule;
    walker.variable.push_back(rule.variable);
    walker.cut.push_back(rule.cut);
    walker.threshold.push_back(rule.threshold);
  }
  walker.leaves = places_of(tree.leaves, place_of_node);
  walker.splits = places_of(tree.splits, place_of_node);
  walker.prunable = places_of(tree.prunable, place_of_node);
  walker.alpha = state.alpha;
  walker.log_likelihood = state.log_likelihood;
  walker.n_moves_made = state.n_moves_made;
  walker.rule_scale = scale.values();
  walker.n_tried = scale.n_tried();
  return walker;
}

// ---- checking and restoring a walker ---------------------------------------------------------

inline void demand(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

template <typename T>
bool all_within(const std::vector<T>& values, T lowest, T highest) {
  return std::all_of(values.begin(), values.end(),
                     [=](T value) { return value >= lowest && value <= highest; });
}

// Whether it may be counted on from: neither below zero nor near the end of 64 bits.
inline bool is_count(std::int64_t n) { return n >= 0 && n < std::int64_t{1} << 62; }

// Nodes in preorder become links; a node has its place as its number.
inline void link_preorder(Tree& tree, const Places& variable) {
  demand(!variable.empty(), "a tree has no nodes");
  for (std::size_t i = 1; i < variable.size(); ++i) tree.new_node();  // the root is there
  std::vector<int> incomplete;
  for (int node = 0; node < static_cast<int>(variable.size()); ++node) {
    if (node > 0) {
      demand(!incomplete.empty(), "a tree has too many nodes");
      const int parent = incomplete.back();
      tree[node].parent = parent;
      if (tree[parent].left == none) {
        tree[parent].left = node;
      } else {
        tree[parent].right = node;
        incomplete.pop_back();
      }
    }
    if (variable[node] != none) incomplete.push_back(node);
  }
  demand(incomplete.empty(), "a tree has too few nodes");
}

// The members of a set in their order; they must be all nodes that belong to it, once each.
template <typename Belongs>
NodeSet restored_set(const Places& places, int n_nodes, Belongs belongs) {
  NodeSet set;
  for (const int place : places) {
    demand(place >= 0 && place < n_nodes && !set.contains(place) && belongs(place),
           "a set of nodes has a member that does not belong to it");
    set.add(place);
  }
  for (int node = 0; node < n_nodes; ++node)
    demand(!belongs(node) || set.contains(node), "a set of nodes lacks a member");
  return set;
}

inline void restore_sets(Tree& tree, const WalkerSnapshot& walker) {
  const int n_nodes = static_cast<int>(walker.variable.size());
  const auto is_leaf = [&](int node) { return tree[node].is_leaf(); };
  const auto is_split = [&](int node) { return !tree[node].is_leaf(); };
  const auto is_prunable = [&](int node) { return is_split(node) && tree.is_prunable(node); };
  tree.leaves = restored_set(walker.leaves, n_nodes, is_leaf);
  tree.splits = restored_set(walker.splits, n_nodes, is_split);
  tree.prunable = restored_set(walker.prunable, n_nodes, is_prunable);
}

inline void restore_rules(State& state, const WalkerSnapshot& walker) {
  demand(walker.cut.size() == walker.variable.size() &&
             walker.threshold.size() == walker.variable.size(),
         "the arrays of a tree do not fit together");
  for (int node = 0; node < static_cast<int>(walker.variable.size()); ++node) {
    if (walker.variable[node] == none) continue;
    const Rule rule{walker.variable[node], walker.cut[node], walker.threshold[node]};
    demand(rule.variable >= 0 && rule.variable < state.data.n_variables() &&
               state.data.is_inside(rule.variable, rule.cut) && std::isfinite(rule.threshold),
           "a rule is outside the table");
    state.tree[node].rule = rule;
  }
}

// Sends the rows down from the root, which has its own. Parents come before their children.
inline void restore_rows(State& state) {
  Tree& tree = state.tree;
  std::vector<int> left_counts(state.data.n_classes());
  for (const int node : nodes_in_preorder(tree)) {
    if (tree[node].is_leaf()) {
      demand(node == tree.root() || tree[node].n_rows >= state.min_samples_leaf,
             "a leaf has too few rows");
      tree[node].log_likelihood = state.likelihood->log_leaf(tree.counts(node), tree[node].n_rows);
      tree[node].log_stop = state.target.log_stop(tree[node].mask);
      continue;
    }
    Node& left = tree[tree[node].left];
    Node& right = tree[tree[node].right];
    const Rule& rule = tree[node].rule;
    state.data.split(tree[node].mask, rule.variable, rule.cut, left.mask, right.mask,
                     left_counts.data());
    left.n_rows = right.n_rows = 0;
    for (std::size_t c = 0; c < left_counts.size(); ++c) {
      const int n_right = tree.counts(node)[c] - left_counts[c];
      tree.counts(tree[node].left)[c] = left_counts[c];
      tree.counts(tree[node].right)[c] = n_right;
      left.n_rows += left_counts[c];
      right.n_rows += n_right;
    }
  }
  tree.sum_up_below(tree.root());
}

inline void restore_snapshot(State& state, RuleScale& scale, const WalkerSnapshot& walker) {
  demand(walker.alpha >= 0 &&
             walker.alpha < static_cast<std::int64_t>(state.target.likelihoods.size()),
         "there is no such alpha");
  demand(is_count(walker.n_moves_made), "a number of moves is none");
  demand(!std::isnan(walker.log_likelihood), "a log likelihood is not a number");
  const auto n_variables = static_cast<std::size_t>(state.data.n_variables());
  demand(walker.rule_scale.size() == n_variables && walker.n_tried.size() == n_variables,
         "rule_scale needs one value per variable");
  demand(std::all_of(walker.rule_scale.begin(), walker.rule_scale.end(),
                     [](double value) { return value > 0.0 && std::isfinite(value); }),
         "a rule scale is not positive");
  demand(std::all_of(walker.n_tried.begin(), walker.n_tried.end(), is_count),
         "a number of tries is none");
  demand((walker.variable.size() + 1) / 2 <= static_cast<std::size_t>(state.target.max_leaves),
         "too many leaves");
  state.plant_root();
  link_preorder(state.tree, walker.variable);
  restore_rules(state, walker);
  restore_sets(state.tree, walker);
  state.alpha = static_cast<int>(walker.alpha);
  state.likelihood = &state.target.likelihoods[state.alpha];
  restore_rows(state);
  state.log_likelihood = walker.log_likelihood;
  state.n_moves_made = walker.n_moves_made;
  scale = RuleScale(walker.rule_scale, walker.n_tried);
}

// ---- checking what else a chain has ----------------------------------------------------------

inline void check_trees(const FlatTrees& trees, const Target& target) {
  const std::vector<std::int64_t>& offsets = trees.node_offsets;
  const std::size_t n_nodes = trees.variable.size();
  bool is_whole = !offsets.empty() && offsets.front() == 0 &&
                  std::is_sorted(offsets.begin(), offsets.end()) &&
                  offsets.back() == static_cast<std::int64_t>(n_nodes);
  visit_nodes(trees, [&](const char*, const auto& of_nodes) {
    is_whole = is_whole && of_nodes.size() == n_nodes;
  });
  demand(is_whole, "the arrays of the trees do not fit together");
  demand(all_within<std::int32_t>(trees.variable, none, target.data->n_variables() - 1),
         "no such variable");
  demand(std::all_of(trees.test.begin(), trees.test.end(),
                     [](std::uint8_t test) { return test < static_cast<int>(Test::n_tests); }),
         "no such test");
  std::size_t n_leaves = 0;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    std::int64_t n_missing = 1;
    for (std::int64_t node = offsets[t]; node < offsets[t + 1]; ++node) {
      demand(n_missing > 0, "a tree has too many nodes");
      const bool is_leaf = trees.variable[node] == none;
      n_missing += is_leaf ? -1 : 1;
      n_leaves += is_leaf;
    }
    demand(n_missing == 0, "a tree is not complete");
  }
  demand(trees.leaf_counts.size() == n_leaves * target.data->n_classes(),
         "every leaf needs a count of each class");
}

inline void check_draws(const Draws& draws, const Target& target) {
  const std::size_t n_draws = draws.tree.size();
  visit_traces(draws, [&](const char*, const auto& values) {
    demand(values.size() == n_draws, "the traces have different lengths");
  });
  check_trees(draws.trees, target);
  const auto n_trees = static_cast<std::int32_t>(draws.trees.node_offsets.size()) - 1;
  demand(all_within(draws.tree, 0, n_trees - 1), "there is no such tree");
  demand(all_within(draws.alpha, 0, static_cast<std::int32_t>(target.likelihoods.size()) - 1),
         "there is no such alpha");
}

// The first walker may be ahead of the others, by fewer moves than from one exchange to the next.
inline void check_distances(const ChainSnapshot& chain) {
  const std::int64_t n_made = chain.walkers.front().n_moves_made;
  const auto is_near = [&](const WalkerSnapshot& walker) {
    return walker.n_moves_made <= n_made &&
           walker.n_moves_made > n_made - chain.moves_between_exchanges;
  };
  demand(std::all_of(chain.walkers.begin(), chain.walkers.end(), is_near),
         "the walkers are too far apart");
}

// All but the walkers, which check themselves as they are restored.
inline void check_snapshot(const ChainSnapshot& chain, const Target& target, std::size_t n_counts) {
  demand(!chain.walkers.empty() && chain.shares.size() == chain.walkers.size(),
         "every walker needs a share of the likelihood");
  demand(chain.shares.front() == 1.0 && chain.shares.back() > 0.0 &&
             std::is_sorted(chain.shares.rbegin(), chain.shares.rend()),
         "the shares must fall, from 1 to above 0");
  demand(chain.moves_between_exchanges > 0, "moves_between_exchanges must be positive");
  demand(chain.first_to_exchange == 0 || chain.first_to_exchange == 1,
         "first_to_exchange must be 0 or 1");
  demand(is_count(chain.n_since_draw), "n_since_draw is no number of moves");
  demand(chain.counts.size() == n_counts &&
             std::all_of(chain.counts.begin(), chain.counts.end(), is_count),
         "the counts of moves are not as they should be");
  check_draws(chain.draws, target);
  demand(chain.has_changed || !chain.draws.tree.empty(), "there is no tree to share");
}

}  // namespace sweeptree
