"""What the parameters of an estimator come to, given a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree import settings
from sweeptree.checkpoint import Checkpoint, fingerprint
from sweeptree.columns import Column
from sweeptree.encoding import EncodedTable, FloatArray

FREE_PARAMETERS = (
    *("n_jobs", "progress", "max_moves", "max_seconds", "memory_budget", "checkpoint"),
)
"""Parameters that may differ between a fit and the one that goes on from its checkpoint."""


def rule_kinds(columns: Sequence[Column], category_rules: str) -> list[str]:
    """How each column is asked, out of `RULE_KINDS`.

    Examples
    --------
    >>> sex = Column("sex", "category", ("female", "male"))
    >>> rule_kinds([Column("age", "number"), sex], "groups")
    ['ordered', 'groups']
    """
    return [
        "ordered" if not column.is_category else _kind_of_category(column, category_rules)
        for column in columns
    ]


def _kind_of_category(column: Column, category_rules: str) -> str:
    is_small = len(column.levels) <= settings.MOST_GROUPED_LEVELS
    return category_rules if is_small else "levels"


def schedule_of(model: Any) -> settings.Schedule:
    """Work out how long the chains of a model run."""
    if model.trace == "full" and model.n_draws == "auto":
        raise ValueError(
            'trace="full" needs a fixed number of draws; set n_draws to a number, or use '
            'trace="draws".'
        )
    schedule = settings.resolve_schedule(
        model.n_burn_in, model.n_draws, model.thin, model.max_moves, model.max_seconds
    )
    n_rungs = settings.resolve_rungs(model.n_rungs, model.strategy, schedule.is_open)
    return replace(schedule, n_rungs=n_rungs)


def target_of(model: Any, table: EncodedTable) -> settings.TargetSettings:
    """Work out what is sampled from."""
    if model.tree_prior == "depth" and model.gamma * 2.0**-model.delta == 1:
        raise ValueError(
            f"gamma=1 with delta={model.delta} splits every node for ever; lower gamma, or raise "
            "delta."
        )
    habits = settings.STRATEGIES[model.strategy]
    most_leaves = table.n_rows // model.min_samples_leaf
    return settings.TargetSettings(
        tree_prior=model.tree_prior,
        leaf_penalty=float(model.leaf_penalty),
        gamma=float(model.gamma),
        delta=float(model.delta),
        split_chance=float(model.split_chance),
        rule_prior=model.rule_prior or habits.rule_prior,
        likelihood=model.likelihood,
        alphas=settings.resolve_alphas(
            model.alpha,
            settings.resolve_class_prior(model.class_prior, model.classes_),
            model.likelihood,
        ),
        min_samples_leaf=int(model.min_samples_leaf),
        max_leaves=min(int(model.max_leaves or most_leaves), most_leaves),
    )


def strategy_of(model: Any, table: EncodedTable) -> settings.StrategySettings:
    """Work out how the chains walk."""
    habits = settings.STRATEGIES[model.strategy]
    rule_draw, tunes, rule_scale = settings.resolve_rule_scale(
        model.rule_scale, habits, table.columns.tolist(), model.n_features_in_
    )
    anneal = habits.anneal if model.anneal is None else model.anneal
    restrict_moves = model.n_burn_in // 2 if model.restrict_moves is None else model.restrict_moves
    redraws = (model.unavailable or habits.unavailable) == "redraw"
    may_screen = not redraws and not habits.sweeps and model.tree_prior != "range"
    return settings.StrategySettings(
        p_move=settings.resolve_move_probabilities(model.move_probabilities, habits),
        redraws=redraws,
        sweeps=habits.sweeps,
        changes_variable=habits.changes_variable,
        rule_draw=rule_draw,
        tunes=tunes,
        rule_scale=rule_scale,
        restrict_leaves=min(int(model.restrict_leaves), table.n_rows),
        restrict_moves=min(int(restrict_moves), settings.MOST_MOVES) if habits.restricts else 0,
        anneal_moves=int(anneal * model.n_burn_in),
        n_tries=habits.n_tries,
        screen_every=settings.screen_every(table.n_rows) if may_screen else 1,
    )


def mask_budget_of(model: Any) -> int | None:
    """Bytes for the masks of rules; None leaves it to the size of the table."""
    if model.memory_budget is None:
        return None
    return int(min(float(model.memory_budget) * 1e6, sys.maxsize))


def checkpoint_of(
    model: Any,
    X: FloatArray,
    labels: npt.NDArray[np.int32],
    first_stream: np.random.BitGenerator,
) -> Checkpoint | None:
    """Make the checkpoint of a fit, which knows all that decides the draws."""
    if model.checkpoint is None:
        return None
    parameters = model.get_params(deep=False)
    if isinstance(model.random_state, np.random.RandomState):
        parameters["random_state"] = fingerprint([str(first_stream.state)])
    data = {
        "n_rows": X.shape[0],
        "n_columns": X.shape[1],
        "classes": model.classes_,
        "columns": [column.name for column in model.columns_],
        "levels": fingerprint([str(column.levels) for column in model.columns_]),
        "X": fingerprint(X),
        "y": fingerprint(labels),
    }
    deciding = {name: parameters[name] for name in parameters if name not in FREE_PARAMETERS}
    return Checkpoint(Path(model.checkpoint), data | deciding)
