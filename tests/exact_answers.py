"""Exact answers on small grids, worked out without any of the library's sampling code.

Everything here follows from the definition of the posterior alone:

    p(T | D)  ∝  1[every leaf holds ≥ p_min rows] · 1[k ≤ K] · shape(T) · ∏ rule(v, cut) · ∏ leaf

`BoxProgram` sums it over all trees by dynamic programming over boxes, which are sets of values of
each variable, a missing one among them; `all_trees` lists the trees one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from sweeptree.encoding import encode
from sweeptree.settings import MOVES, TESTS, StrategySettings, TargetSettings


@dataclass(frozen=True, eq=False)
class Problem:
    """A small table and the posterior of trees on it."""

    X: np.ndarray
    y: np.ndarray
    tree_prior: str = "uniform"
    rule_prior: str = "observed"
    likelihood: str = "marginal"
    alpha: float = 1.0
    learned_alphas: tuple[float, ...] = ()
    leaf_penalty: float = 0.6
    gamma: float = 0.9
    delta: float = 0.7
    split_chance: float = 0.8
    p_min: int = 1
    max_leaves: int = 5
    n_classes: int = 2

    kinds: tuple[str, ...] = ()

    @cached_property
    def table(self):
        return encode(self.X, self.y.astype(np.int32), self.n_classes, self.kinds)

    @property
    def target(self):
        return TargetSettings(
            tree_prior=self.tree_prior,
            leaf_penalty=self.leaf_penalty,
            gamma=self.gamma,
            delta=self.delta,
            split_chance=self.split_chance,
            rule_prior=self.rule_prior,
            likelihood=self.likelihood,
            alphas=tuple((a,) * self.n_classes for a in self.learned_alphas or (self.alpha,)),
            min_samples_leaf=self.p_min,
            max_leaves=self.max_leaves,
        )

    @cached_property
    def values(self):
        return [np.unique(column[~np.isnan(column)]) for column in self.X.T]

    @cached_property
    def ranks(self):
        """(row, variable); a missing value comes after the last."""
        return np.column_stack(
            [np.searchsorted(v, x) for v, x in zip(self.values, self.X.T, strict=True)]
        )

    def points(self, ranks):
        """The table with these ranks."""
        with_missing = [np.append(v, np.nan) for v in self.values]
        return np.column_stack([v[r] for v, r in zip(with_missing, ranks.T, strict=True)])

    @property
    def n_variables(self):
        return self.X.shape[1]

    def kind(self, variable):
        return self.kinds[variable] if self.kinds else "ordered"

    @cached_property
    def left_sets(self):
        """For each variable and rule, the ranks that go left, as bits."""
        return [self._left_sets(variable) for variable in range(self.n_variables)]

    def _left_sets(self, variable):
        n = len(self.values[variable])
        questions = {
            "ordered": [2 ** (rank + 1) - 1 for rank in range(n - 1)],
            "levels": [2**rank for rank in range(n if n > 2 else n - 1)],
            "groups": list(range(1, 2 ** (n - 1))),
        }[self.kind(variable)]
        if not np.isnan(self.X[:, variable]).any():
            return questions
        missing = 2**n
        return [left | side for left in questions for side in (0, missing)] + [missing]

    def n_cuts(self, variable):
        return len(self.left_sets[variable])

    def goes_left(self, ranks, variable, cut):
        return self.left_sets[variable][cut] >> ranks & 1 == 1

    def cut_of(self, variable, test, threshold, missing_left):
        """The rule that a node of a recorded tree asks."""
        values = self.values[variable]
        missing = int(missing_left and np.isnan(self.X[:, variable]).any()) << len(values)
        left = {
            "at most": 2 ** int(np.searchsorted(values, threshold, side="right")) - 1,
            "is level": 2 ** int(threshold),
            "in group": int(threshold),
            "is missing": 0,
        }[TESTS[test]]
        return self.left_sets[variable].index(left | missing)

    def gap(self, variable, cut):
        n_values = len(self.values[variable])
        highest_left = (self.left_sets[variable][cut] % 2**n_values).bit_length() - 1
        return self.values[variable][highest_left + 1] - self.values[variable][highest_left]

    def is_threshold(self, variable, cut):
        asks_missing = self.left_sets[variable][cut] == 2 ** len(self.values[variable])
        return self.kind(variable) == "ordered" and not asks_missing

    def cut_probability(self, variable, cut):
        """Of a rule, given its variable."""
        n_cuts = self.n_cuts(variable)
        if self.rule_prior == "observed" or not self.is_threshold(variable, cut):
            return 1 / n_cuts
        share_of_thresholds = sum(self.is_threshold(variable, c) for c in range(n_cuts)) / n_cuts
        n_sides = 2 if np.isnan(self.X[:, variable]).any() else 1
        share = self.gap(variable, cut) / np.ptp(self.values[variable])
        return share * share_of_thresholds / n_sides

    def rule_probability(self, variable, cut):
        return self.cut_probability(variable, cut) / self.n_variables

    def rules(self):
        return [(v, c) for v in range(self.n_variables) for c in range(self.n_cuts(v))]

    def size_weight(self, k):
        """Prior weight of one shape with k leaves, for the priors that depend on k alone."""
        if self.tree_prior == "geometric":
            return math.exp(-self.leaf_penalty * (k - 1))
        trees_with = {"uniform": k - 1, "paper": k}.get(self.tree_prior)
        return 1.0 if trees_with is None else 1 / catalan(trees_with)

    def p_split(self, depth):
        return self.gamma * (1 + depth) ** -self.delta

    def p_splittable(self, rows):
        """P_s: the chance that a rule drawn from its prior leaves both sides enough rows."""
        total = 0.0
        for variable, cut in self.rules():
            n_left = np.count_nonzero(self.goes_left(self.ranks[rows, variable], variable, cut))
            if min(n_left, len(rows) - n_left) >= self.p_min:
                total += self.rule_probability(variable, cut)
        return total

    def stop_and_split(self, rows, depth):
        """The factors of a node in the prior of the shape, if it stops and if it splits."""
        if self.tree_prior == "range":
            return 1 - self.split_chance * self.p_splittable(rows), self.split_chance
        if self.tree_prior == "depth":
            return 1 - self.p_split(depth), self.p_split(depth)
        return 1.0, 1.0

    def leaf_weight(self, rows):
        """Likelihood of one leaf; zero if it is starved."""
        if len(rows) < self.p_min:
            return 0.0
        counts = np.bincount(self.y[rows], minlength=self.n_classes)
        if self.likelihood == "plug-in":
            return float(np.prod((counts / len(rows)) ** counts))
        a, n_classes = self.alpha, self.n_classes
        log_weight = math.lgamma(a * n_classes) - n_classes * math.lgamma(a)
        log_weight += sum(math.lgamma(m + a) for m in counts)
        return math.exp(log_weight - math.lgamma(len(rows) + a * n_classes))

    def leaf_prediction(self, rows):
        counts = np.bincount(self.y[rows], minlength=self.n_classes)
        extra = 0.0 if self.likelihood == "plug-in" else self.alpha
        return (counts + extra) / (len(rows) + extra * self.n_classes)


def catalan(n):
    return math.comb(2 * n, n) // (n + 1)


def strategy_settings(problem, **changes):
    """The exact kernel: every move, at uneven rates, unavailable ones rejected."""
    settings = {
        "p_move": (0.18, 0.16, 0.14, 0.14, 0.08, 0.1, 0.05, 0.05, 0.05, 0.05),
        "redraws": False,
        "sweeps": False,
        "changes_variable": False,
        "rule_draw": "prior",
        "tunes": False,
        "rule_scale": (0.3,) * problem.n_variables,
        "restrict_leaves": 0,
        "restrict_moves": 0,
        "anneal_moves": 0,
    }
    assert len(settings["p_move"]) == len(MOVES)
    return StrategySettings(**(settings | changes))


class BoxProgram:
    """Sums over all trees of at most K leaves, by the number of leaves."""

    def __init__(self, problem):
        self.problem = problem
        self.sums = {}
        self.whole = tuple(2 ** (len(v) + 1) - 1 for v in problem.values)

    def p_leaves(self):
        """P(k | D) for k = 0 .. K."""
        weights = self.by_size(self.whole, 0) * self.size_weights()
        return weights / weights.sum()

    def evidence(self):
        """P(D), but for the constant of the prior."""
        return (self.by_size(self.whole, 0) * self.size_weights()).sum()

    def predictive(self, ranks):
        """P(class | x, D) at a point given by its ranks."""
        self.sums_along = {}
        along = self.along(self.whole, 0, tuple(ranks))
        return (along * self.size_weights()[:, None]).sum(axis=0) / self.evidence()

    def size_weights(self):
        return np.array([0.0] + [self.problem.size_weight(k) for k in range(1, self.n_sizes)])

    @property
    def n_sizes(self):
        return self.problem.max_leaves + 1

    def rows(self, box):
        return np.flatnonzero((np.array(box) >> self.problem.ranks & 1).all(axis=1))

    def halves(self, box):
        for variable, cut in self.problem.rules():
            goes_left = self.problem.left_sets[variable][cut]
            left, right = list(box), list(box)
            left[variable] &= goes_left
            right[variable] &= ~goes_left
            if left[variable] and right[variable]:
                probability = self.problem.rule_probability(variable, cut)
                yield variable, cut, probability, tuple(left), tuple(right)

    def by_size(self, box, depth):
        """Sum of the weights of all subtrees on a box, for each number of leaves."""
        key = (box, depth if self.problem.tree_prior == "depth" else 0)
        if key not in self.sums:
            self.sums[key] = self._by_size(box, depth)
        return self.sums[key]

    def _by_size(self, box, depth):
        total = np.zeros(self.n_sizes)
        rows = self.rows(box)
        if len(rows) < self.problem.p_min:
            return total
        stop, split = self.problem.stop_and_split(rows, depth)
        total[1] = stop * self.problem.leaf_weight(rows)
        for _, _, probability, left, right in self.halves(box):
            both = np.convolve(self.by_size(left, depth + 1), self.by_size(right, depth + 1))
            total += split * probability * both[: self.n_sizes]
        return total

    def along(self, box, depth, ranks):
        """As `by_size`, each weight times the prediction of the leaf that a point falls into."""
        key = (box, depth if self.problem.tree_prior == "depth" else 0)
        if key not in self.sums_along:
            self.sums_along[key] = self._along(box, depth, ranks)
        return self.sums_along[key]

    def _along(self, box, depth, ranks):
        total = np.zeros((self.n_sizes, self.problem.n_classes))
        rows = self.rows(box)
        if len(rows) < self.problem.p_min:
            return total
        stop, split = self.problem.stop_and_split(rows, depth)
        leaf = stop * self.problem.leaf_weight(rows)
        total[1] = leaf * self.problem.leaf_prediction(rows)
        for variable, cut, probability, left, right in self.halves(box):
            is_left = self.problem.goes_left(ranks[variable], variable, cut)
            here, there = (left, right) if is_left else (right, left)
            inside = self.along(here, depth + 1, ranks)
            outside = self.by_size(there, depth + 1)
            for c in range(self.problem.n_classes):
                both = np.convolve(inside[:, c], outside)[: self.n_sizes]
                total[:, c] += split * probability * both
        return total


class AlphaMixture:
    """Box programs for several values of α, equally likely a priori, and their average."""

    def __init__(self, problem):
        self.programs = [
            BoxProgram(replace(problem, alpha=alpha)) for alpha in problem.learned_alphas
        ]

    def p_alpha(self):
        """P(α | D) for each value."""
        evidence = np.array([program.evidence() for program in self.programs])
        return evidence / evidence.sum()

    def p_leaves(self):
        return self.p_alpha() @ np.array([program.p_leaves() for program in self.programs])

    def predictive(self, ranks):
        return self.p_alpha() @ np.array([program.predictive(ranks) for program in self.programs])


def all_trees(problem):
    """Every valid tree, as its preorder of rules (None for a leaf), with its posterior weight."""
    every_row = np.arange(len(problem.y))
    found = {}
    for tree, weight, k in _subtrees(problem, every_row, 0, problem.max_leaves):
        found[tree] = weight * problem.size_weight(k)
    return found


def _subtrees(problem, rows, depth, most_leaves):
    if most_leaves < 1 or len(rows) < problem.p_min:
        return
    stop, split = problem.stop_and_split(rows, depth)
    yield (None,), problem.leaf_weight(rows) * stop, 1
    for variable, cut in problem.rules():
        goes_left = problem.goes_left(problem.ranks[rows, variable], variable, cut)
        lefts = list(_subtrees(problem, rows[goes_left], depth + 1, most_leaves - 1))
        rights = list(_subtrees(problem, rows[~goes_left], depth + 1, most_leaves - 1))
        probability = problem.rule_probability(variable, cut) * split
        for (left, w_left, k_left), (right, w_right, k_right) in product(lefts, rights):
            if k_left + k_right <= most_leaves:
                tree = ((variable, cut), *left, *right)
                yield tree, probability * w_left * w_right, k_left + k_right


def grid_problem(shape, n_rows, seed, n_classes=2, **settings):
    """A table with ties on a grid of this shape, uneven gaps, and classes that depend on it."""
    rng = np.random.default_rng(seed)
    places = [np.cumsum(rng.uniform(0.2, 2.0, size=n)) for n in shape]
    cells = np.array(list(product(*map(range, shape))))
    picked = np.concatenate([cells, cells[rng.integers(len(cells), size=n_rows)]])[:n_rows]
    X = np.column_stack([place[picked[:, j]] for j, place in enumerate(places)])
    score = picked @ rng.normal(size=len(shape)) + rng.normal(scale=1.5, size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return Problem(X, y, n_classes=n_classes, **settings)


def mixed_problem(kinds, p_missing, shape, n_rows, seed, **settings):
    """As `grid_problem`, with categories among the variables and holes in them.

    Classes depend on the levels in no order, and on whether a value is missing.
    """
    plain = grid_problem(shape, n_rows, seed, **settings)
    rng = np.random.default_rng([seed, 1])
    X = np.where([kind == "ordered" for kind in kinds], plain.X, plain.ranks)
    is_missing = rng.random(X.shape) < p_missing
    effects = [rng.normal(size=n) for n in shape]
    shuffled = np.column_stack([e[r] for e, r in zip(effects, plain.ranks.T, strict=True)])
    score = np.where(is_missing, 1.0, shuffled).sum(axis=1) + rng.normal(scale=0.7, size=n_rows)
    cuts = np.quantile(score, np.linspace(0, 1, plain.n_classes + 1)[1:-1])
    X = np.where(is_missing, np.nan, X)
    return replace(plain, X=X, y=np.digitize(score, cuts), kinds=tuple(kinds))
