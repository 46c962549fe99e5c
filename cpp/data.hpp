// The training table as the sampler sees it: rows as bits, values as ranks, cuts as masks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bits.hpp"

namespace sweeptree {

// What encoding.py hands over: for each variable its distinct values, the rows in their order,
// and where each distinct value starts in that order. `values` and `starts` must outlive the data.
struct EncodedTable {
  std::size_t n_rows = 0;
  std::size_t n_classes = 0;
  std::span<const std::int32_t> labels;         // class of each row
  std::span<const std::uint32_t> order;         // n_variables x n_rows
  std::span<const double> values;               // all variables' distinct values, ascending
  std::span<const std::uint32_t> starts;        // parallel to values
  std::span<const std::int64_t> value_offsets;  // n_variables + 1, into values and starts
};

// Rows are sorted by class and each class is padded to whole words, so that one pass over a mask
// counts every class. Cut r of a variable sends the rows with value <= its r-th value left.
class Data {
 public:
  Data(const EncodedTable& table, std::size_t mask_budget)
      : n_rows_(table.n_rows),
        n_classes_(table.n_classes),
        values_(table.values),
        starts_(table.starts),
        offsets_(table.value_offsets.begin(), table.value_offsets.end()) {
    const std::vector<std::uint32_t> position = place_rows_by_class(table.labels);
    order_.reserve(table.order.size());
    for (const std::uint32_t row : table.order) order_.push_back(position[row]);
    make_checkpoints(mask_budget);
  }

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_words() const { return class_begin_.back(); }
  int n_variables() const { return static_cast<int>(offsets_.size()) - 1; }
  int n_cuts(int variable) const {
    return static_cast<int>(offsets_[variable + 1] - offsets_[variable]) - 1;
  }
  const std::vector<Word>& all_rows() const { return all_rows_; }
  const std::vector<int>& class_counts() const { return class_counts_; }

  double lowest(int variable) const { return values_[offsets_[variable]]; }
  double highest(int variable) const { return values_[offsets_[variable + 1] - 1]; }
  double range(int variable) const { return highest(variable) - lowest(variable); }
  double gap(int variable, int cut) const {
    const double* value = values_.data() + offsets_[variable] + cut;
    return value[1] - value[0];
  }

  bool is_inside(int variable, int cut) const { return cut >= 0 && cut < n_cuts(variable); }

  // The threshold at a fraction of the way through the gap above the cut's value.
  double threshold_in_gap(int variable, int cut, double fraction) const {
    const double* value = values_.data() + offsets_[variable] + cut;
    const double threshold = value[0] + fraction * (value[1] - value[0]);
    const double below_next = std::nextafter(value[1], -std::numeric_limits<double>::infinity());
    return std::clamp(threshold, value[0], below_next);
  }

  // The cut that a threshold makes: -1 sends no row left, n_cuts sends every row left.
  int cut_of(int variable, double threshold) const {
    const double* begin = values_.data() + offsets_[variable];
    const double* end = values_.data() + offsets_[variable + 1];
    return static_cast<int>(std::upper_bound(begin, end, threshold) - begin) - 1;
  }

  std::size_t mask_bytes() const { return masks_.size() * sizeof(Word); }

  double value(int variable, int rank) const { return values_[offsets_[variable] + rank]; }

  // The ranks of the n-th smallest and the n-th largest value among the rows of a mask, which has
  // at least n rows. The cuts from the first up to, but without, the second leave n on each side.
  std::pair<int, int> inner_ranks(int variable, const Word* mask, int n) const {
    const std::uint32_t* order = order_.data() + variable * n_rows_;
    std::size_t low = 0;
    for (int n_seen = has_bit(mask, order[0]); n_seen < n; n_seen += has_bit(mask, order[low]))
      ++low;
    std::size_t high = n_rows_ - 1;
    for (int n_seen = has_bit(mask, order[high]); n_seen < n; n_seen += has_bit(mask, order[high]))
      --high;
    return {rank_at(variable, low), rank_at(variable, high)};
  }

  // Splits the rows of `mask` at a cut that is inside the variable's range; counts the left rows
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
    const Checkpoint near = nearest_checkpoint(variable, cut);
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const std::size_t begin = class_begin_[c];
      left_counts[c] = static_cast<int>(split_and_count<keep>(
          mask + begin, near.mask + begin, keeps_left(keep) ? left + begin : nullptr,
          keeps_right(keep) ? right + begin : nullptr, class_begin_[c + 1] - begin));
    }
    for (const std::uint32_t row : near.rows_between) {
      if (!has_bit(mask, row)) continue;
      left_counts[class_of_word_[row / word_bits]] += near.is_below ? 1 : -1;
      if constexpr (keeps_left(keep)) flip_bit(left, row);
      if constexpr (keeps_right(keep)) flip_bit(right, row);
    }
  }

  // A stored mask near a cut, and the rows by which the two differ.
  struct Checkpoint {
    const Word* mask;
    std::span<const std::uint32_t> rows_between;
    bool is_below;  // the checkpoint sends fewer rows left than the cut
  };

  std::vector<std::uint32_t> place_rows_by_class(std::span<const std::int32_t> labels) {
    class_counts_.assign(n_classes_, 0);
    for (const std::int32_t label : labels) ++class_counts_[label];
    class_begin_.assign(n_classes_ + 1, 0);
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const std::size_t words = (class_counts_[c] + word_bits - 1) / word_bits;
      class_begin_[c + 1] = class_begin_[c] + words;
      class_of_word_.insert(class_of_word_.end(), words, static_cast<std::uint32_t>(c));
    }
    std::vector<std::size_t> next(n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) next[c] = class_begin_[c] * word_bits;
    all_rows_.assign(n_words(), 0);
    std::vector<std::uint32_t> position(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      position[i] = static_cast<std::uint32_t>(next[labels[i]]++);
      flip_bit(all_rows_.data(), position[i]);
    }
    return position;
  }

  // Keeps every cut's mask where they are few; elsewhere one per equal share of the rows.
  void make_checkpoints(std::size_t mask_budget) {
    constexpr std::size_t fewest = 64;
    const std::size_t per_variable = std::max<std::size_t>(n_variables(), 1) * n_words();
    n_shares_ = std::max(fewest, mask_budget / (per_variable * sizeof(Word)));
    mask_offsets_.assign(1, 0);
    for (int v = 0; v < n_variables(); ++v)
      mask_offsets_.push_back(mask_offsets_.back() +
                              std::min<std::size_t>(n_cuts(v), n_shares_));
    masks_.assign(mask_offsets_.back() * n_words(), 0);
    for (int v = 0; v < n_variables(); ++v) fill_checkpoints(v);
  }

  void fill_checkpoints(int variable) {
    std::vector<Word> mask(n_words(), 0);
    std::size_t n_filled = 0;
    for (std::size_t i = mask_offsets_[variable]; i < mask_offsets_[variable + 1]; ++i) {
      const int cut = checkpoint_cut(variable, i - mask_offsets_[variable]);
      checkpoint_rows_.push_back(rows_left(variable, cut));
      for (; n_filled < checkpoint_rows_[i]; ++n_filled)
        flip_bit(mask.data(), order_[variable * n_rows_ + n_filled]);
      std::copy(mask.begin(), mask.end(), masks_.begin() + i * n_words());
    }
  }

  bool keeps_every_cut(int variable) const {
    return static_cast<std::size_t>(n_cuts(variable)) <= n_shares_;
  }

  // The rank of the value at a place in a variable's order.
  int rank_at(int variable, std::size_t place) const {
    const auto first = starts_.begin() + offsets_[variable];
    const auto last = starts_.begin() + offsets_[variable + 1];
    return static_cast<int>(std::upper_bound(first, last, place) - first) - 1;
  }

  // The number of rows that a cut sends left.
  std::size_t rows_left(int variable, int cut) const {
    return starts_[offsets_[variable] + cut + 1];
  }

  int checkpoint_cut(int variable, std::size_t i) const {
    if (keeps_every_cut(variable)) return static_cast<int>(i);
    const std::size_t middle = (2 * i + 1) * n_rows_ / (2 * n_shares_);
    const auto first = starts_.begin() + offsets_[variable] + 1;
    const auto last = starts_.begin() + offsets_[variable + 1];
    const auto above = std::lower_bound(first, last, middle);
    const int cut = static_cast<int>(above - first);
    if (above == last) return cut - 1;
    const bool below_is_nearer = cut > 0 && middle - above[-1] < *above - middle;
    return below_is_nearer ? cut - 1 : cut;
  }

  Checkpoint nearest_checkpoint(int variable, int cut) const {
    if (keeps_every_cut(variable))
      return {masks_.data() + (mask_offsets_[variable] + cut) * n_words(), {}, false};
    const std::size_t here = rows_left(variable, cut);
    const std::size_t index = mask_offsets_[variable] + here * n_shares_ / n_rows_;
    const std::size_t there = checkpoint_rows_[index];
    const std::uint32_t* rows = order_.data() + variable * n_rows_;
    return {masks_.data() + index * n_words(),
            {rows + std::min(here, there), rows + std::max(here, there)},
            there < here};
  }

  std::size_t n_rows_;
  std::size_t n_classes_;
  std::span<const double> values_;
  std::span<const std::uint32_t> starts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> order_;  // places in the masks, not row numbers
  std::vector<int> class_counts_;
  std::vector<std::size_t> class_begin_;  // in words
  std::vector<std::uint32_t> class_of_word_;
  std::vector<Word> all_rows_;
  std::size_t n_shares_ = 0;
  std::vector<std::size_t> mask_offsets_;  // in masks
  std::vector<Word> masks_;
  std::vector<std::size_t> checkpoint_rows_;  // rows that each stored mask sends left
};

}  // namespace sweeptree
