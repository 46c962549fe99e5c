// The rows that each rule sends left, as masks: all of them where they are few, else some of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "order.hpp"
#include "variable.hpp"

namespace sweeptree {

// A stored mask near the one that is wanted, and the rows by which the two differ.
struct NearMask {
  const Word* mask;
  std::span<const std::uint32_t> rows_between;
};

// The masks of one variable. A variable with few questions has one for each rule. Of an ordered
// variable with many it has one per equal share of the rows; of a category with many levels it has
// the most frequent ones, and builds the others from the rows that have the level.
class RuleMasks {
 public:
  RuleMasks(const Variable& variable, RowOrder order, std::size_t n_words,
            std::size_t most_stored)
      : variable_(variable),
        order_(std::move(order)),
        n_words_(n_words),
        n_shares_(std::max<std::size_t>(most_stored / variable.n_sides(), 1)),
        is_complete_(variable.kind == Kind::groups ||
                     static_cast<std::size_t>(variable.n_questions) <= n_shares_),
        missing_(n_words, 0) {
    for (const std::uint32_t row : rows_between(n_present(), order_.n_rows_of_table()))
      flip_bit(missing_.data(), row);
    choose_questions();
    masks_.reserve(questions_.size() * variable_.n_sides() * n_words_);
    if (variable_.is_ordered()) store_thresholds();
    else store_categories();
    if (variable_.n_missing > 0) masks_.insert(masks_.end(), missing_.begin(), missing_.end());
  }

  const Word* missing() const { return missing_.data(); }
  std::size_t n_bytes() const { return masks_.size() * sizeof(Word); }

  // The rows that a rule sends left: a mask that is stored, or one that is put together where
  // `make_room` says.
  template <typename MakeRoom>
  const Word* rows_left(int cut, MakeRoom&& make_room) const {
    if (is_complete_) return mask(cut);
    const NearMask near = nearest(cut);
    if (near.rows_between.empty()) return near.mask;
    Word* scratch = make_room();
    std::copy_n(near.mask, n_words_, scratch);
    for (const std::uint32_t row : near.rows_between) flip_bit(scratch, row);
    return scratch;
  }

 private:
  NearMask nearest(int cut) const {
    if (variable_.asks_missing(cut)) return {missing_.data(), {}};
    const int question = variable_.question_of(cut);
    const std::size_t side = variable_.sends_missing_left(cut);
    return variable_.is_ordered() ? nearest_threshold(question, side) : nearest_level(question, side);
  }

  const Word* mask(std::size_t i) const { return masks_.data() + i * n_words_; }

  // Rows are counted on the whole table; what is between two such numbers may be a sample of it.
  std::size_t n_present() const { return order_.n_rows_of_table() - variable_.n_missing; }

  std::span<const std::uint32_t> rows_between(std::size_t begin, std::size_t end) const {
    const std::size_t first = order_.n_of_first(begin);
    return order_.rows().subspan(first, order_.n_of_first(end) - first);
  }

  // The number of rows with a value of this rank or below.
  std::size_t rows_up_to(int rank) const {
    const int next = rank + 1;
    return next < static_cast<int>(variable_.values.size()) ? variable_.start_of(next)
                                                            : n_present();
  }

  std::span<const std::uint32_t> rows_with(int level) const {
    return rows_between(variable_.start_of(level), rows_up_to(level));
  }

  NearMask nearest_threshold(int question, std::size_t side) const {
    const std::size_t here = rows_up_to(question);
    const std::size_t share = here * n_shares_ / n_present();
    const std::size_t there = rows_up_to(questions_[share]);
    return {mask(share * variable_.n_sides() + side),
            rows_between(std::min(here, there), std::max(here, there))};
  }

  NearMask nearest_level(int level, std::size_t side) const {
    const auto stored = std::lower_bound(questions_.begin(), questions_.end(), level);
    if (stored != questions_.end() && *stored == level)
      return {mask((stored - questions_.begin()) * variable_.n_sides() + side), {}};
    return {side == 1 ? missing_.data() : mask(empty_), rows_with(level)};
  }

  void choose_questions() {
    const std::size_t n = variable_.n_questions;
    if (is_complete_) {
      questions_.resize(n);
      std::iota(questions_.begin(), questions_.end(), 0);
    } else if (variable_.is_ordered()) {
      for (std::size_t share = 0; share < n_shares_; ++share)
        questions_.push_back(question_near(share));
    } else {
      questions_ = most_frequent_levels();
    }
  }

  // The question that comes nearest to the middle of a share of the rows.
  int question_near(std::size_t share) const {
    const std::size_t middle = (2 * share + 1) * n_present() / (2 * n_shares_);
    const int below = variable_.rank_at(middle) - 1;  // the last question with no more rows left
    const int above = below + 1;
    if (below < 0) return above;
    if (above == variable_.n_questions) return below;
    return middle - rows_up_to(below) <= rows_up_to(above) - middle ? below : above;
  }

  std::vector<int> most_frequent_levels() const {
    std::vector<int> levels(variable_.n_questions);
    std::iota(levels.begin(), levels.end(), 0);
    std::stable_sort(levels.begin(), levels.end(), [&](int a, int b) {
      return rows_with(a).size() > rows_with(b).size();
    });
    levels.resize(n_shares_);
    std::sort(levels.begin(), levels.end());
    return levels;
  }

  void store_thresholds() {
    std::vector<Word> left(n_words_, 0);
    std::size_t n_filled = 0;
    for (const int question : questions_) {
      const std::size_t n = rows_up_to(question);
      for (const std::uint32_t row : rows_between(n_filled, n)) flip_bit(left.data(), row);
      n_filled = n;
      store(left);
    }
  }

  void store_categories() {
    for (const int question : questions_) {
      std::vector<Word> left(n_words_, 0);
      if (variable_.kind == Kind::levels) add_level(question, left);
      else add_group(static_cast<unsigned>(question + 1), left);
      store(left);
    }
    if (is_complete_) return;
    empty_ = masks_.size() / n_words_;
    masks_.resize(masks_.size() + n_words_, 0);
  }

  void add_level(int level, std::vector<Word>& left) const {
    for (const std::uint32_t row : rows_with(level)) flip_bit(left.data(), row);
  }

  void add_group(unsigned group, std::vector<Word>& left) const {
    for (int level = 0; group >> level; ++level)
      if (group >> level & 1u) add_level(level, left);
  }

  // Stores a mask and, where values are missing, the one with these rows added.
  void store(const std::vector<Word>& left) {
    masks_.insert(masks_.end(), left.begin(), left.end());
    if (variable_.n_missing > 0)
      for (std::size_t i = 0; i < n_words_; ++i) masks_.push_back(left[i] | missing_[i]);
  }

  Variable variable_;
  RowOrder order_;
  std::size_t n_words_;
  std::size_t n_shares_;
  bool is_complete_;  // every rule has its mask
  std::vector<Word> missing_;
  std::vector<int> questions_;  // those that have masks, ascending
  std::vector<Word> masks_;
  std::size_t empty_ = 0;
};

}  // namespace sweeptree
