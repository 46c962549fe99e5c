// The module: checks what comes in, hands numbers on, wraps what comes out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../chain.hpp"
#include "../predict.hpp"
#include "arrays.hpp"
#include "bound_chain.hpp"

using namespace nanobind::literals;

namespace sweeptree {
namespace {

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

void require_classes(const Array<std::int32_t>& labels, std::size_t n_classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels.data()[i] >= 0 && labels.data()[i] < static_cast<std::int64_t>(n_classes),
            "a label is not a class");
}

void init_data(Data* self, std::size_t n_classes, const Array<std::int32_t>& labels,
               const Array<std::uint8_t>& kinds, const Array<std::uint32_t>& n_missing,
               const Matrix<std::uint32_t>& order, const Array<double>& values,
               const Array<std::int64_t>& value_offsets, const Array<std::uint32_t>& starts,
               const Array<std::int64_t>& start_offsets, std::size_t mask_budget,
               std::size_t sample_every) {
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
                  mask_budget, sample_every);
}

nb::object row_places(const Array<std::int32_t>& labels, std::size_t n_classes) {
  require_classes(labels, n_classes);
  return to_numpy(places_by_class(view(labels), n_classes));
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
  for (const std::vector<double>& alpha : alphas)
    require(alpha.size() == data.n_classes(), "alpha needs one number per class");
  const TreePrior shape = named(tree_priors, tree_prior);
  const RulePrior rules = named(rule_priors, rule_prior);
  new (self) Target{&data,
                    LeafLikelihoods(named(likelihoods, likelihood), alphas, data.class_counts()),
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
                   std::int64_t restrict_moves, std::int64_t anneal_moves, int n_tries,
                   int screen_every) {
  require(p_move.size() == n_moves, "one probability per move is needed");
  require(screen_every == 1 || (screen_every > 1 && !redraws && !sweeps),
          "moves that may be redrawn or swept cannot be screened");
  require(n_tries == 1 || (n_tries > 1 && !changes_variable && !sweeps),
          "a choice among several rules neither leaves out the present variable nor sweeps");
  new (self) Strategy{{}, redraws, sweeps, changes_variable, named(rule_draws, rule_draw), tunes,
                      rule_scale, restrict_leaves, restrict_moves, anneal_moves, n_tries,
                      screen_every};
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
  if (has_avx512) add(split_avx512<Keep::both>);
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
           "starts"_a.noconvert(), "start_offsets"_a, "mask_budget"_a, "sample_every"_a = 1)
      .def_prop_ro("mask_bytes", &Data::mask_bytes);

  nb::class_<Target>(m, "Target")
      .def("__init__", &init_target, nb::keep_alive<1, 2>(), "data"_a, "tree_prior"_a, "leaf_penalty"_a,
           "gamma"_a, "delta"_a, "split_chance"_a, "rule_prior"_a, "likelihood"_a, "alphas"_a, "min_samples_leaf"_a,
           "max_leaves"_a);

  nb::class_<Strategy>(m, "Strategy")
      .def("__init__", &init_strategy, "p_move"_a, "redraws"_a, "sweeps"_a, "changes_variable"_a, "rule_draw"_a,
           "tunes"_a, "rule_scale"_a, "restrict_leaves"_a, "restrict_moves"_a, "anneal_moves"_a,
           "n_tries"_a = 1, "screen_every"_a = 1);

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
           "cut"_a = none, "drawn"_a = "prior", "is_left"_a = false, "other"_a = none,
           "others_tried"_a = std::vector<std::pair<int, int>>{});

  nb::class_<Forest>(m, "Forest")
      .def("__init__", &init_forest, "node_offsets"_a, "variable"_a, "test"_a, "threshold"_a,
           "missing_left"_a, "n_threads"_a = 1)
      .def_prop_ro("n_trees", &Forest::n_trees)
      .def_prop_ro("n_leaves", &Forest::n_leaves)
      .def("average", &average, "x"_a, "weight"_a, "leaf_value"_a)
      .def("apply", &apply, "x"_a);

  m.def("places_by_class", &row_places, "labels"_a, "n_classes"_a);
  m.def("sort_column", &sort_column, "x"_a.noconvert(), "column"_a, "places"_a,
        "order"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert());
  m.def("seconds_per_count", &seconds_per_count, "n_rows"_a, "n_repeats"_a);
  m.def("split_everyhow", &split_everyhow, "mask"_a, "cut"_a);
}
