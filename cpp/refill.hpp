// Sending rows down a changed subtree, into scratch space, until the change is accepted or dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace sweeptree {

// What the leaves below a change add up to, before it and after it.
struct LeafSums {
  double log_likelihood = 0.0;
  double log_stop = 0.0;
};

// Nodes below the top whose links or rules are not as they were, or the mask of which goes to the
// top. A node that gets the rows it had, with none of these at it or below, needs no second look.
struct Changes {
  bool anywhere = false;
  int node = none;
  int other = none;
};

class Refill {
 public:
  // The likelihood may be exchanged for another between two runs.
  Refill(const Target& target, const Data& data, int min_samples_leaf,
         const LeafLikelihood* const& likelihood, Tree& tree)
      : target_(target),
        data_(data),
        min_samples_leaf_(min_samples_leaf),
        likelihood_(likelihood),
        tree_(tree),
        writes_all_(data.n_words() <= most_words_written_at_once) {}

  LeafSums before;
  LeafSums after;
  int n_starved = 0;
  int starved_leaf = none;

  // Starts anew. Gives up once more than `most_starved` leaves are starved, or once the log
  // likelihood is certain to change by less than `least_change`: no leaf adds more than zero.
  void begin(int most_starved, const Changes& changes, double least_change) {
    drop();
    least_change_ = least_change;
    changes_ = changes;
    most_starved_ = most_starved;
    before = after = LeafSums{};
    n_starved = 0;
    starved_leaf = none;
  }

  // Sends the rows that stood at `place` down from `top`, which has taken that place.
  void run(int top, int place) {
    top_ = top;
    place_ = place;
    least_after_ = tree_[place].log_likelihood + least_change_ - slack;
    const std::size_t counts = push_counts(1);
    std::copy_n(tree_.counts(place), data_.n_classes(), &counts_[counts]);
    send({top, none, tree_[place].mask, counts, tree_[place].n_rows});
  }

  bool is_hopeless() const {
    return n_starved > most_starved_ || after.log_likelihood < least_after_;
  }

  // Makes the refilled state the tree's; the links must be as they were in `run`.
  void settle() {
    if (top_ != place_) std::swap(tree_[top_].mask, tree_[place_].mask);
    for (const Refilled& refilled : refilled_) settle(refilled);
    for (auto refilled = refilled_.rbegin(); refilled != refilled_.rend(); ++refilled)
      tree_.sum_up(refilled->node);  // children before their parents
    tree_.add_above(top_, after.log_likelihood - before.log_likelihood);
    drop();
  }

  void drop() {
    refilled_.clear();
    n_scratch_ = 0;
    n_counts_ = 0;
  }

  // The masks that it has taken go with the tree.
  void forget() {
    drop();
    scratch_.clear();
  }

 private:
  // A node whose rows have changed.
  struct Refilled {
    int node;
    int scratch;  // which of the masks is its own from now on; none: the one that it has
    std::size_t counts;
    int n_rows;
    double log_leaf;
    double log_stop;
  };

  // Rows that have come to a node.
  struct Arrival {
    int node;
    int scratch;  // which of the masks holds them; none: they are only counted, or stay
    const Word* mask;
    std::size_t counts;
    int n_rows;
  };

  void send(const Arrival& rows) {
    if (tree_[rows.node].is_leaf()) fill_leaf(rows);
    else send_on(rows);
  }

  void send_on(const Arrival& rows) {
    const Node& node = tree_[rows.node];
    refilled_.push_back({rows.node, rows.scratch, rows.counts, rows.n_rows, 0.0, 0.0});
    if (!data_.is_inside(node.rule.variable, node.rule.cut)) {
      send_to_one_side(rows);
      return;
    }
    const std::size_t n_classes = data_.n_classes();
    const std::size_t counts = push_counts(2);
    const int left_scratch = needs_mask(node.left) ? take_scratch() : none;
    const int right_scratch = needs_mask(node.right) ? take_scratch() : none;
    Word* left_mask = mask_of(left_scratch);
    Word* right_mask = mask_of(right_scratch);
    int* left_counts = &counts_[counts];
    data_.split(rows.mask, node.rule.variable, node.rule.cut, left_mask, right_mask, left_counts);
    int n_left = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
      left_counts[n_classes + c] = counts_[rows.counts + c] - left_counts[c];
      n_left += left_counts[c];
    }
    const int right = node.right;
    send_if_changed({node.left, left_scratch, left_mask, counts, n_left});
    if (is_hopeless()) return;
    send_if_changed({right, right_scratch, right_mask, counts + n_classes, rows.n_rows - n_left});
  }

  void send_if_changed(const Arrival& rows) {
    if (is_unchanged(rows)) least_after_ -= tree_[rows.node].log_likelihood;
    else send(rows);
  }

  // Of a leaf it is only worth a look where its share of the prior is.
  bool is_unchanged(const Arrival& rows) const {
    const Node& node = tree_[rows.node];
    if ((node.is_leaf() && !target_.range.is_used()) || changes_.anywhere) return false;
    return rows.n_rows > 0 && rows.n_rows == node.n_rows &&
           std::equal(rows.mask, rows.mask + data_.n_words(), node.mask) &&
           !tree_.is_at_or_above(rows.node, changes_.node) &&
           !tree_.is_at_or_above(rows.node, changes_.other);
  }

  // A rule outside its variable's range: one child gets every row, the other none.
  void send_to_one_side(const Arrival& rows) {
    const Node& node = tree_[rows.node];
    const bool none_left = node.rule.cut < 0;
    const int empty = none_left ? node.left : node.right;
    const int full = none_left ? node.right : node.left;
    if (!tree_[empty].is_leaf()) {
      n_starved += 2;
      return;
    }
    leave_behind(empty);
    starve(empty);
    if (!is_hopeless()) send({full, none, rows.mask, rows.counts, rows.n_rows});
  }

  void fill_leaf(const Arrival& rows) {
    leave_behind(rows.node);
    if (rows.n_rows < min_samples_leaf_) {
      starve(rows.node);
      return;
    }
    const double log_leaf = likelihood_->log_leaf(&counts_[rows.counts], rows.n_rows);
    const double log_stop = target_.log_stop(rows.mask);
    after.log_likelihood += log_leaf;
    after.log_stop += log_stop;
    refilled_.push_back({rows.node, rows.scratch, rows.counts, rows.n_rows, log_leaf, log_stop});
  }

  void leave_behind(int leaf) {
    before.log_likelihood += tree_[leaf].log_likelihood;
    before.log_stop += tree_[leaf].log_stop;
  }

  void starve(int leaf) {
    ++n_starved;
    starved_leaf = leaf;
  }

  // Short masks of leaves are written at once, long ones when the change is accepted.
  bool needs_mask(int node) const {
    return writes_all_ || !tree_[node].is_leaf() || target_.range.is_used();
  }

  void settle(const Refilled& refilled) {
    Node& node = tree_[refilled.node];
    node.n_rows = refilled.n_rows;
    std::copy_n(&counts_[refilled.counts], data_.n_classes(), tree_.counts(refilled.node));
    if (refilled.scratch != none) std::swap(scratch_[refilled.scratch], node.mask);
    if (node.is_leaf()) {
      node.log_likelihood = refilled.log_leaf;
      node.log_stop = refilled.log_stop;
    } else if (!writes_all_) {
      write_leaves_below(node);
    }
  }

  void write_leaves_below(const Node& node) {
    Word* left = tree_[node.left].is_leaf() ? tree_[node.left].mask : nullptr;
    Word* right = tree_[node.right].is_leaf() ? tree_[node.right].mask : nullptr;
    if (left == nullptr && right == nullptr) return;
    unused_counts_.resize(data_.n_classes());
    data_.split(node.mask, node.rule.variable, node.rule.cut, left, right, unused_counts_.data());
  }

  // Returns which mask it is.
  int take_scratch() {
    if (n_scratch_ == scratch_.size()) scratch_.push_back(tree_.masks.take());
    return static_cast<int>(n_scratch_++);
  }

  Word* mask_of(int scratch) const { return scratch == none ? nullptr : scratch_[scratch]; }

  // Room for the counts of so many nodes; returns where it is.
  std::size_t push_counts(std::size_t n_nodes) {
    const std::size_t begin = n_counts_;
    n_counts_ += n_nodes * data_.n_classes();
    if (n_counts_ > counts_.size()) counts_.resize(2 * n_counts_);
    return begin;
  }

  // More than the sums of likelihoods can be off by rounding.
  static constexpr double slack = 1e-6;

  static constexpr std::size_t most_words_written_at_once = 32;

  const Target& target_;
  const Data& data_;
  const int min_samples_leaf_;
  const LeafLikelihood* const& likelihood_;
  Tree& tree_;
  const bool writes_all_;
  int most_starved_ = 0;
  Changes changes_;
  double least_change_ = 0.0;
  double least_after_ = 0.0;
  int top_ = none;
  int place_ = none;
  std::vector<Refilled> refilled_;
  std::vector<Word*> scratch_;  // the first n_scratch_ are in use
  std::size_t n_scratch_ = 0;
  std::vector<int> counts_;  // the first n_counts_ are in use
  std::size_t n_counts_ = 0;
  std::vector<int> unused_counts_;
};

}  // namespace sweeptree
