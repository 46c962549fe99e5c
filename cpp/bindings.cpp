// The only file that knows Python: checks what comes in, hands numbers on, wraps what comes out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "chain.hpp"
#include "predict.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sweeptree {
namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), array.size()};
}

template <typename T>
std::span<const T> view(const Matrix<T>& array) {
  return {array.data(), array.size()};
}

template <typename T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner).cast();
}

template <typename T>
T named(const std::map<std::string, T>& names, const std::string& name) {
  const auto found = names.find(name);
  if (found == names.end()) throw std::invalid_argument("unknown name '" + name + "'");
  return found->second;
}

const std::map<std::string, TreePrior> tree_priors{{"uniform", TreePrior::uniform},
                                                   {"paper", TreePrior::paper},
                                                   {"flat", TreePrior::flat},
                                                   {"geometric", TreePrior::geometric},
                                                   {"depth", TreePrior::depth},
                                                   {"range", TreePrior::range}};
const std::map<std::string, RulePrior> rule_priors{{"observed", RulePrior::observed},
                                                   {"continuous", RulePrior::continuous}};
const std::map<std::string, Likelihood> likelihoods{{"marginal", Likelihood::marginal},
                                                    {"plug-in", Likelihood::plug_in}};
const std::map<std::string, Move> moves{{"birth", birth},
                                        {"death", death},
                                        {"change_split", change_split},
                                        {"change_rule", change_rule},
                                        {"graft", graft},
                                        {"splice", splice},
                                        {"swap", swap_rules},
                                        {"regraft", regraft},
                                        {"rotate", rotate}};
const std::map<std::string, RuleDraw> rule_draws{{"prior", RuleDraw::prior},
                                                 {"gaussian", RuleDraw::gaussian},
                                                 {"ranks", RuleDraw::ranks}};

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void require_classes(const Array<std::int32_t>& labels, std::size_t n_classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels.data()[i] >= 0 && labels.data()[i] < static_cast<std::int64_t>(n_classes),
            "a label is not a class");
}

void init_data(Data* self, std::size_t n_classes, const Array<std::int32_t>& labels,
               const Array<std::uint8_t>& kinds, const Array<std::uint32_t>& n_missing,
               const Matrix<std::uint32_t>& order, const Array<double>& values,
               const Array<std::int64_t>& value_offsets, const Array<std::uint32_t>& starts,
               const Array<std::int64_t>& start_offsets, std::size_t mask_budget) {
  require(kinds.size() == order.shape(0) && n_missing.size() == order.shape(0),
          "one kind and one number of missing values per variable");
  require(order.shape(0) == 0 || order.shape(1) == labels.size(),
          "order must have one column per row of the table");
  require(value_offsets.size() == order.shape(0) + 1, "one value offset per variable, and the end");
  require(start_offsets.size() == order.shape(0) + 1, "one start offset per variable, and the end");
  require_classes(labels, n_classes);
  new (self) Data({labels.size(), n_classes, view(labels), view(kinds), view(n_missing),
                   view(order), view(values), view(value_offsets), view(starts),
                   view(start_offsets)},
                  mask_budget);
}

nb::object places_by_class(const Array<std::int32_t>& labels, std::size_t n_classes) {
  require_classes(labels, n_classes);
  return to_numpy(std::move(RowPlaces(view(labels), n_classes).of_row));
}

template <typename T>
using Room = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Sorts one column of a table into arrays that have room for one entry per row. Returns how many
// distinct values it has, how many starts, and how many missing values.
nb::tuple sort_column(const nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>& x,
                      std::size_t column, const Array<std::uint32_t>& places,
                      const Room<std::uint32_t>& order, const Room<double>& values,
                      const Room<std::uint32_t>& starts) {
  require(column < x.shape(1), "no such column");
  for (const std::size_t size : {places.size(), order.size(), values.size(), starts.size()})
    require(size == x.shape(0), "one entry per row is needed");
  thread_local ColumnSorter sorter;
  SortedColumn sorted{order.data(), values.data(), starts.data()};
  {
    nb::gil_scoped_release release;
    sorter.sort(x.data() + static_cast<std::int64_t>(column) * x.stride(1), x.stride(0),
                view(places), sorted);
  }
  return nb::make_tuple(sorted.n_values, sorted.n_starts, sorted.n_missing);
}

void init_target(Target* self, const Data& data, const std::string& tree_prior, double leaf_penalty,
                 double gamma, double delta, double split_chance, const std::string& rule_prior,
                 const std::string& likelihood, const std::vector<std::vector<double>>& alphas,
                 int min_samples_leaf, int max_leaves) {
  require(!alphas.empty(), "alpha needs at least one value");
  std::vector<LeafLikelihood> leaf_likelihoods;
  for (const std::vector<double>& alpha : alphas) {
    require(alpha.size() == data.n_classes(), "alpha needs one number per class");
    leaf_likelihoods.emplace_back(named(likelihoods, likelihood), alpha, data.n_rows());
  }
  const TreePrior shape = named(tree_priors, tree_prior);
  const RulePrior rules = named(rule_priors, rule_prior);
  new (self) Target{&data,
                    std::move(leaf_likelihoods),
                    ShapePrior(shape, leaf_penalty, gamma, delta, max_leaves),
                    RangePrior(shape, split_chance, rules, &data, min_samples_leaf),
                    rules,
                    min_samples_leaf,
                    max_leaves,
                    log_catalan_numbers(max_leaves)};
}

void init_strategy(Strategy* self, const std::vector<double>& p_move, bool redraws, bool sweeps,
                   bool changes_variable, const std::string& rule_draw, bool tunes,
                   const std::vector<double>& rule_scale, int restrict_leaves,
                   std::int64_t restrict_moves, std::int64_t anneal_moves) {
  require(p_move.size() == n_moves, "one probability per move is needed");
  new (self) Strategy{{}, redraws, sweeps, changes_variable, named(rule_draws, rule_draw), tunes,
                      rule_scale, restrict_leaves, restrict_moves, anneal_moves};
  std::copy(p_move.begin(), p_move.end(), self->p_move.begin());
}

void init_forest(Forest* self, const Array<std::int64_t>& node_offsets,
                 const Array<std::int32_t>& variable, const Array<std::uint8_t>& test,
                 const Array<double>& threshold, const Array<std::uint8_t>& missing_left,
                 std::size_t n_threads) {
  require(n_threads > 0, "at least one thread is needed");
  new (self) Forest(view(node_offsets),
                    {view(variable), view(test), view(threshold), view(missing_left)}, n_threads);
}

Random random_of(nb::handle bit_generator) {
  nb::object capsule = bit_generator.attr("capsule");
  auto* generator =
      static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
  if (generator == nullptr) throw nb::python_error();
  return Random(generator);
}

nb::object trees_to_numpy(const FlatTrees& trees, std::size_t n_classes) {
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
        target_(nb::cast<const Target&>(target_owner_)),
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
  // its log acceptance ratio, and the tree it leads to. `node` counts in preorder. The present
  // tree is left as it was, by planting it again.
  nb::object propose(const std::string& move, int node, int variable, int cut,
                     const std::string& drawn, bool is_left, int other) {
    FlatTrees before;
    before.append(chain_.tree(), *target_.data);
    chain_.plant(before);
    Proposal proposal{named(moves, move), node_at(node)};
    proposal.drawn = named(rule_draws, drawn);
    proposal.is_left = is_left;
    if (other != none) proposal.other = node_at(other);
    require(is_fit(proposal), "this move cannot be made at this node");
    if (variable != none) proposal.rule = checked_rule(variable, cut);
    if (proposal.drawn == RuleDraw::gaussian)
      require(is_threshold(proposal.rule) && is_threshold(chain_.tree()[proposal.node].rule),
              "only a threshold can make a Gaussian step");
    const Evaluation evaluation = chain_.walker().evaluate(proposal);
    FlatTrees after;
    if (evaluation.is_available) chain_.walker().commit(proposal, evaluation);
    else chain_.walker().drop(proposal);
    after.append(chain_.tree(), *target_.data);
    chain_.plant(before);
    return nb::make_tuple(evaluation.is_available,
                          evaluation.log_ratio + evaluation.log_likelihood_change,
                          trees_to_numpy(after, target_.data->n_classes()));
  }

 private:
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
        return proposal.other != none && chain_.walker().may_regraft(proposal.node, proposal.other);
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

nb::object average(const Forest& forest, const Matrix<double>& x, const Array<double>& weight,
                   const Matrix<double>& leaf_value) {
  require(forest.highest_variable() < static_cast<std::int64_t>(x.shape(1)),
          "the table has too few columns for these trees");
  require(weight.size() == forest.n_trees(), "one weight per tree is needed");
  require(leaf_value.shape(0) == forest.n_leaves(), "one row of values per leaf is needed");
  const std::size_t n_classes = leaf_value.shape(1);
  std::vector<double> out(x.shape(0) * n_classes, 0.0);
  {
    nb::gil_scoped_release release;
    forest.average(view(x), x.shape(1), view(weight), view(leaf_value), n_classes, out.data());
  }
  return to_numpy(std::move(out), {x.shape(0), n_classes});
}

nb::object apply(const Forest& forest, const Matrix<double>& x) {
  require(forest.highest_variable() < static_cast<std::int64_t>(x.shape(1)),
          "the table has too few columns for these trees");
  std::vector<std::int32_t> out(forest.n_trees() * x.shape(0));
  {
    nb::gil_scoped_release release;
    forest.apply(view(x), x.shape(1), out.data());
  }
  return to_numpy(std::move(out), {forest.n_trees(), x.shape(0)});
}

// Seconds for one AND + popcount over two masks of so many rows: the least that a split can cost.
double seconds_per_count(std::size_t n_rows, std::int64_t n_repeats) {
  const std::size_t n_words = (n_rows + word_bits - 1) / word_bits;
  std::vector<Word> mask(n_words, 0x5555555555555555u);
  std::vector<Word> cut(n_words, 0x3333333333333333u);
  volatile std::size_t sink = 0;
  const std::clock_t begin = std::clock();
  for (std::int64_t i = 0; i < n_repeats; ++i)
    sink = split_and_count<Keep::none>(mask.data(), cut.data(), nullptr, nullptr, n_words);
  static_cast<void>(sink);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return seconds / static_cast<double>(n_repeats);
}

// Splits a mask by every implementation that this machine can run.
nb::object split_everyhow(const Array<std::uint64_t>& mask, const Array<std::uint64_t>& cut) {
  require(mask.size() == cut.size(), "the masks must have one length");
  nb::list results;
  const auto add = [&](auto split) {
    std::vector<Word> left(mask.size());
    std::vector<Word> right(mask.size());
    const std::size_t n = split(mask.data(), cut.data(), left.data(), right.data(), mask.size());
    results.append(nb::make_tuple(n, to_numpy(left), to_numpy(right)));
  };
  add(split_portable<Keep::both>);
#ifdef SWEEPTREE_X86
  if (has_avx2) add(split_avx2<Keep::both>);
#endif
  return results;
}

}  // namespace
}  // namespace sweeptree

NB_MODULE(_kernel, m) {
  using namespace sweeptree;
  m.doc() = "The compiled engine. See sweeptree.reference for the same algorithm in Python.";

  nb::class_<Data>(m, "Data")
      .def("__init__", &init_data, nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
           nb::keep_alive<1, 9>(), "n_classes"_a, "labels"_a, "kinds"_a, "n_missing"_a,
           "order"_a.noconvert(), "values"_a.noconvert(), "value_offsets"_a,
           "starts"_a.noconvert(), "start_offsets"_a, "mask_budget"_a)
      .def_prop_ro("mask_bytes", &Data::mask_bytes);

  nb::class_<Target>(m, "Target")
      .def("__init__", &init_target, nb::keep_alive<1, 2>(), "data"_a, "tree_prior"_a, "leaf_penalty"_a,
           "gamma"_a, "delta"_a, "split_chance"_a, "rule_prior"_a, "likelihood"_a, "alphas"_a, "min_samples_leaf"_a,
           "max_leaves"_a);

  nb::class_<Strategy>(m, "Strategy")
      .def("__init__", &init_strategy, "p_move"_a, "redraws"_a, "sweeps"_a, "changes_variable"_a, "rule_draw"_a,
           "tunes"_a, "rule_scale"_a, "restrict_leaves"_a, "restrict_moves"_a, "anneal_moves"_a);

  nb::class_<BoundChain>(m, "Chain")
      .def(nb::init<nb::object, const Strategy&, nb::object, double, bool>(), "target"_a,
           "strategy"_a, "bit_generator"_a, "start_share"_a = 0.0, "keeps_full_trace"_a = false)
      .def("run", &BoundChain::run, "n"_a, "is_burn_in"_a, "thin"_a = 1, "seconds"_a = 1e9)
      .def("temper", &BoundChain::temper, "shares"_a, "moves_between_exchanges"_a)
      .def("halve_draws", &BoundChain::halve_draws)
      .def_prop_ro("n_leaves", &BoundChain::n_leaves)
      .def_prop_ro("log_likelihood", &BoundChain::log_likelihood)
      .def_prop_ro("log_prior", &BoundChain::log_prior)
      .def_prop_ro("rule_scale", &BoundChain::rule_scale)
      .def_prop_ro("counts", &BoundChain::counts)
      .def_prop_ro("draws", &BoundChain::draws)
      .def_prop_ro("full_trace", &BoundChain::full_trace)
      .def("state", &BoundChain::state)
      .def("restore", &BoundChain::restore, "state"_a)
      .def_prop_ro("tree", &BoundChain::tree)
      .def("plant", &BoundChain::plant, "variable"_a, "cut"_a)
      .def("propose", &BoundChain::propose, "move"_a, "node"_a, "variable"_a = none,
           "cut"_a = none, "drawn"_a = "prior", "is_left"_a = false, "other"_a = none);

  nb::class_<Forest>(m, "Forest")
      .def("__init__", &init_forest, "node_offsets"_a, "variable"_a, "test"_a, "threshold"_a,
           "missing_left"_a, "n_threads"_a = 1)
      .def_prop_ro("n_trees", &Forest::n_trees)
      .def_prop_ro("n_leaves", &Forest::n_leaves)
      .def("average", &average, "x"_a, "weight"_a, "leaf_value"_a)
      .def("apply", &apply, "x"_a);

  m.def("places_by_class", &places_by_class, "labels"_a, "n_classes"_a);
  m.def("sort_column", &sort_column, "x"_a.noconvert(), "column"_a, "places"_a,
        "order"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert());
  m.def("seconds_per_count", &seconds_per_count, "n_rows"_a, "n_repeats"_a);
  m.def("split_everyhow", &split_everyhow, "mask"_a, "cut"_a);
}
