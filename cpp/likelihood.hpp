// The likelihood of the rows in one terminal node.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace sweeptree {

enum class Likelihood { marginal, plug_in };

// Both likelihoods have the form constant + sum_j term_j(m_ij) - total(n_i), so one look-up per
// class serves either:
//   marginal (Eq. 4): term_j(m) = log Gamma(m + alpha_j), total(n) = log Gamma(n + sum alpha);
//   plug-in:          term(m) = m log m,                  total(n) = n log n.
class LeafLikelihood {
 public:
  LeafLikelihood(Likelihood kind, const std::vector<double>& alpha, std::size_t n_rows) {
    const std::size_t n_classes = alpha.size();
    terms_.reserve(n_classes);
    for (std::size_t j = 0; j < n_classes; ++j) {
      const bool is_repeated = j > 0 && (kind == Likelihood::plug_in || alpha[j] == alpha[j - 1]);
      terms_.push_back(is_repeated ? terms_.back() : make_table(kind, alpha[j], n_rows));
    }
    const double alpha_sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    total_ = make_table(kind, alpha_sum, n_rows);
    if (kind == Likelihood::marginal) {
      constant_ = std::lgamma(alpha_sum);
      for (const double a : alpha) constant_ -= std::lgamma(a);
    }
  }

  double log_leaf(const int* counts, int n) const {
    double sum = constant_;
    for (std::size_t j = 0; j < terms_.size(); ++j) sum += (*terms_[j])[counts[j]];
    return sum - (*total_)[n];
  }

 private:
  using Table = std::shared_ptr<const std::vector<double>>;

  static Table make_table(Likelihood kind, double alpha, std::size_t n_rows) {
    auto table = std::make_shared<std::vector<double>>(n_rows + 1, 0.0);
    for (std::size_t m = 0; m <= n_rows; ++m) {
      const double count = static_cast<double>(m);
      if (kind == Likelihood::marginal) (*table)[m] = std::lgamma(count + alpha);
      else if (m > 0) (*table)[m] = count * std::log(count);
    }
    return table;
  }

  std::vector<Table> terms_;  // one per class; classes with one alpha share a table
  Table total_;
  double constant_ = 0.0;
};

}  // namespace sweeptree
