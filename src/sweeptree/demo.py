"""The main job on built-in data, from table to answer."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from sweeptree.datasets import load_wisconsin
from sweeptree.encoding import FloatArray
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.summary import (
    convergence_in_words,
    moves_table,
    new_table,
    rhat_in_colour,
    spread_in_colour,
)


def run_demo(seed: int, console: Console) -> dict[str, Any]:
    """Fit two thirds of the Wisconsin breast-cancer data, predict the rest, and report on it.

    Returns
    -------
    dict
        The figures that are printed, and where the report is.
    """
    data = load_wisconsin()
    parts = train_test_split(
        data.data, data.target, test_size=1 / 3, stratify=data.target, random_state=seed
    )
    X_train, X_test = (dict(zip(data.feature_names, X.T, strict=True)) for X in parts[:2])
    y_train, y_test = (data.target_names[y] for y in parts[2:])
    model = BayesianTreeClassifier(n_chains=4, random_state=seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says it
        model.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    console.print(
        f"Wisconsin breast cancer: {len(y_train)} rows to learn from, {len(y_test)} held out.\n"
        f"{model.n_chains} chains of {model.posterior_.n_moves:,} moves in {seconds:.1f} s.\n",
        highlight=False,
    )
    figures = _figures(model, X_test, y_test)
    console.print(_result_table(figures))
    console.print(moves_table(model.posterior_))
    console.print(convergence_in_words(model.posterior_), highlight=False)
    path = Path(tempfile.mkdtemp(prefix="sweeptree-demo-")) / "report.html"
    model.report(path, X_test, y_test)
    console.print(f"\nAll about it, to open in a browser:\n{path}", highlight=False, soft_wrap=True)
    return figures | {"report": str(path)}


def _figures(
    model: BayesianTreeClassifier, X_test: Mapping[str, FloatArray], y_test: npt.NDArray[Any]
) -> dict[str, Any]:
    probabilities = model.predict_proba(X_test)
    posterior = model.posterior_
    return {
        "accuracy": float(accuracy_score(y_test, model.predict(X_test))),
        "log_loss": float(log_loss(y_test, probabilities)),
        "n_leaves": {
            "mean": float(posterior.n_leaves.mean()),
            "sd": float(posterior.n_leaves.std()),
        },
        "converged": posterior.converged,
        "verdict": posterior.verdict._asdict(),
    }


def _result_table(figures: dict[str, Any]) -> Table:
    n_leaves, verdict = figures["n_leaves"], figures["verdict"]
    table = new_table("Result", [""], ["value"])
    table.add_row("accuracy on held-out rows", f"{100 * figures['accuracy']:.1f} %")
    table.add_row("log-loss on held-out rows", f"{figures['log_loss']:.3f}")
    table.add_row("leaves per tree (mean ± sd)", f"{n_leaves['mean']:.1f} ± {n_leaves['sd']:.1f}")
    table.add_row("R-hat of the number of leaves", rhat_in_colour(verdict["rhat_n_leaves"]))
    table.add_row("R-hat of the log posterior", rhat_in_colour(verdict["rhat_log_posterior"]))
    table.add_row("spread of predictions between chains", spread_in_colour(verdict["spread"]))
    return table
