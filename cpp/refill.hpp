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
        tree_(tree) {}

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
    const std::size_t counts = push_counts();
    std::copy_n(tree_.counts(place), data_.n_classes(), &counts_[counts]);
    send(top, tree_[place].mask, nullptr, counts, tree_[place].n_rows);
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
    for (Word* mask : scratch_) tree_.masks.give_back(mask);
    scratch_.clear();
    refilled_.clear();
    n_counts_ = 0;
  }

 private:
  // A node whose rows have changed. The mask of a splitting node is new; that of a terminal node
  // is only written when the change is accepted.
  struct Refilled {
    int node;
    Word* mask;  // nullptr: the node's own mask is, or will be, right
    std::size_t counts;
    int n_rows;
    double log_leaf;
    double log_stop;
  };

  void send(int node, const Word* mask, Word* owned, std::size_t counts, int n_rows) {
    if (tree_[node].is_leaf()) {
      fill_leaf(node, mask, counts, n_rows);
      return;
    }
    refilled_.push_back({node, owned, counts, n_rows, 0.0, 0.0});
    const Rule rule = tree_[node].rule;
    if (!data_.is_inside(rule.variable, rule.cut)) {
      send_to_one_side(node, mask, counts, n_rows);
      return;
    }
    const int left = tree_[node].left;
    const int right = tree_[node].right;
    Word* left_mask = needs_mask(left) ? take_scratch() : nullptr;
    Word* right_mask = needs_mask(right) ? take_scratch() : nullptr;
    const std::size_t left_counts = push_counts();
    const std::size_t right_counts = push_counts();
    data_.split(mask, rule.variable, rule.cut, left_mask, right_mask, &counts_[left_counts]);
    int left_rows = 0;
    for (std::size_t c = 0, n = data_.n_classes(); c < n; ++c) {
      const int n_left = counts_[left_counts + c];
      counts_[right_counts + c] = counts_[counts + c] - n_left;
      left_rows += n_left;
    }
    send_if_changed(left, left_mask, left_counts, left_rows);
    if (is_hopeless()) return;
    send_if_changed(right, right_mask, right_counts, n_rows - left_rows);
  }

  void send_if_changed(int node, Word* mask, std::size_t counts, int n_rows) {
    if (is_unchanged(node, mask, n_rows)) least_after_ -= tree_[node].log_likelihood;
    else send(node, mask, mask, counts, n_rows);
  }

  bool is_unchanged(int node, const Word* mask, int n_rows) const {
    if (mask == nullptr || changes_.anywhere) return false;
    return n_rows > 0 && n_rows == tree_[node].n_rows &&
           std::equal(mask, mask + data_.n_words(), tree_[node].mask) &&
           !tree_.is_at_or_above(node, changes_.node) &&
           !tree_.is_at_or_above(node, changes_.other);
  }

  // A rule outside its variable's range: one child gets every row, the other none.
  void send_to_one_side(int node, const Word* mask, std::size_t counts, int n_rows) {
    const bool none_left = tree_[node].rule.cut < 0;
    const int empty = none_left ? tree_[node].left : tree_[node].right;
    const int full = none_left ? tree_[node].right : tree_[node].left;
    if (!tree_[empty].is_leaf()) {
      n_starved += 2;
      return;
    }
    leave_behind(empty);
    starve(empty);
    if (!is_hopeless()) send(full, mask, nullptr, counts, n_rows);
  }

  void fill_leaf(int leaf, const Word* mask, std::size_t counts, int n_rows) {
    leave_behind(leaf);
    if (n_rows < min_samples_leaf_) {
      starve(leaf);
      return;
    }
    const double log_leaf = likelihood_->log_leaf(&counts_[counts], n_rows);
    const double log_stop = target_.log_stop(mask);
    after.log_likelihood += log_leaf;
    after.log_stop += log_stop;
    refilled_.push_back({leaf, nullptr, counts, n_rows, log_leaf, log_stop});
  }

  void leave_behind(int leaf) {
    before.log_likelihood += tree_[leaf].log_likelihood;
    before.log_stop += tree_[leaf].log_stop;
  }

  void starve(int leaf) {
    ++n_starved;
    starved_leaf = leaf;
  }

  bool needs_mask(int node) const { return !tree_[node].is_leaf() || target_.range.is_used(); }

  void settle(const Refilled& refilled) {
    Node& node = tree_[refilled.node];
    node.n_rows = refilled.n_rows;
    std::copy_n(&counts_[refilled.counts], data_.n_classes(), tree_.counts(refilled.node));
    if (node.is_leaf()) {
      node.log_likelihood = refilled.log_leaf;
      node.log_stop = refilled.log_stop;
      return;
    }
    if (refilled.mask != nullptr) {
      std::replace(scratch_.begin(), scratch_.end(), refilled.mask, node.mask);
      node.mask = refilled.mask;
    }
    Word* left = tree_[node.left].is_leaf() ? tree_[node.left].mask : nullptr;
    Word* right = tree_[node.right].is_leaf() ? tree_[node.right].mask : nullptr;
    if (left == nullptr && right == nullptr) return;
    unused_counts_.resize(data_.n_classes());
    data_.split(node.mask, node.rule.variable, node.rule.cut, left, right, unused_counts_.data());
  }

  Word* take_scratch() {
    scratch_.push_back(tree_.masks.take());
    return scratch_.back();
  }

  // Room for the counts of one node; returns where it is.
  std::size_t push_counts() {
    const std::size_t begin = n_counts_;
    n_counts_ += data_.n_classes();
    if (n_counts_ > counts_.size()) counts_.resize(2 * n_counts_);
    return begin;
  }

  // More than the sums of likelihoods can be off by rounding.
  static constexpr double slack = 1e-6;

  const Target& target_;
  const Data& data_;
  const int min_samples_leaf_;
  const LeafLikelihood* const& likelihood_;
  Tree& tree_;
  int most_starved_ = 0;
  Changes changes_;
  double least_change_ = 0.0;
  double least_after_ = 0.0;
  int top_ = none;
  int place_ = none;
  std::vector<Refilled> refilled_;
  std::vector<Word*> scratch_;
  std::vector<int> counts_;  // the first n_counts_ are in use
  std::size_t n_counts_ = 0;
  std::vector<int> unused_counts_;
};

}  // namespace sweeptree
