# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # The sampler, step by step
#
# How does one draw a *tree* from a posterior? On a table so small that all trees can be listed on a
# sheet of paper, we first work out the answer exactly, then watch the sampler find it, one move at
# a time. The engine here is `sweeptree.reference`: the same algorithm as the fast one, in plain
# Python, with a function for each equation.
#
# ## Six rows
#
# One measure, `x`, and two classes. Small ones are mostly `a`, large ones mostly `b`.

# %%
import math
from fractions import Fraction

import numpy as np

from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import encode
from sweeptree.reference import Target
from sweeptree.reference.moves import Proposal
from sweeptree.reference.walker import Heat, Walker
from sweeptree.settings import MOVES, OUTCOMES, StrategySettings, TargetSettings

X = np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0]])
labels = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)  # a a a b b b

# %% [markdown]
# ## All trees there are
#
# A split can fall into the gap between 1 and 2, or into that between 2 and 3. So there are five
# trees: no split; a split on the left; a split on the right; both, the left one on top; both, the
# right one on top. The last two cut the rows into the same three leaves.
#
# **Likelihood.** The class probabilities of a leaf are unknown; with a uniform prior on them (a
# Dirichlet with α = 1) they integrate to m! n! / (m + n + 1)! for m rows of one class and n of the
# other.

# %%


def leaf(m, n):
    """Chance of one particular order of m rows of class a and n of class b."""
    return Fraction(math.factorial(m) * math.factorial(n), math.factorial(m + n + 1))


likelihood = {
    "no split": leaf(3, 3),
    "left": leaf(2, 0) * leaf(1, 3),
    "right": leaf(3, 1) * leaf(0, 2),
    "left, then right": leaf(2, 0) * leaf(1, 1) * leaf(0, 2),
    "right, then left": leaf(2, 0) * leaf(1, 1) * leaf(0, 2),
}
assert likelihood["no split"] == Fraction(1, 140)
assert likelihood["left"] == Fraction(1, 60)

# %% [markdown]
# **Prior.** Say that each leaf more makes a tree half as likely, and that a split falls into either
# gap with chance one half. Every split then costs a factor of 1/4.

# %%
n_splits = {name: 0 if name == "no split" else 1 + name.count(",") for name in likelihood}
weight = {name: likelihood[name] * Fraction(1, 4) ** n_splits[name] for name in likelihood}
total = sum(weight.values())
for name, share in weight.items():
    print(f"{name:18} {float(share / total):.4f}")

p_leaves = np.zeros(4)
for name, share in weight.items():
    p_leaves[n_splits[name] + 1] += float(share / total)
print("chance of 1, 2, 3 leaves:", p_leaves[1:].round(4))

# %% [markdown]
# **Prediction.** Within a tree, the chance of class `a` is (m + 1) / (m + n + 2) of the leaf that a
# row falls into. Averaged over the trees, for x = 1:

# %%
p_a_at_1 = {
    "no split": Fraction(4, 8),
    "left": Fraction(3, 4),
    "right": Fraction(4, 6),
    "left, then right": Fraction(3, 4),
    "right, then left": Fraction(3, 4),
}
exact_prediction = sum(weight[name] * p_a_at_1[name] for name in weight) / total
print(f"P(a | x = 1) = {exact_prediction} = {float(exact_prediction):.4f}")

# %% [markdown]
# ## A walker
#
# That was the answer. With 30 columns there are more trees than atoms, and no list. The sampler
# never makes one: it keeps a single tree, proposes a small change, and accepts it or not.

# %%
target = Target(
    encode(X, labels, 2),
    TargetSettings(
        tree_prior="geometric",
        leaf_penalty=math.log(2),
        rule_prior="observed",
        likelihood="marginal",
        alphas=((1.0, 1.0),),
        min_samples_leaf=1,
        max_leaves=6,
        gamma=0.95,  # of other priors, as is split_chance
        delta=1.0,
        split_chance=0.95,
    ),
)
chances = {"birth": 0.3, "death": 0.3, "change_split": 0.4}
strategy = StrategySettings(
    p_move=tuple(chances.get(move, 0.0) for move in MOVES),
    redraws=False,
    sweeps=False,
    changes_variable=False,
    rule_draw="prior",
    tunes=False,
    rule_scale=(0.3,),
    restrict_leaves=0,
    restrict_moves=0,
    anneal_moves=0,
)
walker = Walker(target, strategy, np.random.default_rng(1))
assert math.isclose(walker.state.log_likelihood, math.log(Fraction(1, 140)))

# %% [markdown]
# ### 1. Draw a proposal
#
# Some proposals cannot be made: there is nothing to prune in a tree without splits. Draw until one
# is a birth, which splits a leaf.

# %%
proposal = walker.draw_proposal()
while proposal.move != "birth":
    print(f"{proposal.move}: {'impossible' if proposal.node is None else proposal}")
    proposal = walker.draw_proposal()
print(f"birth: x <= {proposal.rule.threshold:.2f}")

# %% [markdown]
# ### 2. Evaluate it
#
# The odds of accepting it are a product: how much more probable the new tree is, times how likely
# the way back is against the way there. By hand, for either gap:
#
# - the new tree against the old: (1/60 · 1/4) / (1/140) = 7/12;
# - the way back: a death (0.3), and there is one split to remove;
# - the way there: a birth (0.3), one leaf to choose from, and a rule with chance 1/2.
#
# So 7/12 · 0.3 / (0.3 · 1/2) = 7/6: at least 1, accept in any case.

# %%
IN_FULL = Heat(share=1.0, hold_back=0.0)  # all of the likelihood counts
evaluation = walker.evaluate(proposal)
ratio = math.exp(walker.heated_log_ratio(IN_FULL, evaluation))
print(f"ratio {ratio:.6f}, by hand {7 / 6:.6f}")
assert math.isclose(ratio, 7 / 6)

# %% [markdown]
# ### 3. Accept
#
# The sampler has drawn a number between 0 and 1 before it looked, and accepts if that is below the
# ratio; here any would be.
#
# And the way back, a death, must have the inverse ratio, 6/7. That the two belong together is
# *detailed balance*: as much probability flows from one tree to the other as comes back.

# %%
u = 1.0 - walker.random.random()
outcome = walker.decide(u, IN_FULL, evaluation)
print(f"{outcome}; the tree now has {walker.state.tree.n_leaves} leaves")
assert outcome == "accepted"
way_back = walker.evaluate(Proposal("death", walker.state.tree.root_name))
assert math.isclose(math.exp(walker.heated_log_ratio(IN_FULL, way_back)), 6 / 7)

# %% [markdown]
# A proposal that leaves a leaf without rows is no tree at all, and is never made:

# %%
left_leaf = walker.state.tree.nodes[walker.state.tree.root_name].left
same_again = Proposal("birth", left_leaf, proposal.rule)
assert walker.evaluate(same_again) is None

# %% [markdown]
# ## Twenty thousand steps
#
# Then the same again and again. How often the tree has one, two, three leaves should come to what
# we worked out.

# %%


def share_of_leaves(strategy, n_steps=20_000):
    """How often a chain has 1, 2, 3 leaves, and what became of its moves."""
    chain = Walker(target, strategy, np.random.default_rng(0))
    counts = np.zeros((len(MOVES), len(OUTCOMES)), dtype=np.int64)
    visits = np.zeros(4)
    for _ in range(n_steps):
        chain.step(IN_FULL, False, counts)
        visits[chain.state.tree.n_leaves] += 1
    return visits / n_steps, counts


found, counts = share_of_leaves(strategy)
print("exact:  ", p_leaves[1:].round(3))
print("sampled:", found[1:].round(3))
assert abs(found - p_leaves).max() < 0.02
for move in chances:
    by_outcome = dict(zip(OUTCOMES, counts[MOVES.index(move)].tolist(), strict=True))
    print(f"{move}: {by_outcome}")

# %% [markdown]
# ## A small change, and a bias
#
# An impossible move counts as a rejection above: the chain stays, and time passes. It is tempting
# to draw another move instead, as the paper does; nothing is lost, it seems. But time that a tree
# should have spent waiting is taken from it, and trees from which much is possible get too large a
# share. Watch the tree without splits, from which only a birth is possible:

# %%
redrawing = StrategySettings(**{**vars(strategy), "redraws": True})
biased, _ = share_of_leaves(redrawing)
print("exact:    ", p_leaves[1:].round(3))
print("redrawing:", biased[1:].round(3))
assert biased[1] < p_leaves[1] - 0.1

# %% [markdown]
# ## The whole library says the same
#
# The estimator runs several such walkers, on threads, and averages. The fast engine and this one
# make the same moves from the same seed.

# %%
settings = {
    "alpha": 1.0,
    "leaf_penalty": math.log(2),
    "move_probabilities": chances,
    "n_burn_in": 200,
    "n_draws": 500,
    "thin": 2,
    "n_chains": 2,
    "random_state": 0,
}
y = np.array(["a", "b"])[labels]
fast = BayesianTreeClassifier(**settings).fit(X, y)
slow = BayesianTreeClassifier(**settings, engine="reference").fit(X, y)
np.testing.assert_array_equal(fast.posterior_.n_leaves, slow.posterior_.n_leaves)

long = BayesianTreeClassifier(**settings | {"n_draws": 20_000, "thin": 10}).fit(X, y)
print(
    f"P(a | x = 1): {long.predict_proba([[1.0]])[0, 0]:.4f}, exactly {float(exact_prediction):.4f}"
)
assert abs(long.predict_proba([[1.0]])[0, 0] - exact_prediction) < 0.005
