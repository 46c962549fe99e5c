// The growing tree: its nodes, their rows, and the sets from which moves pick.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bits.hpp"

namespace sweeptree {

inline constexpr int none = -1;

struct Rule {
  int variable = none;
  int cut = none;          // which of the variable's rules
  double threshold = 0.0;  // somewhere inside the cut's gap; of a category its level or group
};

// A set of nodes that gives its i-th member, in an order that both engines share.
class NodeSet {
 public:
  int size() const { return static_cast<int>(members_.size()); }
  int operator[](int i) const { return members_[i]; }
  int place_of(int node) const { return place_[node]; }
  bool contains(int node) const {
    return node < static_cast<int>(place_.size()) && place_[node] != none;
  }

  void add(int node) {
    if (node >= static_cast<int>(place_.size())) place_.resize(node + 1, none);
    place_[node] = size();
    members_.push_back(node);
  }

  // The last member takes the place of the one that goes.
  void remove(int node) {
    const int last = members_.back();
    members_[place_[node]] = last;
    place_[last] = place_[node];
    place_[node] = none;
    members_.pop_back();
  }

 private:
  std::vector<int> members_;
  std::vector<int> place_;
};

// Masks of one width. Whoever takes one keeps it, or exchanges it for another, as long as there is
// the tree.
class MaskPool {
 public:
  explicit MaskPool(std::size_t n_words) : n_words_(n_words) {}

  Word* take() {
    masks_.push_back(std::make_unique<Word[]>(n_words_));
    return masks_.back().get();
  }

 private:
  std::size_t n_words_;
  std::vector<std::unique_ptr<Word[]>> masks_;
};

struct Node {
  int parent = none;
  int left = none;
  int right = none;
  Rule rule;
  Word* mask = nullptr;
  int n_rows = 0;
  double log_likelihood = 0.0;  // of its rows: of a splitting node the sum over its leaves, rounded
  double log_stop = 0.0;  // of terminal nodes: the part of the prior that depends on their rows

  bool is_leaf() const { return left == none; }
};

// A node taken out of the tree together with its parent, the split above it.
struct Removal {
  int node = none;
  int split = none;
  int promoted = none;  // the node's sibling, which has taken the split's place
  bool was_left = false;
};

// Structure alone; the moves fill in the rows and the likelihoods.
class Tree {
 public:
  Tree(std::size_t n_classes, std::size_t n_words) : masks(n_words), n_classes_(n_classes) {
    root_ = new_node();
    leaves.add(root_);
  }

  int root() const { return root_; }
  int n_leaves() const { return leaves.size(); }
  Node& operator[](int node) { return nodes_[node]; }
  const Node& operator[](int node) const { return nodes_[node]; }
  int* counts(int node) { return counts_.data() + static_cast<std::size_t>(node) * n_classes_; }
  const int* counts(int node) const {
    return counts_.data() + static_cast<std::size_t>(node) * n_classes_;
  }

  int sibling(int node) const {
    const Node& parent = nodes_[nodes_[node].parent];
    return parent.left == node ? parent.right : parent.left;
  }

  bool is_prunable(int node) const {
    return nodes_[nodes_[node].left].is_leaf() && nodes_[nodes_[node].right].is_leaf();
  }

  int depth_of(int node) const {
    int depth = 0;
    while ((node = nodes_[node].parent) != none) ++depth;
    return depth;
  }

  int depth_below(int node) const {
    if (nodes_[node].is_leaf()) return 0;
    return 1 + std::max(depth_below(nodes_[node].left), depth_below(nodes_[node].right));
  }

  bool shares_cut_with_sibling(int split) const {
    const Node& other = nodes_[sibling(split)];
    const Rule& rule = nodes_[split].rule;
    return !other.is_leaf() && other.rule.variable == rule.variable && other.rule.cut == rule.cut;
  }

  // Whether both children of a split are splits, and ask about the same variable.
  bool is_above_twins(int split) const {
    const Node& left = nodes_[nodes_[split].left];
    const Node& right = nodes_[nodes_[split].right];
    return !left.is_leaf() && !right.is_leaf() && left.rule.variable == right.rule.variable;
  }

  int n_splits_above_twins() const {
    int n = 0;
    for (int i = 0; i < splits.size(); ++i) n += is_above_twins(splits[i]);
    return n;
  }

  // The n-th of them, counted from 0.
  int split_above_twins(int n) const {
    int i = 0;
    while (!is_above_twins(splits[i]) || n-- > 0) ++i;
    return splits[i];
  }

  // The number of prunable nodes once this leaf is split: its parent stops being one of them if
  // its sibling is a leaf, which the paper's D_Q + 1 overlooks.
  int n_prunable_after_birth(int leaf) const {
    const int parent = nodes_[leaf].parent;
    return prunable.size() + (parent != none && prunable.contains(parent) ? 0 : 1);
  }

  // Nothing is above none.
  bool is_at_or_above(int ancestor, int node) const {
    for (; node != none; node = nodes_[node].parent)
      if (node == ancestor) return true;
    return false;
  }

  // The lowest node with both in its subtree.
  int common_ancestor(int a, int b) const {
    int depth_a = depth_of(a);
    int depth_b = depth_of(b);
    for (; depth_a > depth_b; --depth_a) a = nodes_[a].parent;
    for (; depth_b > depth_a; --depth_b) b = nodes_[b].parent;
    while (a != b) {
      a = nodes_[a].parent;
      b = nodes_[b].parent;
    }
    return a;
  }

  // Works out the sum of likelihoods of a splitting node from those of its children.
  void sum_up(int node) {
    Node& sum = nodes_[node];
    if (!sum.is_leaf())
      sum.log_likelihood = nodes_[sum.left].log_likelihood + nodes_[sum.right].log_likelihood;
  }

  // The same for a whole subtree, from its leaves.
  void sum_up_below(int node) {
    if (nodes_[node].is_leaf()) return;
    sum_up_below(nodes_[node].left);
    sum_up_below(nodes_[node].right);
    sum_up(node);
  }

  void add_above(int node, double change) {
    while ((node = nodes_[node].parent) != none) nodes_[node].log_likelihood += change;
  }

  // ---- links: cheap to make and to undo, so that a proposal can be looked at in place ---------

  // A node that is not part of the tree yet.
  int new_node() {
    if (free_.empty()) {
      nodes_.emplace_back();
      nodes_.back().mask = masks.take();
      counts_.resize(counts_.size() + n_classes_);
      return static_cast<int>(nodes_.size()) - 1;
    }
    const int node = free_.back();
    free_.pop_back();
    return node;
  }

  void free_node(int node) {
    Word* mask = nodes_[node].mask;
    nodes_[node] = Node{};
    nodes_[node].mask = mask;
    free_.push_back(node);
  }

  // Gives a leaf two children.
  void link_below(int node, int left, int right) {
    nodes_[node].left = left;
    nodes_[node].right = right;
    nodes_[left].parent = nodes_[right].parent = node;
  }

  // Puts `split` in the place of `node`, with `node` and `added` below it.
  void link_above(int node, int split, int added, bool added_is_left) {
    replace_child(nodes_[node].parent, node, split);
    nodes_[split].left = added_is_left ? added : node;
    nodes_[split].right = added_is_left ? node : added;
    nodes_[node].parent = nodes_[added].parent = split;
  }

  // What is on the right of the left child and on the left of the right child change places.
  void cross(int split) {
    const int left = nodes_[split].left;
    const int right = nodes_[split].right;
    std::swap(nodes_[left].right, nodes_[right].left);
    nodes_[nodes_[left].right].parent = left;
    nodes_[nodes_[right].left].parent = right;
  }

  // Takes a node and its parent out; the sibling takes the parent's place. The parent keeps its
  // rule and the node its rows, so that relink can undo this.
  Removal unlink(int node) {
    const int split = nodes_[node].parent;
    const Removal removal{node, split, sibling(node), nodes_[split].left == node};
    replace_child(nodes_[split].parent, split, removal.promoted);
    return removal;
  }

  void relink(const Removal& removal) {
    link_above(removal.promoted, removal.split, removal.node, removal.was_left);
  }

  // ---- sets: what moves pick from, brought up to date when a proposal is accepted -------------

  void update_prunable(int node) {
    if (node == none) return;
    const bool is_member = prunable.contains(node);
    const bool should_be = !nodes_[node].is_leaf() && is_prunable(node);
    if (should_be && !is_member) prunable.add(node);
    if (!should_be && is_member) prunable.remove(node);
  }

  // Gives up an unlinked leaf and its parent for good.
  void discard(const Removal& removal) {
    leaves.remove(removal.node);
    splits.remove(removal.split);
    if (prunable.contains(removal.split)) prunable.remove(removal.split);
    free_node(removal.node);
    free_node(removal.split);
    update_prunable(nodes_[removal.promoted].parent);
  }

  NodeSet leaves;
  NodeSet splits;
  NodeSet prunable;  // splitting nodes whose two children are both terminal
  MaskPool masks;    // every node owns one of these, used or not

 private:
  void replace_child(int parent, int old_child, int new_child) {
    nodes_[new_child].parent = parent;
    if (parent == none) root_ = new_child;
    else if (nodes_[parent].left == old_child) nodes_[parent].left = new_child;
    else nodes_[parent].right = new_child;
  }

  std::size_t n_classes_;
  int root_ = none;
  std::vector<Node> nodes_;
  std::vector<int> counts_;
  std::vector<int> free_;
};

}  // namespace sweeptree
