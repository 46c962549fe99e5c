// One column as the sampler sees it: its distinct values in order, and the rules that can be asked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace sweeptree {

// How a variable is asked: whether it is at most a threshold, whether it is one level of a
// category, or whether it is in a group of levels.
enum class Kind : std::uint8_t { ordered, levels, groups };

enum class Test : std::uint8_t { at_most, is_level, in_group, is_missing, n_tests };

// The rules of a variable are numbered: a rule's number is its cut. Without missing values every
// question is a rule. With them every question is two, missing values going right and going left,
// and there is one rule more, the last: whether the value is missing.
class Variable {
 public:
  Variable(Kind kind, std::span<const double> values, std::span<const std::uint32_t> starts,
           int n_missing)
      : values(values),
        starts(starts),
        n_missing(n_missing),
        kind(kind),
        n_questions(count_questions(kind, static_cast<int>(values.size()))),
        n_cuts(n_missing > 0 ? 2 * n_questions + 1 : n_questions) {}

  std::span<const double> values;         // distinct, ascending; of a category 0, 1, 2 and so on
  std::span<const std::uint32_t> starts;  // empty where no value comes twice
  int n_missing;                          // rows at the end of that order
  Kind kind;
  int n_questions;
  int n_cuts;

  // Where a value starts in the order of the rows.
  std::size_t start_of(int rank) const { return starts.empty() ? rank : starts[rank]; }

  // The rank of the value at a place in that order.
  int rank_at(std::size_t place) const {
    if (starts.empty()) return static_cast<int>(place);
    return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), place) -
                            starts.begin()) - 1;
  }

  bool is_ordered() const { return kind == Kind::ordered; }
  int n_sides() const { return n_missing > 0 ? 2 : 1; }
  int question_of(int cut) const { return n_missing > 0 ? cut / 2 : cut; }
  int cut_at(int question, bool missing_left) const {
    return n_missing > 0 ? 2 * question + missing_left : question;
  }
  bool asks_missing(int cut) const { return n_missing > 0 && cut == 2 * n_questions; }
  bool sends_missing_left(int cut) const {
    return n_missing > 0 && (cut % 2 == 1 || asks_missing(cut));
  }

  Test test_of(int cut) const {
    if (asks_missing(cut)) return Test::is_missing;
    switch (kind) {
      case Kind::ordered: return Test::at_most;
      case Kind::levels: return Test::is_level;
      default: return Test::in_group;
    }
  }

  // What a rule holds a value against: a threshold at a fraction of the way through its gap, a
  // level, or a group as the bits of its levels.
  double threshold_of(int cut, double fraction) const {
    const int question = question_of(cut);
    switch (test_of(cut)) {
      case Test::at_most: return threshold_in_gap(question, fraction);
      case Test::is_level: return question;
      case Test::in_group: return question + 1;
      default: return 0.0;
    }
  }

  // The rule with this test and threshold. A threshold below all values gives -1, which sends no
  // row left; one that is not below the highest gives n_cuts, which sends every row left.
  int cut_of(Test test, double threshold, bool missing_left) const {
    switch (test) {
      case Test::at_most: return cut_of_threshold(threshold, missing_left);
      case Test::is_level: return cut_at(static_cast<int>(threshold), missing_left);
      case Test::in_group: return cut_at(static_cast<int>(threshold) - 1, missing_left);
      default: return 2 * n_questions;
    }
  }

  double range() const { return values.back() - values.front(); }
  double gap(int cut) const {
    const int question = question_of(cut);
    return values[question + 1] - values[question];
  }

 private:
  // Two levels have one question: asked of the other level it would make the same two halves.
  // Groups are told by the levels in them; the last level is never named.
  static int count_questions(Kind kind, int n_values) {
    if (kind == Kind::ordered || n_values < 3) return std::max(n_values - 1, 0);
    return kind == Kind::levels ? n_values : (1 << (n_values - 1)) - 1;
  }

  double threshold_in_gap(int question, double fraction) const {
    const double below = values[question];
    const double above = values[question + 1];
    const double threshold = below + fraction * (above - below);
    if (threshold < above) return threshold;
    return std::nextafter(above, -std::numeric_limits<double>::infinity());  // it was rounded up
  }

  int cut_of_threshold(double threshold, bool missing_left) const {
    const auto above = std::upper_bound(values.begin(), values.end(), threshold);
    const int question = static_cast<int>(above - values.begin()) - 1;
    if (question < 0) return -1;
    return question < n_questions ? cut_at(question, missing_left) : n_cuts;
  }
};

}  // namespace sweeptree
