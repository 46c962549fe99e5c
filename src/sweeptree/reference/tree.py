"""The growing tree. Nodes are never changed in place, so that a proposal is a cheap copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from sweeptree.reference.data import Data, Rows


class Rule(NamedTuple):
    """What a splitting node asks; rows for which the answer is yes go left."""

    variable: int
    cut: int
    """Which of the variable's rules."""
    threshold: float
    """Somewhere in the cut's gap; of a category its level or group."""


@dataclass(frozen=True, slots=True)
class Node:
    """A splitting node (with a rule and two children) or a terminal one."""

    name: int
    parent: int | None
    rows: Rows
    counts: tuple[int, ...]
    rule: Rule | None = None
    left: int | None = None
    right: int | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether this is a terminal node."""
        return self.rule is None


class NodeSet:
    """A set of nodes that gives its i-th member, in an order that both engines share."""

    def __init__(self, members: list[int] | None = None) -> None:
        self.members = members or []

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, i: int) -> int:
        return self.members[i]

    def __iter__(self) -> Iterator[int]:
        return iter(self.members)

    def __contains__(self, node: int | None) -> bool:
        return node in self.members

    def place_of(self, node: int) -> int:
        """Return where a node stands."""
        return self.members.index(node)

    def add(self, node: int) -> None:
        """Append a node."""
        self.members.append(node)

    def remove(self, node: int) -> None:
        """Let the last member take the place of the one that goes."""
        place = self.members.index(node)
        last = self.members.pop()
        if place < len(self.members):
            self.members[place] = last

    def copy(self) -> NodeSet:
        """Return a set of its own with the same members in the same order."""
        return NodeSet(self.members.copy())


class Tree:
    """A binary tree over the training rows, and the sets of nodes from which moves pick."""

    def __init__(self, data: Data, rows: Rows) -> None:
        self.data = data
        self.nodes = {0: Node(0, None, rows, data.class_counts(rows))}
        self.root_name = 0
        self.n_names = 1
        self.leaves = NodeSet([0])
        self.splits = NodeSet()
        self.prunable = NodeSet()  # splitting nodes whose two children are both terminal

    def copy(self) -> Tree:
        """Return a tree that can be changed without changing this one."""
        other = object.__new__(Tree)
        other.data = self.data
        other.nodes = self.nodes.copy()
        other.root_name = self.root_name
        other.n_names = self.n_names
        other.leaves = self.leaves.copy()
        other.splits = self.splits.copy()
        other.prunable = self.prunable.copy()
        return other

    def regrown(self) -> Tree:
        """Return the same tree grown anew, split by split from the top, left before right."""
        other = Tree(self.data, self.root.rows)
        other._grow_like(other.root_name, self, self.root)
        return other

    def _grow_like(self, leaf: int, model: Tree, node: Node) -> None:
        if node.rule is None:
            return
        self.split_leaf(leaf, node.rule)
        for mine, theirs in zip(self.children(self.nodes[leaf]), model.children(node), strict=True):
            self._grow_like(mine.name, model, theirs)

    @property
    def root(self) -> Node:
        """The node at the top."""
        return self.nodes[self.root_name]

    @property
    def n_leaves(self) -> int:
        """k, the number of terminal nodes."""
        return len(self.leaves)

    def children(self, node: Node) -> tuple[Node, Node]:
        """Left and right child of a splitting node."""
        assert node.left is not None
        assert node.right is not None
        return self.nodes[node.left], self.nodes[node.right]

    def parent(self, name: int) -> Node:
        """Return the node above one that is not the root."""
        above = self.nodes[name].parent
        assert above is not None
        return self.nodes[above]

    def sibling(self, name: int) -> Node:
        """Return the other child of a node's parent."""
        left, right = self.children(self.parent(name))
        return right if left.name == name else left

    def depth_below(self, node: Node) -> int:
        """Count the splits on the longest way down from a node."""
        if node.is_leaf:
            return 0
        return 1 + max(self.depth_below(child) for child in self.children(node))

    def starved_leaves(self, min_samples_leaf: int) -> list[int]:
        """Return the terminal nodes that hold too few rows."""
        return [leaf for leaf in self.leaves if len(self.nodes[leaf].rows) < min_samples_leaf]

    def split_leaf(self, leaf: int, rule: Rule) -> None:
        """Turn a terminal node into a splitting one with two terminal children."""
        left, right = self.n_names, self.n_names + 1
        self.n_names += 2
        rows = self.nodes[leaf].rows
        for child in (left, right):
            self.nodes[child] = Node(child, leaf, rows, ())
        self.nodes[leaf] = replace(self.nodes[leaf], rule=rule, left=left, right=right)
        self.refill(leaf, rows)
        self.leaves.remove(leaf)
        self.leaves.add(left)
        self.leaves.add(right)
        self.splits.add(leaf)
        self._update_prunable(self.nodes[leaf].parent)
        self._update_prunable(leaf)

    def merge_leaves(self, name: int) -> None:
        """Turn a prunable node into a terminal one."""
        for child in self.children(self.nodes[name]):
            self.leaves.remove(child.name)
            del self.nodes[child.name]
        self.nodes[name] = replace(self.nodes[name], rule=None, left=None, right=None)
        self.leaves.add(name)
        self.splits.remove(name)
        self.prunable.remove(name)
        self._update_prunable(self.nodes[name].parent)

    def change_rule(self, name: int, rule: Rule) -> None:
        """Give a splitting node another rule and send its rows down anew."""
        self.nodes[name] = replace(self.nodes[name], rule=rule)
        self.refill(name, self.nodes[name].rows)

    def swap_rules(self, child: int, rule_of_sibling: Rule | None) -> None:
        """Exchange the rules of a splitting node and its parent.

        If the sibling has the same cut it takes part, and gets the rule given for it.
        """
        parent, lower = self.parent(child), self.nodes[child]
        if rule_of_sibling is not None:
            sibling = self.sibling(child)
            self.nodes[sibling.name] = replace(sibling, rule=rule_of_sibling)
        self.nodes[child] = replace(lower, rule=parent.rule)
        self.nodes[parent.name] = replace(parent, rule=lower.rule)
        self.refill(parent.name, parent.rows)

    def graft_leaf(self, name: int, rule: Rule, is_left: bool) -> None:
        """Insert a split above a node, with a new leaf on one side and the node on the other."""
        split, leaf = self.n_names, self.n_names + 1
        self.n_names += 2
        node = self.nodes[name]
        left, right = (leaf, name) if is_left else (name, leaf)
        self.nodes[split] = Node(split, node.parent, node.rows, node.counts, rule, left, right)
        self.nodes[leaf] = Node(leaf, split, node.rows, ())
        self.nodes[name] = replace(node, parent=split)
        self._replace_child(node.parent, name, split)
        self.refill(split, node.rows)
        self.leaves.add(leaf)
        self.splits.add(split)
        self._update_prunable(node.parent)
        self._update_prunable(split)

    def regraft(self, moved: int, other: int, is_left: bool) -> None:
        """Move a subtree, with the split above it, to the place above another node."""
        every_row = self.root.rows
        split, promoted = self.parent(moved), self.sibling(moved)
        left_behind = split.parent
        self.nodes[promoted.name] = replace(promoted, parent=left_behind)
        self._replace_child(left_behind, split.name, promoted.name)
        target = self.nodes[other]
        left, right = (moved, other) if is_left else (other, moved)
        self.nodes[split.name] = replace(split, parent=target.parent, left=left, right=right)
        self._replace_child(target.parent, other, split.name)
        self.nodes[other] = replace(target, parent=split.name)
        self.refill(self.root_name, every_row)
        self._update_prunable(left_behind)
        self._update_prunable(split.name)
        self._update_prunable(self.nodes[split.name].parent)

    def splits_above_twins(self) -> list[int]:
        """Return the splits whose two children are splits and ask about the same variable."""
        return [name for name in self.splits if self._is_above_twins(name)]

    def _is_above_twins(self, name: int) -> bool:
        left, right = (child.rule for child in self.children(self.nodes[name]))
        return left is not None and right is not None and left.variable == right.variable

    def transpose(self, name: int, rule: Rule, left_rule: Rule, right_rule: Rule) -> None:
        """Give new rules to a split and the two below it.

        What is on the right of the left child and on the left of the right child change places.
        """
        node = self.nodes[name]
        left, right = self.children(node)
        assert left.right is not None
        assert right.left is not None
        goes_left, goes_right = self.nodes[right.left], self.nodes[left.right]
        self.nodes[name] = replace(node, rule=rule)
        self.nodes[left.name] = replace(left, rule=left_rule, right=goes_left.name)
        self.nodes[right.name] = replace(right, rule=right_rule, left=goes_right.name)
        self.nodes[goes_left.name] = replace(goes_left, parent=left.name)
        self.nodes[goes_right.name] = replace(goes_right, parent=right.name)
        self.refill(name, node.rows)
        self._update_prunable(left.name)
        self._update_prunable(right.name)

    def is_above(self, ancestor: int, name: int) -> bool:
        """Whether a node lies below another."""
        above = self.nodes[name].parent
        while above is not None:
            if above == ancestor:
                return True
            above = self.nodes[above].parent
        return False

    def remove_leaf(self, leaf: int) -> None:
        """Remove a leaf with its parent; the sibling subtree takes the parent's place and rows."""
        promoted = self.sibling(leaf)
        parent = self.parent(leaf)
        self.nodes[promoted.name] = replace(promoted, parent=parent.parent)
        self._replace_child(parent.parent, parent.name, promoted.name)
        self.refill(promoted.name, parent.rows)
        self.leaves.remove(leaf)
        self.splits.remove(parent.name)
        if parent.name in self.prunable:
            self.prunable.remove(parent.name)
        del self.nodes[leaf], self.nodes[parent.name]
        self._update_prunable(parent.parent)

    def shares_cut_with_sibling(self, name: int) -> bool:
        """Whether the other child of a node's parent splits by the same variable and cut."""
        rule, other = self.nodes[name].rule, self.sibling(name).rule
        return rule is not None and other is not None and rule[:2] == other[:2]

    def refill(self, name: int, rows: Rows) -> None:
        """Send rows down from a node."""
        node = replace(self.nodes[name], rows=rows, counts=self.data.class_counts(rows))
        self.nodes[name] = node
        if node.rule is None:
            return
        left, right = self.children(node)
        left_rows, right_rows = self.data.split(rows, node.rule.variable, node.rule.cut)
        self.refill(left.name, left_rows)
        self.refill(right.name, right_rows)

    def _replace_child(self, parent: int | None, old: int, new: int) -> None:
        if parent is None:
            self.root_name = new
        elif self.nodes[parent].left == old:
            self.nodes[parent] = replace(self.nodes[parent], left=new)
        else:
            self.nodes[parent] = replace(self.nodes[parent], right=new)

    def _update_prunable(self, name: int | None) -> None:
        if name is None:
            return
        node = self.nodes[name]
        should_be = not node.is_leaf and all(child.is_leaf for child in self.children(node))
        if should_be and name not in self.prunable:
            self.prunable.add(name)
        if not should_be and name in self.prunable:
            self.prunable.remove(name)
