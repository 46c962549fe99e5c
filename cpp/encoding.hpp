// From numbers to ranks: the rows of a table in the order of a column, and its distinct values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bits.hpp"

namespace sweeptree {

// Which words of a mask belong to which class. Rows are sorted by class and each class starts a new
// word, so that one pass over a mask counts every class.
struct ClassWords {
  explicit ClassWords(std::vector<int> rows_of_classes)
      : counts(std::move(rows_of_classes)), begin(counts.size() + 1, 0) {
    for (std::size_t c = 0; c < counts.size(); ++c)
      begin[c + 1] = begin[c] + (counts[c] + word_bits - 1) / word_bits;
  }
  ClassWords(std::span<const std::int32_t> labels, std::size_t n_classes)
      : ClassWords(counts_of(labels, n_classes)) {}

  std::vector<int> counts;         // rows of each class
  std::vector<std::size_t> begin;  // one more at the end

  // The class of the row at a place in a mask.
  std::size_t class_at(std::size_t place) const {
    return std::upper_bound(begin.begin(), begin.end(), place / word_bits) - begin.begin() - 1;
  }

 private:
  static std::vector<int> counts_of(std::span<const std::int32_t> labels, std::size_t n_classes) {
    std::vector<int> counts(n_classes, 0);
    for (const std::int32_t label : labels) ++counts[label];
    return counts;
  }
};

// Where each row stands among the bits of a mask.
inline std::vector<std::uint32_t> places_by_class(std::span<const std::int32_t> labels,
                                                  std::size_t n_classes) {
  const ClassWords classes(labels, n_classes);
  std::vector<std::size_t> next(n_classes);
  for (std::size_t c = 0; c < n_classes; ++c) next[c] = classes.begin[c] * word_bits;
  std::vector<std::uint32_t> places;
  places.reserve(labels.size());
  for (const std::int32_t label : labels)
    places.push_back(static_cast<std::uint32_t>(next[label]++));
  return places;
}

// A column by rank, with room for one entry per row in each array: the places of the rows in its
// order, its distinct values, ascending, and where each starts in that order.
struct SortedColumn {
  std::uint32_t* order;
  double* values;
  std::uint32_t* starts;
  std::size_t n_values = 0;
  std::size_t n_starts = 0;   // none where no value comes twice: then i starts at i
  std::size_t n_missing = 0;  // rows at the end of the order
};

// Sorts columns by their bits, a byte at a time from the lowest that matters; bytes that are the same
// in every row are passed over. The upper half of the bits leaves little to do as a rule.
class ColumnSorter {
 public:
  // `stride` is the distance from one row's value to the next.
  void sort(const double* first, std::ptrdiff_t stride, std::span<const std::uint32_t> places,
            SortedColumn& column) {
    const std::size_t n = places.size();
    keys_.resize(n);
    for (std::size_t row = 0; row < n; ++row)
      keys_[row] = key_of(first[static_cast<std::ptrdiff_t>(row) * stride]);
    order_.assign(places.begin(), places.end());
    sort_by_bytes(n_bytes / 2);
    if (!finish_by_insertion()) sort_by_bytes(0);
    std::copy(order_.begin(), order_.end(), column.order);
    find_values(column);
  }

 private:
  static constexpr std::size_t n_bytes = 8;
  static constexpr std::size_t n_digits = 256;
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  static constexpr std::uint64_t missing = ~std::uint64_t{0};

  // Keys are in the order of the numbers; both zeros have one, missing values the highest.
  static std::uint64_t key_of(double value) {
    if (std::isnan(value)) return missing;
    const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
    return bits & sign ? ~bits : bits | sign;
  }

  static double value_of(std::uint64_t key) {
    return std::bit_cast<double>(key & sign ? key & ~sign : ~key);
  }

  static std::size_t digit(std::uint64_t key, std::size_t byte) { return key >> (8 * byte) & 0xff; }

  void sort_by_bytes(std::size_t lowest) {
    std::array<std::array<std::uint32_t, n_digits>, n_bytes> counts{};
    for (const std::uint64_t key : keys_)
      for (std::size_t byte = lowest; byte < n_bytes; ++byte) ++counts[byte][digit(key, byte)];
    other_keys_.resize(keys_.size());
    other_order_.resize(keys_.size());
    for (std::size_t byte = lowest; byte < n_bytes; ++byte) {
      const bool is_same = !keys_.empty() && counts[byte][digit(keys_[0], byte)] == keys_.size();
      if (!is_same) sort_by_byte(byte, counts[byte]);
    }
  }

  void sort_by_byte(std::size_t byte, std::array<std::uint32_t, n_digits>& next) {
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint32_t{0});
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint32_t to = next[digit(keys_[i], byte)]++;
      other_keys_[to] = keys_[i];
      other_order_[to] = order_[i];
    }
    keys_.swap(other_keys_);
    order_.swap(other_order_);
  }

  // Puts nearly sorted rows in order; gives up, with no row lost, once that takes too many steps.
  bool finish_by_insertion() {
    constexpr std::size_t steps_per_row = 4;
    std::size_t n_steps_left = steps_per_row * keys_.size();
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const std::uint64_t key = keys_[i];
      const std::uint32_t place = order_[i];
      std::size_t to = i;
      for (; to > 0 && keys_[to - 1] > key && n_steps_left > 0; --to, --n_steps_left) {
        keys_[to] = keys_[to - 1];
        order_[to] = order_[to - 1];
      }
      keys_[to] = key;
      order_[to] = place;
      if (n_steps_left == 0) return false;
    }
    return true;
  }

  void find_values(SortedColumn& column) const {
    std::size_t n_present = keys_.size();
    while (n_present > 0 && keys_[n_present - 1] == missing) --n_present;
    column.n_missing = keys_.size() - n_present;
    const auto is_first = [&](std::size_t i) { return i == 0 || keys_[i] != keys_[i - 1]; };
    for (std::size_t i = 0; i < n_present; ++i)
      if (is_first(i)) column.values[column.n_values++] = value_of(keys_[i]);
    if (column.n_values == n_present) return;
    for (std::size_t i = 0; i < n_present; ++i)
      if (is_first(i)) column.starts[column.n_starts++] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> other_keys_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> other_order_;
};

}  // namespace sweeptree
