"""Settings of every parameter, good and bad, for tests that draw their cases at random."""

import numpy as np
from hypothesis import strategies as st

from sweeptree.settings import LIKELIHOODS, RULE_PRIORS, STRATEGIES, TREE_PRIORS

MOVES = [
    {"birth": 0.5, "death": 0.5},
    {"birth": 0.999, "death": 0.001},
    {"birth": 0.25, "death": 0.25, "graft": 0.25, "splice": 0.25},
    {"birth": 0.1, "death": 0.1, "regraft": 0.3, "rotate": np.float32(0.2), "transpose": 0.3},
    {"birth": 0.1, "death": 0.1, "change_split": 0.4, "change_rule": 0.4},
]


def choice(*values):
    return st.sampled_from(values)


def lengths(engine):
    """Few moves, and fewer where a move takes thousands of times as long."""
    if engine == "reference":
        return {"n_burn_in": choice(0, 20), "n_draws": st.integers(1, 8), "thin": choice(1, 2)}
    return {
        "n_burn_in": st.integers(0, 300),
        "n_draws": st.one_of(st.integers(1, 40), st.just("auto")),
        "thin": st.integers(1, 20),
    }


def of_any_table(checkpoint):
    return {
        "strategy": choice(*STRATEGIES),
        "unavailable": choice("redraw", "reject", None),
        "tree_prior": choice(*TREE_PRIORS),
        "gamma": choice(5e-324, 1e-3, 0.5, np.float32(0.95), 0.999),
        "delta": choice(0, 0.5, 2, 1e3, 1e308),
        "leaf_penalty": choice(0, 1e-300, 0.35, 100),
        "split_chance": choice(5e-324, 0.5, 1),
        "rule_prior": choice(*RULE_PRIORS, None),
        "category_rules": choice("levels", "groups"),
        "likelihood": choice(*LIKELIHOODS),
        "max_leaves": choice(1, 2, 5, 10**30, None),
        "move_probabilities": choice(*MOVES, None),
        "restrict_leaves": choice(1, 3, 10**30),
        "restrict_moves": choice(0, 50, 10**30, None),
        "anneal": choice(0, 0.3, 1, None),
        "max_moves": choice(1000, 5000),
        "max_seconds": choice(1e-9, 0.02, 1e300, None),
        "checkpoint": choice(None, None, None, checkpoint),
        "memory_budget": choice(0, 1e-3, 5, 1e308, None),
        "n_chains": st.integers(1, 3),
        "n_jobs": choice(1, 2, -1, -100, 10**9, None),
        "random_state": st.one_of(st.integers(0, 2**32 - 1), st.just(None)),
        "progress": choice(False, "auto"),
    }


def of_this_table(table):
    n_classes, n_columns = len(table.classes), table.n_columns
    shares = np.arange(1.0, n_classes + 1) / (n_classes * (n_classes + 1) / 2)
    codes = table.may_be_codes
    mask = [place in codes for place in range(n_columns)]
    named = [[table.names[place] for place in codes]] if table.names else []
    return {
        "categorical_features": choice("from_dtype", [], codes, mask, *named),
        "alpha": choice("learn", 5e-324, 1e-300, 0.5, 1e8, 1e9, [0.5] * n_classes),
        "class_prior": choice(
            None, None, shares.tolist(), dict(zip(table.classes, shares, strict=True))
        ),
        "min_samples_leaf": choice(1, 1, table.n_rows // 2),
        "rule_scale": choice(None, "tune", "ranks", "prior", 5e-324, 0.1, 1e308, [0.2] * n_columns),
    }


@st.composite
def good_settings(draw, table, checkpoint):
    """Draw settings that fit the table; parameters that are not drawn have their defaults."""
    engine = draw(choice(*["kernel"] * 15, "reference"))
    drawn = draw(
        st.fixed_dictionaries(
            lengths(engine), optional=of_any_table(checkpoint) | of_this_table(table)
        )
    )
    settings = {"max_moves": 2000, "n_chains": 2, "progress": False, **drawn, "engine": engine}
    if settings.get("strategy", "exact") == "exact":
        settings["n_rungs"] = draw(choice("auto", 1, 2, 3))
    if settings["n_draws"] != "auto":
        settings["trace"] = draw(choice("draws", "full"))
    if isinstance(settings.get("alpha"), list) or settings.get("alpha") in (5e-324, 1e9):
        settings.pop("class_prior", None)
    return settings


NO_NUMBER = ("nonsense", float("nan"), 1j, [[]], {}, True, b"1")
NO_WORD = ("nonsense", 7, 1.5, b"exact", ("exact",), True)
NO_REAL = (*NO_NUMBER, -1, -1e-300, float("inf"), None)
NO_WHOLE = (*NO_NUMBER, 2.5, -3, float("inf"))
NO_COUNT = (*NO_WHOLE, 0)

WRONG = {
    "strategy": (*NO_WORD, None),
    "unavailable": NO_WORD,
    "tree_prior": (*NO_WORD, None),
    "gamma": (*NO_REAL, 0, 1.1),
    "delta": NO_REAL,
    "leaf_penalty": (*NO_REAL, 101),
    "split_chance": (*NO_REAL, 0, 1.1),
    "rule_prior": NO_WORD,
    "categorical_features": ("nonsense", 99, [99], [1.5], ["no such column"], [True] * 9, None),
    "category_rules": (*NO_WORD, None),
    "alpha": (*NO_REAL, 0, 1e10, [], [0.5] * 9, [[0.5, 0.5]], ["a", "b"]),
    "likelihood": (*NO_WORD, None),
    "class_prior": (*NO_WORD, [], [1.0], [0.5] * 9, {"nobody": 1.0}, {}),
    "min_samples_leaf": (*NO_COUNT, None, 10**30),
    "max_leaves": NO_COUNT,
    "move_probabilities": (
        *("nonsense", 1, [0.5, 0.5], {}, {"jump": 1.0}, {"birth": 1.0}),
        *({"birth": "half", "death": 0.5}, {"birth": 0.5, "death": None}, {3: 0.5}),
        *({"birth": float("nan"), "death": 0.5}, {"birth": 0.2, "death": 0.2, "graft": 0.6}),
    ),
    "rule_scale": (*NO_NUMBER, 0, -1, float("inf"), [], [0.1] * 9, [float("inf")]),
    "restrict_leaves": (*NO_COUNT, None),
    "restrict_moves": NO_WHOLE,
    "anneal": (*NO_NUMBER, -0.1, 1.1, float("inf")),
    "n_chains": (*NO_COUNT, None, 10**15),
    "n_burn_in": (*NO_WHOLE, None, 10**30),
    "n_draws": (*NO_COUNT, None, 10**15),
    "thin": (*NO_COUNT, None, 10**30),
    "max_moves": NO_COUNT,
    "max_seconds": (*NO_NUMBER, 0, -1, float("inf")),
    "n_rungs": (*NO_COUNT, None, 13),
    "trace": (*NO_WORD, None),
    "engine": (*NO_WORD, None),
    "checkpoint": (7, 1.5, b"file", [], {}),
    "memory_budget": (*NO_NUMBER, -1, float("inf")),
    "n_jobs": (*NO_NUMBER, 0, 2.5),
    "random_state": ("nonsense", -1, 2**32, 1.5, [1, 2], {}, b"1"),
    "progress": ("nonsense", 7, None, 1.5, []),
}
"""Of each parameter values that no table makes right."""


@st.composite
def wrong_settings(draw):
    """Draw the name of a parameter and a value that it cannot have."""
    name = draw(choice(*WRONG))
    return name, draw(choice(*WRONG[name]))
