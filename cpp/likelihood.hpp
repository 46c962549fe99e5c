// The likelihood of the rows in one terminal node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace sweeptree {

// std::lgamma writes the sign to a variable that all threads share.
inline double log_gamma(double x) {
#if defined(__unix__) || defined(__APPLE__)
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

enum class Likelihood { marginal, plug_in };

// Both likelihoods have the form constant + sum_j term_j(m_ij) - total(n_i), so one term per
// class serves either:
//   marginal (Eq. 4): term_j(m) = log Gamma(m + alpha_j), total(n) = log Gamma(n + sum alpha);
//   plug-in:          term(m) = m log m,                  total(n) = n log n.
class LeafLikelihood {
 public:
  // `class_counts` are those of all rows: no leaf has more.
  LeafLikelihood(Likelihood kind, const std::vector<double>& alpha,
                 const std::vector<int>& class_counts)
      : kind_(kind),
        alpha_(alpha),
        alpha_sum_(std::accumulate(alpha.begin(), alpha.end(), 0.0)),
        n_looked_up_(n_terms_up_to(std::accumulate(class_counts.begin(), class_counts.end(), 0))) {
    for (std::size_t j = 0, end = 0; j < alpha.size(); j = end) {
      while (end < alpha.size() && (kind == Likelihood::plug_in || alpha[end] == alpha[j])) ++end;
      const int most = *std::max_element(&class_counts[j], &class_counts[j] + (end - j));
      n_terms_.resize(end, n_terms_up_to(most));
      term_begin_.resize(end, add_table(alpha[j], n_terms_.back()));
    }
    total_begin_ = add_table(alpha_sum_, n_looked_up_);
    if (kind == Likelihood::marginal) {
      constant_ = log_gamma(alpha_sum_);
      for (const double a : alpha) constant_ -= log_gamma(a);
    }
  }

  double log_leaf(const int* counts, int n) const {
    if (static_cast<std::size_t>(n) >= n_looked_up_) return log_large_leaf(counts, n);
    double sum = constant_;
    for (std::size_t j = 0; j < n_classes(); ++j) sum += class_term(j, counts[j]);
    return sum - total_term(n);
  }

  std::size_t n_classes() const { return term_begin_.size(); }

  // What log_leaf is put together from, for counts below n_looked_up; of a class, below its n_terms.
  std::size_t n_looked_up() const { return n_looked_up_; }
  std::size_t n_terms(std::size_t j) const { return n_terms_[j]; }
  double constant() const { return constant_; }
  double class_term(std::size_t j, std::size_t m) const { return terms_[term_begin_[j] + m]; }
  double total_term(std::size_t n) const { return terms_[total_begin_ + n]; }
  bool repeats_class_before(std::size_t j) const {
    return j > 0 && term_begin_[j] == term_begin_[j - 1];
  }

 private:
  // Counts below this are looked up.
  static constexpr int most_looked_up = 4096;

  static std::size_t n_terms_up_to(int count) {
    return static_cast<std::size_t>(std::min(count + 1, most_looked_up));
  }

  double log_large_leaf(const int* counts, int n) const {
    double sum = constant_;
    for (std::size_t j = 0; j < n_classes(); ++j) {
      const auto m = static_cast<std::size_t>(counts[j]);
      sum += m < n_looked_up_ ? class_term(j, m) : term(counts[j], alpha_[j]);
    }
    return sum - term(n, alpha_sum_);
  }

  // log Gamma(m + alpha), or m log m.
  double term(double count, double alpha) const {
    if (kind_ == Likelihood::marginal) return log_gamma(count + alpha);
    return count > 0.0 ? count * std::log(count) : 0.0;
  }

  // Returns where it begins.
  std::size_t add_table(double alpha, std::size_t n_terms) {
    const std::size_t begin = terms_.size();
    for (std::size_t m = 0; m < n_terms; ++m)
      terms_.push_back(term(static_cast<double>(m), alpha));
    return begin;
  }

  Likelihood kind_;
  std::vector<double> alpha_;
  double alpha_sum_;
  double constant_ = 0.0;
  std::size_t n_looked_up_;
  std::vector<double> terms_;            // tables one after the other
  std::vector<std::size_t> n_terms_;     // of each class
  std::vector<std::size_t> term_begin_;  // of each class; neighbours with one alpha share a table
  std::size_t total_begin_ = 0;
};

// The likelihoods under each value that alpha may take. To draw one of them every leaf is looked up
// under all, so what is looked up for one count stands side by side.
class LeafLikelihoods {
 public:
  LeafLikelihoods(Likelihood kind, const std::vector<std::vector<double>>& alphas,
                  const std::vector<int>& class_counts) {
    for (const std::vector<double>& alpha : alphas) each_.emplace_back(kind, alpha, class_counts);
    for (std::size_t j = 0; j < each_.front().n_classes(); ++j) {
      const bool is_repeated =
          std::ranges::all_of(each_, [&](const auto& its) { return its.repeats_class_before(j); });
      const auto term = [&](const auto& its, std::size_t m) { return its.class_term(j, m); };
      class_begin_.push_back(is_repeated ? class_begin_.back()
                                         : add_table(each_.front().n_terms(j), term));
    }
    total_begin_ = add_table(each_.front().n_looked_up(), [](const auto& its, std::size_t n) {
      return its.total_term(n);
    });
  }

  std::size_t size() const { return each_.size(); }
  const LeafLikelihood& operator[](std::size_t value) const { return each_[value]; }

  // The log likelihood of a leaf under each value.
  void log_leaf(const int* counts, int n, std::vector<double>& out) const {
    if (static_cast<std::size_t>(n) >= each_.front().n_looked_up()) {
      for (std::size_t i = 0; i < size(); ++i) out[i] = each_[i].log_leaf(counts, n);
      return;
    }
    for (std::size_t i = 0; i < size(); ++i) out[i] = each_[i].constant();
    for (std::size_t j = 0; j < class_begin_.size(); ++j) {
      const double* term = &terms_[class_begin_[j] + counts[j] * size()];
      for (std::size_t i = 0; i < size(); ++i) out[i] += term[i];
    }
    const double* total = &terms_[total_begin_ + n * size()];
    for (std::size_t i = 0; i < size(); ++i) out[i] -= total[i];
  }

 private:
  template <typename Term>
  std::size_t add_table(std::size_t n_terms, Term&& term) {
    const std::size_t begin = terms_.size();
    for (std::size_t m = 0; m < n_terms; ++m)
      for (const LeafLikelihood& its : each_) terms_.push_back(term(its, m));
    return begin;
  }

  std::vector<LeafLikelihood> each_;
  std::vector<double> terms_;             // tables one after the other: (count, value)
  std::vector<std::size_t> class_begin_;  // of each class
  std::size_t total_begin_ = 0;
};

}  // namespace sweeptree
