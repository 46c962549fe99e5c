"""No Monte Carlo error: the transition matrix over every tree of a small space.

Each entry is what the kernel itself computes for one concrete move; the posterior comes from
`exact_answers`, which shares no code with it.
"""

from itertools import product

import numpy as np
import pytest

from combinations import thinned
from exact_answers import all_trees, grid_problem, mixed_problem, strategy_settings
from sweeptree.engines import ChainFactory
from sweeptree.settings import LIKELIHOODS, MOVES, RULE_PRIORS, TREE_PRIORS

GRID = {"shape": (4, 4), "n_rows": 24, "seed": 3, "max_leaves": 4}


def parents_of(tree):
    """The parent of each node of a preorder; None for the root."""
    parents, waiting = [], [None]
    for place, rule in enumerate(tree):
        parents.append(waiting.pop())
        if rule is not None:
            waiting += [place, place]
    return parents


def children_of(tree):
    """Each splitting node of a preorder with its left and right child."""
    parents = parents_of(tree)
    for node, rule in enumerate(tree):
        if rule is not None:
            left, right = (i for i, parent in enumerate(parents) if parent == node)
            yield node, left, right


def splits_above_twins(tree):
    """Those of `children_of` whose children are splits and ask about one variable."""
    return [
        (node, left, right)
        for node, left, right in children_of(tree)
        if tree[left] is not None and tree[right] is not None and tree[left][0] == tree[right][0]
    ]


def chance_of_twin(n_cuts, step):
    """Half of the time no step, else 1 to 2^j up or down, j uniform on 0 .. floor(log2 n)."""
    if step == 0:
        return 0.5
    reaches = [2**j for j in range(int(np.log2(n_cuts)) + 1)]
    return 0.25 * np.mean([(abs(step) <= reach) / reach for reach in reaches])


class Kernel:
    """The kernel's moves on one problem, spelled out."""

    def __init__(self, problem, **changes):
        self.problem = problem
        self.settings = strategy_settings(problem, **changes)
        self.p_move = dict(zip(MOVES, self.settings.p_move, strict=True))
        factory = ChainFactory("kernel", problem.table, problem.target, self.settings)
        self.chain = factory.make(np.random.PCG64(0))

    def plant(self, tree):
        variable = np.array([-1 if rule is None else rule[0] for rule in tree], dtype=np.int32)
        cut = np.array([-1 if rule is None else rule[1] for rule in tree], dtype=np.int32)
        assert self.chain.plant(variable, cut)

    def tree_of(self, flat):
        _, variable, *how, _ = flat
        return tuple(
            None if v < 0 else (int(v), self.problem.cut_of(v, *asked))
            for v, *asked in zip(variable, *how, strict=True)
        )

    def moves_from(self, tree):
        """Every move that can be drawn from a tree: its kind, its chance, where, which rule."""
        k = tree.count(None)
        places = range(len(tree))
        leaves = [i for i in places if tree[i] is None]
        splits = [i for i in places if tree[i] is not None]
        prunable = [i for i in splits if tree[i + 1] is None and tree[i + 2] is None]
        if k < self.problem.max_leaves:
            for leaf, rule in product(leaves, self.problem.rules()):
                chance = self.problem.rule_probability(*rule) / len(leaves)
                yield "birth", chance, leaf, rule
        for node in prunable:
            yield "death", 1 / len(prunable), node, None
        if k < self.problem.max_leaves:
            for node, rule, side in product(places, self.problem.rules(), ("left", "right")):
                chance = self.problem.rule_probability(*rule) / len(tree) / 2
                yield f"graft {side}", chance, node, rule
        if k > 1:
            for leaf in leaves:
                yield "splice", 1 / k, leaf, None
        yield from self.regrafts_from(tree)
        for node in splits[1:]:
            yield "swap", 1 / len(splits[1:]), node, self.rule_for_sibling(tree, node)
            for side in ("left", "right"):
                yield f"rotate {side}", 1 / len(splits[1:]) / 2, node, None
        yield from self.transpositions_from(tree)
        for node in splits:
            for rule, chance in self.changes_of_split(tree[node]):
                yield "change_split", chance / len(splits), node, rule
            for rule, chance in self.changes_of_rule(tree[node]):
                yield "change_rule", chance / len(splits), node, rule

    def changes_of_split(self, present):
        for rule in self.problem.rules():
            if not self.settings.changes_variable:
                yield rule, self.problem.rule_probability(*rule)
            elif rule[0] != present[0]:
                n_others = self.problem.n_variables - 1
                yield rule, self.problem.cut_probability(*rule) / n_others

    def changes_of_rule(self, present):
        """For steps: a symmetric chance between any two rules, here one everywhere.

        Gaussian steps lead from threshold to threshold alone.
        """
        variable = present[0]
        drawn = self.settings.rule_draw
        for cut in range(self.problem.n_cuts(variable)):
            rules = (present, (variable, cut))
            if drawn == "gaussian" and not all(self.problem.is_threshold(*r) for r in rules):
                continue
            chance = self.problem.cut_probability(variable, cut)
            yield (variable, cut), chance if drawn == "prior" else 1.0

    @staticmethod
    def regrafts_from(tree):
        """Any two nodes and a side, unless the second is in what the first takes along."""
        parents = parents_of(tree)
        for moved, other in product(range(1, len(tree)), range(len(tree))):
            way_up = [other]
            while way_up[-1] != 0:
                way_up.append(parents[way_up[-1]])
            if moved not in way_up and other != parents[moved]:
                for side in ("left", "right"):
                    yield f"regraft {side} {other}", 1 / len(tree) ** 2 / 2, moved, None

    def transpositions_from(self, tree):
        """A split above two of one variable, which one rises, which one gets the very rule."""
        above_twins = splits_above_twins(tree)
        for node, left, right in above_twins:
            variable, cut = tree[node]
            n_cuts = self.problem.n_cuts(variable)
            for side, keeper, twin in product(("left", "right"), (left, right), range(n_cuts)):
                chance = chance_of_twin(n_cuts, twin - cut) / len(above_twins) / 4
                yield f"transpose {side} {keeper}", chance, node, (variable, twin)

    @staticmethod
    def rule_for_sibling(tree, node):
        """The parent's rule, if the node and its sibling have the same cut."""
        parents = parents_of(tree)
        left, right = (tree[i] for i in range(len(tree)) if parents[i] == parents[node])
        return tree[parents[node]] if left == right else None

    def propose(self, move, node, rule):
        kind, *where = move.split()
        options = {"is_left": "left" in where}
        if kind in ("regraft", "transpose"):
            options["other"] = int(where[1])
        if kind == "change_rule":
            options["drawn"] = self.settings.rule_draw
        if rule is not None:
            options |= {"variable": rule[0], "cut": rule[1]}
        return self.chain.propose(kind, node, **options)


def chance_to_pass(log_ratio, seen):
    """Of a proposal, of whose ratio a screen has seen a part; without one that is 0."""
    return min(1.0, np.exp(seen)) * min(1.0, np.exp(log_ratio - seen))


def flows(kernel, weights, only=None, mutate=None, passes=chance_to_pass):
    """π_i P_ij for every pair of different trees, as a matrix."""
    trees = list(weights)
    number = {tree: i for i, tree in enumerate(trees)}
    density = np.array(list(weights.values()))
    density /= density.sum()
    flow = np.zeros((len(trees), len(trees)))
    for i, tree in enumerate(trees):
        kernel.plant(tree)
        for move, chance, node, rule in kernel.moves_from(tree):
            if only is not None and move.split()[0] not in only:
                continue
            is_available, log_ratio, flat, seen = kernel.propose(move, node, rule)
            j = number.get(kernel.tree_of(flat))
            if not is_available:
                continue
            assert j is not None, "an available move leads to a tree of the space"
            if mutate is not None:
                log_ratio += mutate(move, tree, trees[j])
            probability = kernel.p_move[move.split()[0]] * chance * passes(log_ratio, seen)
            flow[i, j] += density[i] * probability
    np.fill_diagonal(flow, 0.0)
    return flow


def imbalance(flow):
    return np.abs(flow - flow.T).max()


def n_prunable(tree):
    return sum(
        tree[i] is not None and tree[i + 1] is None and tree[i + 2] is None
        for i in range(len(tree) - 1)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree_prior", "rule_prior", "changes_variable", "likelihood"),
    thinned(TREE_PRIORS, RULE_PRIORS, [False, True], LIKELIHOODS),
)
def test_every_exact_move_is_in_detailed_balance(
    tree_prior, rule_prior, changes_variable, likelihood
):
    problem = grid_problem(
        **GRID, tree_prior=tree_prior, rule_prior=rule_prior, likelihood=likelihood
    )
    weights = all_trees(problem)
    assert len(weights) >= 200
    kernel = Kernel(problem, changes_variable=changes_variable)
    flow = flows(kernel, weights)
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("tree_prior", "p_min"), thinned(TREE_PRIORS, [2, 4], together=1))
def test_starved_proposals_are_rejected_in_balance(tree_prior, p_min):
    problem = grid_problem((4, 4, 3), 40, 5, tree_prior=tree_prior, p_min=p_min, max_leaves=4)
    weights = all_trees(problem)
    assert len(weights) >= 200
    assert imbalance(flows(Kernel(problem), weights)) < 1e-12


@pytest.mark.parametrize(
    "move",
    ["change_split", "change_rule", "swap", "regraft", "rotate", "transpose", "birth", "graft"],
)
@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_each_move_is_in_balance_by_itself_or_with_its_inverse(tree_prior, move):
    inverse = {"birth": "death", "graft": "splice"}.get(move, move)
    problem = grid_problem(**GRID, tree_prior=tree_prior)
    flow = flows(Kernel(problem), all_trees(problem), only=[move, inverse])
    assert flow.sum() > 1e-4
    assert imbalance(flow) < 1e-12


@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_steps_over_ranks_are_in_balance(tree_prior, rule_prior):
    problem = grid_problem(**GRID, tree_prior=tree_prior, rule_prior=rule_prior)
    kernel = Kernel(problem, rule_draw="ranks")
    flow = flows(kernel, all_trees(problem), only=["change_rule"])
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


def test_under_uniform_shapes_a_graft_is_accepted_by_the_likelihood_ratio_alone():
    problem = grid_problem(**GRID, tree_prior="uniform")
    kernel = Kernel(problem, p_move=(0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1, 0.04, 0.03, 0.03))
    for tree in all_trees(problem):
        kernel.plant(tree)
        log_likelihood = kernel.chain.log_likelihood
        for move, _, node, rule in kernel.moves_from(tree):
            if not move.startswith(("graft", "splice")):
                continue
            kernel.plant(tree)
            is_available, log_ratio, flat, _ = kernel.propose(move, node, rule)
            if is_available:
                kernel.plant(kernel.tree_of(flat))
                assert abs(log_ratio - kernel.chain.log_likelihood + log_likelihood) < 1e-10


@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_rule_steps_are_in_balance_between_thresholds(tree_prior, rule_prior):
    """A step moves the threshold, so the balance is between densities of thresholds."""
    problem = grid_problem(**GRID, tree_prior=tree_prior, rule_prior=rule_prior)
    density = {
        tree: weight / np.prod([problem.gap(*rule) for rule in tree if rule is not None])
        for tree, weight in all_trees(problem).items()
    }
    flow = flows(Kernel(problem, rule_draw="gaussian"), density, only=["change_rule"])
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_kernel_and_exact_answers_agree_on_the_posterior(tree_prior):
    problem = grid_problem(**GRID, tree_prior=tree_prior)
    kernel = Kernel(problem)
    differences = []
    for tree, weight in all_trees(problem).items():
        kernel.plant(tree)
        log_posterior = kernel.chain.log_likelihood + kernel.chain.log_prior
        differences.append(log_posterior - np.log(weight))
    np.testing.assert_allclose(differences, 0.0, atol=1e-10)


def test_mutant_catalan_k_fails():
    """Catalan(k), as printed, where Catalan(k - 1) counts the trees."""
    weights = all_trees(grid_problem(**GRID, tree_prior="uniform"))
    mutant = Kernel(grid_problem(**GRID, tree_prior="paper"))
    assert imbalance(flows(mutant, weights)) > 1e-5


def test_mutant_one_more_prunable_node_fails():
    """D_Q + 1 after every birth, as printed, where D is counted on the proposed tree."""

    def one_more_always(move, old, new):
        if move == "birth":
            return np.log(n_prunable(new)) - np.log(n_prunable(old) + 1)
        if move == "death":
            return np.log(n_prunable(new) + 1) - np.log(n_prunable(old))
        return 0.0

    problem = grid_problem(**GRID)
    flow = flows(Kernel(problem), all_trees(problem), mutate=one_more_always)
    assert imbalance(flow) > 1e-5


def test_mutant_uncounted_twins_fails():
    """A split is drawn among those above twins, and after the move there may be more or fewer."""

    def as_if_always_as_many(move, old, new):
        return np.log(len(splits_above_twins(new)) / len(splits_above_twins(old)))

    problem = grid_problem((3, 2), 24, 3, max_leaves=8)
    weights = all_trees(problem)
    kernel = Kernel(problem)
    assert imbalance(flows(kernel, weights, only=["transpose"])) < 1e-12
    flow = flows(kernel, weights, only=["transpose"], mutate=as_if_always_as_many)
    assert imbalance(flow) > 1e-8


def test_mutant_redraw_fails():
    """Redrawing an unavailable move divides every row by the chance that a move is available."""
    problem = grid_problem(**GRID, p_min=2)
    weights = all_trees(problem)
    kernel = Kernel(problem)
    exact = flows(kernel, weights)
    assert imbalance(exact) < 1e-12
    available = np.zeros(len(weights))
    for i, tree in enumerate(weights):
        kernel.plant(tree)
        for move, chance, node, rule in kernel.moves_from(tree):
            available[i] += (
                kernel.p_move[move.split()[0]] * chance * kernel.propose(move, node, rule)[0]
            )
    assert imbalance(exact / available[:, None]) > 1e-5


# Categories and missing values

MIXED = {
    "holes": {"kinds": ("ordered", "ordered"), "shape": (4, 3), "p_missing": (0.3, 0.0)},
    "levels": {"kinds": ("levels", "ordered"), "shape": (4, 3), "p_missing": 0.0},
    "levels with holes": {"kinds": ("levels", "levels"), "shape": (4, 2), "p_missing": 0.2},
    "groups": {"kinds": ("groups", "ordered"), "shape": (4, 3), "p_missing": 0.0},
    "groups with holes": {"kinds": ("groups", "ordered"), "shape": (3, 2), "p_missing": 0.2},
    "all but constant": {"kinds": ("ordered", "levels"), "shape": (1, 3), "p_missing": (0.3, 0.1)},
}


def problem_of(mixed, **settings):
    return mixed_problem(**(MIXED[mixed] | {"n_rows": 30, "seed": 5, "max_leaves": 3} | settings))


@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
@pytest.mark.parametrize("tree_prior", ["uniform", "depth", "range"])
@pytest.mark.parametrize("mixed", MIXED)
def test_moves_are_in_balance_with_categories_and_missing_values(mixed, tree_prior, rule_prior):
    problem = problem_of(mixed, tree_prior=tree_prior, rule_prior=rule_prior)
    weights = all_trees(problem)
    assert len(weights) > 20
    assert imbalance(flows(Kernel(problem), weights)) < 1e-12
    steps = flows(Kernel(problem, rule_draw="ranks"), weights, only=["change_rule"])
    assert imbalance(steps) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
@pytest.mark.parametrize("tree_prior", ["uniform", "depth", "range"])
@pytest.mark.parametrize("mixed", MIXED)
def test_transpositions_are_in_balance_there_too(mixed, tree_prior, rule_prior):
    """They need four leaves, and so smaller tables."""
    shape = (1, 3) if mixed == "all but constant" else (3, 2)
    problem = problem_of(
        mixed, tree_prior=tree_prior, rule_prior=rule_prior, shape=shape, max_leaves=4
    )
    flow = flows(Kernel(problem), all_trees(problem), only=["transpose"])
    assert flow.sum() > 1e-4
    assert imbalance(flow) < 1e-12


@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
def test_gaussian_steps_are_in_balance_where_values_are_missing(rule_prior):
    problem = problem_of("holes", rule_prior=rule_prior)
    density = {
        tree: weight
        / np.prod([problem.gap(*r) for r in tree if r is not None and problem.is_threshold(*r)])
        for tree, weight in all_trees(problem).items()
    }
    flow = flows(Kernel(problem, rule_draw="gaussian"), density, only=["change_rule"])
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
@pytest.mark.parametrize("mixed", MIXED)
def test_kernel_and_exact_answers_agree_on_categories_and_missing_values(mixed, tree_prior):
    for rule_prior in RULE_PRIORS:
        problem = problem_of(mixed, tree_prior=tree_prior, rule_prior=rule_prior)
        kernel = Kernel(problem)
        for tree, weight in all_trees(problem).items():
            kernel.plant(tree)
            log_posterior = kernel.chain.log_likelihood + kernel.chain.log_prior
            assert abs(log_posterior - np.log(weight)) < 1e-10


@pytest.mark.parametrize("mixed", ["holes", "groups"])
def test_mutant_that_forgets_a_rule_fails(mixed):
    """The last rule, of a variable with holes the one that asks for them, left out of the prior."""
    problem = problem_of(mixed)
    last = problem.n_cuts(0) - 1
    weights = all_trees(problem)
    mutant = {t: w * 1.1 ** sum(rule == (0, last) for rule in t) for t, w in weights.items()}
    assert imbalance(flows(Kernel(problem), mutant)) > 1e-5
