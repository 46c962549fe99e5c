"""How the chains ran, and how to run them again."""

from __future__ import annotations

import inspect
import platform
from importlib.metadata import version
from typing import Any

import numpy as np

from sweeptree.diagnostics import Convergence, convergence
from sweeptree.files.header import OF_A_FIT
from sweeptree.report.evidence import Evidence
from sweeptree.report.numbers import rounded
from sweeptree.spacing import evenly_spaced
from sweeptree.summary import moves_after_burn_in
from sweeptree.verdict import WANTED_ESS, WANTED_RHAT, WANTED_SPREAD

MOST_POINTS = 200
"""Of each trace."""
MOST_CHAINS = 8
"""Whose traces are drawn."""
CUT_SHORT = {
    "max_seconds": "the limit of time (max_seconds) stopped the chains",
    "interrupted": "Ctrl-C stopped the chains",
}
"""What stops chains elsewhere in each run."""


def traces(evidence: Evidence) -> dict[str, Any]:
    """Return the traces, thinned."""
    posterior = evidence.model.posterior_
    some = evenly_spaced(posterior.n_draws, MOST_POINTS)
    chains = slice(MOST_CHAINS)
    return {
        "nDraws": posterior.n_draws,
        "nChains": posterior.n_chains,
        "draws": some.tolist(),
        "leaves": rounded(posterior.n_leaves[chains, some]),
        "logPosterior": rounded(posterior.log_posterior[chains, some], 6),
    }


def run_facts(evidence: Evidence) -> dict[str, Any]:
    """Gather tables on the chains."""
    return {
        "diagnostics": _diagnostics(evidence),
        "moves": _moves(evidence),
        "run": _run(evidence),
        "versions": _versions(),
        "code": _code(evidence),
        "why_not_again": _why_not_again(evidence.model),
    }


def _diagnostics(evidence: Evidence) -> list[dict[str, Any]]:
    found = convergence(evidence.model.posterior_)
    spread = evidence.model.posterior_.verdict.spread
    return [
        *_of_trace("number of leaves", found["n_leaves"]),
        *_of_trace("log posterior", found["log_posterior"]),
        _judged(
            "spread of predictions between chains",
            f"{spread:.4f}",
            spread <= WANTED_SPREAD,
            f"at most {WANTED_SPREAD}",
        ),
    ]


def _of_trace(name: str, found: Convergence) -> list[dict[str, Any]]:
    enough = f"at least {WANTED_ESS}"
    return [
        _judged(
            f"R-hat of the {name}",
            f"{found.rhat:.3f}",
            found.rhat <= WANTED_RHAT,
            f"at most {WANTED_RHAT}",
        ),
        _judged(
            f"effective sample size of the {name}",
            _whole(found.ess_bulk),
            found.ess_bulk >= WANTED_ESS,
            enough,
        ),
        _judged(f"the same, in the tails of the {name}", _whole(found.ess_tail), None, ""),
    ]


def _whole(number: float) -> str:
    return f"{np.floor(number):,.0f}"


def _judged(name: str, value: str, is_good: bool | None, wanted: str) -> dict[str, Any]:
    words = {True: "good", False: "not as wanted", None: ""}[is_good]
    return {"name": name, "value": value, "is_good": is_good, "words": words, "wanted": wanted}


def _moves(evidence: Evidence) -> list[dict[str, str]]:
    posterior = evidence.model.posterior_
    rows = []
    for move, counts in zip(posterior.move_names, moves_after_burn_in(posterior), strict=True):
        by_outcome = dict(zip(posterior.outcome_names, counts.tolist(), strict=True))
        made = sum(by_outcome.values()) - by_outcome["redrawn"]
        if made:
            share = 100 * by_outcome["accepted"] / made
            rows.append({"move": move.replace("_", "-"), "made": f"{made:,}", "share": share})
    return rows


def _run(evidence: Evidence) -> list[tuple[str, str]]:
    model: Any = evidence.model
    posterior = model.posterior_
    return [
        ("stopped by", posterior.stopped_by),
        ("chains", f"{posterior.n_chains}"),
        ("moves of each chain", f"{posterior.n_moves:,}"),
        ("draws of each chain", f"{posterior.n_draws:,}"),
        ("moves from draw to draw", f"{posterior.thin:,}"),
        ("walkers of each chain (rungs)", f"{posterior.n_rungs}"),
        ("engine", model.engine),
        ("seed", _seed_in_words(model.random_state)),
    ]


def _seed_in_words(random_state: Any) -> str:
    if random_state is None:
        return "none was given"
    return str(random_state) if isinstance(random_state, int | np.integer) else "a RandomState"


def _versions() -> list[tuple[str, str]]:
    packages = ("sweeptree", "numpy", "scikit-learn")
    return [("Python", platform.python_version()), *((each, version(each)) for each in packages)]


def _code(evidence: Evidence) -> str:
    """Return the call that makes such a model: its parameters that are not the defaults."""
    model: Any = evidence.model
    defaults = inspect.signature(type(model)).parameters
    given = [
        f"    {name}={value!r},\n"
        for name, value in model.get_params(deep=False).items()
        if name != OF_A_FIT and repr(value) != repr(defaults[name].default)
    ]
    arguments = f"\n{''.join(given)}" if given else ""
    return (
        "from sweeptree import BayesianTreeClassifier\n\n"
        f"model = BayesianTreeClassifier({arguments}).fit(X_train, y_train)\n"
        'model.report("report.html", X_test, y_test)'
    )


def _why_not_again(model: Any) -> str:
    """Say why the same call on the same rows makes other draws; nothing if it makes the same."""
    reasons = []
    if model.random_state is None:
        reasons.append("no seed was given (random_state)")
    elif not isinstance(model.random_state, int | np.integer):
        reasons.append("the seed was a RandomState, which is another one after each use")
    if model.posterior_.stopped_by in CUT_SHORT:
        reasons.append(CUT_SHORT[model.posterior_.stopped_by])
    return ", and ".join(reasons)
