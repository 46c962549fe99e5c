// The rows of a table in the order of a column: all of them, or those of a sample.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits.hpp"

namespace sweeptree {

// Rows are told by their places in a mask; those with a missing value come last.
class RowOrder {
 public:
  // All rows; they must outlive the order.
  explicit RowOrder(std::span<const std::uint32_t> rows) : whole_(rows) {}

  // The rows of a sample. `place_of` gives the place of a row among them, or `not_there`.
  template <typename PlaceOf>
  RowOrder(std::span<const std::uint32_t> rows, PlaceOf&& place_of)
      : whole_(rows), is_there_(rows.size() / word_bits + 1, 0) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % word_bits == 0) n_before_.push_back(static_cast<std::uint32_t>(sample_.size()));
      const std::uint32_t place = place_of(rows[i]);
      if (place == not_there) continue;
      flip_bit(is_there_.data(), i);
      sample_.push_back(place);
    }
    if (n_before_.size() < is_there_.size())
      n_before_.push_back(static_cast<std::uint32_t>(sample_.size()));
  }

  static constexpr std::uint32_t not_there = ~std::uint32_t{0};

  std::span<const std::uint32_t> rows() const {
    return is_sample() ? std::span<const std::uint32_t>(sample_) : whole_;
  }
  std::size_t n_rows_of_table() const { return whole_.size(); }

  // How many of the first n rows of the whole table are there.
  std::size_t n_of_first(std::size_t n) const {
    if (!is_sample()) return n;
    const Word below = (Word{1} << (n % word_bits)) - 1;
    const std::size_t word = n / word_bits;
    return n_before_[word] + static_cast<std::size_t>(std::popcount(is_there_[word] & below));
  }

 private:
  bool is_sample() const { return !is_there_.empty(); }

  std::span<const std::uint32_t> whole_;
  std::vector<std::uint32_t> sample_;
  std::vector<Word> is_there_;           // of the rows in their order, a bit each
  std::vector<std::uint32_t> n_before_;  // rows of the sample before each of these words
};

}  // namespace sweeptree
