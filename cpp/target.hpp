// What is sampled from: the data, the likelihood and the priors.
#pragma once

#include <vector>

#include "data.hpp"
#include "likelihood.hpp"
#include "prior.hpp"

namespace sweeptree {

struct Target {
  const Data* data;
  LeafLikelihoods likelihoods;
  ShapePrior shape;
  RangePrior range;
  RulePrior rule_prior;
  int min_samples_leaf;
  int max_leaves;
  std::vector<double> log_catalan;  // of 0 to max_leaves: what annealing holds large trees back by

  // The log chance that a node with these rows is left terminal, where the prior depends on them.
  double log_stop(const Word* mask) const { return range.is_used() ? range.log_stop(mask) : 0.0; }
};

}  // namespace sweeptree
