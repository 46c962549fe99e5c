// The likelihood of the rows in one terminal node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace sweeptree {

enum class Likelihood { marginal, plug_in };

// log Gamma(m + alpha), or m log m. Small counts, of which there are most, are looked up.
class CountTerm {
 public:
  CountTerm(Likelihood kind, double alpha, std::size_t n_rows) : kind_(kind), alpha_(alpha) {
    constexpr std::size_t most_entries = 4096;
    table_.resize(std::min(n_rows + 1, most_entries));
    for (std::size_t m = 0; m < table_.size(); ++m) table_[m] = work_out(static_cast<double>(m));
  }

  double operator()(int count) const {
    const auto m = static_cast<std::size_t>(count);
    return m < table_.size() ? table_[m] : work_out(count);
  }

 private:
  double work_out(double count) const {
    if (kind_ == Likelihood::marginal) return std::lgamma(count + alpha_);
    return count > 0.0 ? count * std::log(count) : 0.0;
  }

  Likelihood kind_;
  double alpha_;
  std::vector<double> table_;
};

// Both likelihoods have the form constant + sum_j term_j(m_ij) - total(n_i), so one term per
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
      terms_.push_back(is_repeated ? terms_.back()
                                   : std::make_shared<CountTerm>(kind, alpha[j], n_rows));
    }
    const double alpha_sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    total_ = std::make_shared<CountTerm>(kind, alpha_sum, n_rows);
    if (kind == Likelihood::marginal) {
      constant_ = std::lgamma(alpha_sum);
      for (const double a : alpha) constant_ -= std::lgamma(a);
    }
  }

  double log_leaf(const int* counts, int n) const {
    double sum = constant_;
    for (std::size_t j = 0; j < terms_.size(); ++j) sum += (*terms_[j])(counts[j]);
    return sum - (*total_)(n);
  }

 private:
  std::vector<std::shared_ptr<const CountTerm>> terms_;  // one per class; some may be shared
  std::shared_ptr<const CountTerm> total_;
  double constant_ = 0.0;
};

}  // namespace sweeptree
