"""Simulation-based calibration: on data drawn from the prior, intervals cover what they say."""

import math
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import beta, chisquare
from sklearn.exceptions import ConvergenceWarning

from doc_pages import ROOT
from sweeptree import BayesianTreeClassifier
from sweeptree.prediction import forest_of

N_REPLICATES = 1000
N_ROWS, N_COLUMNS, N_NEW = 40, 2, 3
MAX_LEAVES = 4
ALPHA = np.array([1.0, 0.5, 0.5])
LEVEL = 0.9


def draw_shape(n_leaves, rng):
    """Draw a binary tree, each of so many leaves equally likely, as nested pairs."""
    if n_leaves == 1:
        return None
    n_shapes = [math.comb(2 * k, k) // (k + 1) for k in range(n_leaves)]
    weights = np.array([n_shapes[k - 1] * n_shapes[n_leaves - k - 1] for k in range(1, n_leaves)])
    n_left = 1 + rng.choice(n_leaves - 1, p=weights / weights.sum())
    return draw_shape(n_left, rng), draw_shape(n_leaves - n_left, rng)


def send_down(shape, tables, rng):
    """Give a shape rules and probabilities; yield (rows of each table, probabilities) by leaf.

    A rule picks a column, then one of the gaps between the training values of it, then a place in
    the gap, all uniformly.
    """
    if shape is None:
        yield tables, rng.dirichlet(ALPHA)
        return
    column = rng.integers(N_COLUMNS)
    values = np.sort(tables["all"][:, column])
    gap = rng.integers(N_ROWS - 1)
    threshold = rng.uniform(values[gap], values[gap + 1])
    for branch, is_left in zip(shape, (True, False), strict=True):
        parts = {"all": tables["all"]}
        for name in ("training", "new"):
            rows, X = tables[name]
            goes = (X[rows, column] <= threshold) == is_left
            parts[name] = (rows[goes], X)
        yield from send_down(branch, parts, rng)


def draw_problem(rng):
    """Draw a tree from its prior given the rows, and labels from it."""
    X, new = rng.uniform(size=(N_ROWS, N_COLUMNS)), rng.uniform(size=(N_NEW, N_COLUMNS))
    tables = {"all": X, "training": (np.arange(N_ROWS), X), "new": (np.arange(N_NEW), new)}
    while True:
        shape = draw_shape(1 + rng.integers(MAX_LEAVES), rng)
        leaves = list(send_down(shape, tables, rng))
        if all(len(parts["training"][0]) for parts, _ in leaves):
            break
    y, truth = np.empty(N_ROWS, dtype=int), np.empty((N_NEW, len(ALPHA)))
    for parts, probabilities in leaves:
        rows = parts["training"][0]
        y[rows] = rng.choice(len(ALPHA), size=len(rows), p=probabilities)
        truth[parts["new"][0]] = probabilities
    return X, y, new, truth


def fit_to(X, y, seed):
    model = BayesianTreeClassifier(
        tree_prior="uniform",
        max_leaves=MAX_LEAVES,
        alpha=ALPHA,
        n_chains=2,
        n_burn_in=3000,
        n_draws=250,
        thin=40,
        n_jobs=1,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def draw_problem_with_all_classes(rng):
    """Draw until no class is missing: that looks at the data alone, so that the posterior stays."""
    while True:
        problem = draw_problem(rng)
        if len(np.unique(problem[1])) == len(ALPHA):
            return problem


class Replicates(NamedTuple):
    """(replicate, row, class)"""

    is_covered: np.ndarray
    is_covered_between_trees: np.ndarray
    rank: np.ndarray


def replicate(seed):
    X, y, new, truth = draw_problem_with_all_classes(np.random.default_rng(seed))
    model = fit_to(X, y, seed)
    interval = model.predict_interval(new, LEVEL)
    tails = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    between_trees = np.quantile(model.predict_proba_draws(new), tails, axis=(0, 1))
    return Replicates(
        is_covered=(interval[..., 0] <= truth) & (truth <= interval[..., 1]),
        is_covered_between_trees=(between_trees[0] <= truth) & (truth <= between_trees[1]),
        rank=posterior_rank(model, new, truth),
    )


def posterior_rank(model, X, truth):
    """Posterior probability that a class probability is below the truth."""
    posterior = model.posterior_
    leaves = forest_of(posterior.trees, "kernel").apply(X)
    a = posterior.trees.leaf_counts[leaves[posterior.tree_index]] + ALPHA
    return beta.cdf(truth, a, a.sum(axis=-1, keepdims=True) - a).mean(axis=(0, 1))


@pytest.fixture(scope="module")
def replicates():
    return Replicates(*map(np.stack, zip(*map(replicate, range(N_REPLICATES)), strict=True)))


def is_calibrated(is_covered):
    """Whether 90 % intervals cover 90 %, give or take two."""
    return abs(is_covered.mean() - LEVEL) <= 0.02


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say(replicates):
    assert is_calibrated(replicates.is_covered)
    for each in range(len(ALPHA)):
        assert abs(replicates.is_covered[..., each].mean() - LEVEL) <= 0.025


@pytest.mark.slow
def test_intervals_between_trees_alone_are_found_too_narrow(replicates):
    assert not is_calibrated(replicates.is_covered_between_trees)
    assert replicates.is_covered_between_trees.mean() < 0.7


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform(replicates):
    one_of_each = replicates.rank[:, 0, 0]  # independent: one row and class of each replicate
    counts, _ = np.histogram(one_of_each, bins=20, range=(0, 1))
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.slow
def test_the_pages_tell_what_was_found(replicates):
    found, between_trees = (
        f"{100 * is_covered.mean():.1f} %"
        for is_covered in (replicates.is_covered, replicates.is_covered_between_trees)
    )
    readme, page = (
        (ROOT / name).read_text(encoding="utf-8").replace("\n", " ")
        for name in ("README.md", "docs/uncertainty.md")
    )
    said = f"intervals hold the true probability in {found} of the cases, over 1,000 replicates"
    assert said in readme
    assert f"hold the true probability of a new row in {found} of the cases" in page
    assert f"only the spread between trees hold it in {between_trees}," in page


def test_prior_draws_have_equally_likely_sizes_and_shapes():
    rng = np.random.default_rng(0)
    shapes = [str(draw_shape(4, rng)) for _ in range(2000)]
    found, counts = np.unique(shapes, return_counts=True)
    assert len(found) == 5
    assert chisquare(counts).pvalue > 0.001
