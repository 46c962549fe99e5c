// The training table as the sampler sees it: rows as bits, values as ranks, rules as masks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "encoding.hpp"
#include "masks.hpp"
#include "order.hpp"
#include "variable.hpp"

namespace sweeptree {

// What encoding.py hands over: for each variable its kind, its distinct values, the places of the
// rows in their order, those with a missing value last, and where each distinct value starts in
// that order. `order`, `values` and `starts` must outlive the data.
struct EncodedTable {
  std::size_t n_rows = 0;
  std::size_t n_classes = 0;
  std::span<const std::int32_t> labels;         // class of each row
  std::span<const std::uint8_t> kinds;          // n_variables
  std::span<const std::uint32_t> n_missing;     // n_variables
  std::span<const std::uint32_t> order;         // n_variables x n_rows
  std::span<const double> values;               // all variables' distinct values, ascending
  std::span<const std::int64_t> value_offsets;  // n_variables + 1, into values
  std::span<const std::uint32_t> starts;        // of the variables in which some value comes twice
  std::span<const std::int64_t> start_offsets;  // n_variables + 1, into starts
};

class Data {
 public:
  // With `sample_every` above 1 it has a sample of its rows, too: its masks come out of the same
  // budget, and so do its orders, which take about as much.
  Data(const EncodedTable& table, std::size_t mask_budget, std::size_t sample_every)
      : n_rows_(table.n_rows), classes_(table.labels, table.n_classes), order_(table.order) {
    for (std::size_t v = 0; v < table.kinds.size(); ++v)
      variables_.emplace_back(static_cast<Kind>(table.kinds[v]),
                              part(table.values, table.value_offsets, v),
                              part(table.starts, table.start_offsets, v),
                              static_cast<int>(table.n_missing[v]));
    const std::size_t budget_of_sample = sample_every > 1 ? mask_budget / sample_every : 0;
    make_masks(mask_budget - 2 * budget_of_sample,
               [](std::span<const std::uint32_t> rows) { return RowOrder(rows); });
    if (sample_every > 1) sample_.reset(new Data(*this, budget_of_sample, sample_every));
  }

  // Of each class every n-th row, in the order of the table; the rules are those of the whole
  // table. None: there is no sample.
  const Data* sample() const { return sample_.get(); }

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_classes() const { return classes_.counts.size(); }
  std::size_t n_words() const { return classes_.begin.back(); }
  int n_variables() const { return static_cast<int>(variables_.size()); }
  const Variable& variable(int v) const { return variables_[v]; }
  int n_cuts(int variable) const { return variables_[variable].n_cuts; }
  const std::vector<Word>& all_rows() const { return all_rows_; }
  const std::vector<int>& class_counts() const { return classes_.counts; }

  bool is_inside(int variable, int cut) const { return cut >= 0 && cut < n_cuts(variable); }

  std::size_t mask_bytes() const {
    std::size_t sum = 0;
    for (const RuleMasks& masks : masks_) sum += masks.n_bytes();
    return sum + (sample_ ? sample_->mask_bytes() : 0);
  }

  int count(const Word* mask) const {
    return static_cast<int>(
        split_and_count<Keep::none>(mask, all_rows_.data(), nullptr, nullptr, n_words()));
  }

  int count_missing(int variable, const Word* mask) const {
    return static_cast<int>(split_and_count<Keep::none>(mask, masks_[variable].missing(), nullptr,
                                                        nullptr, n_words()));
  }

  // Of an ordered variable: the ranks of the n-th smallest and the m-th largest value among the
  // rows of a mask. It has that many rows with a value; of none, the lowest or highest of all.
  // The cuts from the first up to, but without, the second leave n rows left and m right.
  std::pair<int, int> inner_ranks(int variable, const Word* mask, int n, int m) const {
    const std::uint32_t* order = order_.data() + variable * n_rows_;
    std::size_t low = 0;
    for (int n_seen = has_bit(mask, order[0]); n_seen < n; n_seen += has_bit(mask, order[low]))
      ++low;
    std::size_t high = n_rows_ - variables_[variable].n_missing - 1;
    for (int n_seen = has_bit(mask, order[high]); n_seen < m; n_seen += has_bit(mask, order[high]))
      --high;
    return {variables_[variable].rank_at(low), variables_[variable].rank_at(high)};
  }

  // Splits the rows of `mask` by a rule that is inside the variable's range; counts the left rows
  // of each class and writes out the halves for which there is a place.
  void split(const Word* mask, int variable, int cut, Word* left, Word* right,
             int* left_counts) const {
    if (left && right) split<Keep::both>(mask, variable, cut, left, right, left_counts);
    else if (left) split<Keep::left>(mask, variable, cut, left, right, left_counts);
    else if (right) split<Keep::right>(mask, variable, cut, left, right, left_counts);
    else split<Keep::none>(mask, variable, cut, left, right, left_counts);
  }

 private:
  template <Keep keep>
  void split(const Word* mask, int variable, int cut, Word* left, Word* right,
             int* left_counts) const {
    const Word* rows_left = masks_[variable].rows_left(cut, [this] { return scratch(); });
    for (std::size_t c = 0, n = n_classes(); c < n; ++c) {
      const std::size_t begin = classes_.begin[c];
      left_counts[c] = static_cast<int>(split_and_count<keep>(
          mask + begin, rows_left + begin, keeps_left(keep) ? left + begin : nullptr,
          keeps_right(keep) ? right + begin : nullptr, classes_.begin[c + 1] - begin));
    }
  }

  // Room for a mask; chains on one table run on different threads.
  Word* scratch() const {
    thread_local std::vector<Word> mask;
    if (mask.size() < n_words()) mask.resize(n_words());
    return mask.data();
  }

  template <typename T>
  static std::span<const T> part(std::span<const T> whole, std::span<const std::int64_t> offsets,
                                 std::size_t i) {
    return whole.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }

  // A sample of a table, which must outlive it.
  Data(const Data& whole, std::size_t mask_budget, std::size_t every)
      : classes_(sampled_counts(whole.classes_.counts, every)),
        order_(whole.order_),
        variables_(whole.variables_) {
    for (const int count : classes_.counts) n_rows_ += count;
    const auto place_of = [&](std::uint32_t place) {
      const std::size_t c = whole.classes_.class_at(place);
      const std::size_t place_in_class = place - whole.classes_.begin[c] * word_bits;
      if (place_in_class % every != 0) return RowOrder::not_there;
      return static_cast<std::uint32_t>(classes_.begin[c] * word_bits + place_in_class / every);
    };
    make_masks(mask_budget,
               [&](std::span<const std::uint32_t> rows) { return RowOrder(rows, place_of); });
  }

  static std::vector<int> sampled_counts(std::vector<int> counts, std::size_t every) {
    for (int& count : counts) count = static_cast<int>((count + every - 1) / every);
    return counts;
  }

  // `order_of` makes the order of a column of all rows of the table in that order.
  template <typename OrderOf>
  void make_masks(std::size_t mask_budget, OrderOf&& order_of) {
    all_rows_.assign(n_words(), 0);
    for (std::size_t c = 0; c < n_classes(); ++c)
      for (int i = 0; i < classes_.counts[c]; ++i)
        flip_bit(all_rows_.data(), classes_.begin[c] * word_bits + i);
    constexpr std::size_t fewest = 4;
    const std::size_t per_mask = std::max<std::size_t>(variables_.size(), 1) * n_words();
    const std::size_t most_stored = std::max(fewest, mask_budget / (per_mask * sizeof(Word)));
    masks_.reserve(variables_.size());
    const std::size_t n = variables_.empty() ? 0 : order_.size() / variables_.size();
    for (std::size_t v = 0; v < variables_.size(); ++v)
      masks_.emplace_back(variables_[v], order_of(order_.subspan(v * n, n)), n_words(),
                          most_stored);
  }

  std::size_t n_rows_ = 0;
  ClassWords classes_;
  std::span<const std::uint32_t> order_;  // of all rows of the table
  std::vector<Word> all_rows_;
  std::vector<Variable> variables_;
  std::vector<RuleMasks> masks_;
  std::unique_ptr<const Data> sample_;
};

}  // namespace sweeptree
