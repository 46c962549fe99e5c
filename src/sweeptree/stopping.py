"""How long chains run: for so many draws, or until they have converged."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sweeptree.diagnostics import judge_traces
from sweeptree.encoding import FloatArray
from sweeptree.engines import Chain
from sweeptree.posterior import Draws, Legend, Posterior, collect, pool_draws
from sweeptree.prediction import spread_between_chains
from sweeptree.progress import ProgressDisplay
from sweeptree.sampling import Crew
from sweeptree.settings import FEWEST_DRAWS, MOST_DRAWS, RUNGS_IF_SLOW, Schedule
from sweeptree.verdict import Verdict

FIRST_CHECK = MOST_DRAWS // 2
DRAWS_BETWEEN_CHECKS = MOST_DRAWS // 4
"""From 500 draws on, a chain grows by a third to a half between two looks at it."""

EARLY_SHARE = 5
"""Draws from the first fifth of a chain are not used, nor judged by: it may have been arriving."""

BURN_IN_SHARE = 1 / 3
"""Of the time allowed, burn-in may take so much."""

PATIENCE = 4
"""Rungs are added to chains that have sampled for so many times as long as their burn-in took, and
that would need so many times as many moves at their pace."""

MOST_ROWS_JUDGED = 1000
"""Training rows, evenly spaced, on which the chains' predictions are compared."""


class Round(NamedTuple):
    """Where the chains meet and are judged."""

    n_draws: int
    thin: int


def rounds(schedule: Schedule) -> Iterator[Round]:
    """Yield one round after the other; when `thin` doubles, every second draw has been dropped.

    Examples
    --------
    >>> from sweeptree.settings import Schedule
    >>> schedule = Schedule(n_burn_in=10, thin=2, n_draws=None, max_moves=3_210)
    >>> [tuple(each) for each in rounds(schedule)]
    [(500, 2), (750, 2), (1000, 2), (750, 4), (800, 4)]
    """
    if schedule.n_draws is not None:
        yield Round(schedule.n_draws, schedule.thin)
        return
    n_draws, thin = FIRST_CHECK, schedule.thin
    while True:
        most = (schedule.max_moves - schedule.n_burn_in) // thin
        yield Round(min(n_draws, most), thin)
        if most <= n_draws:
            return
        if n_draws == MOST_DRAWS:
            n_draws, thin = MOST_DRAWS // 2, 2 * thin
        n_draws += DRAWS_BETWEEN_CHECKS


def draws_used(n_burn_in: int, n_draws: int, thin: int) -> slice:
    """Which draws of a chain of open length count: those after the first fifth of its moves.

    Examples
    --------
    >>> draws_used(n_burn_in=0, n_draws=1000, thin=10)
    slice(200, 1000, None)
    >>> draws_used(n_burn_in=5000, n_draws=1000, thin=10)
    slice(0, 1000, None)
    """
    n_early_moves = (n_burn_in + n_draws * thin) // EARLY_SHARE
    return slice(max(n_early_moves - n_burn_in, 0) // thin, n_draws)


def rows_to_judge_by(X: FloatArray) -> FloatArray:
    """Take all rows of a small table, evenly spaced ones of a large table."""
    n_rows = min(len(X), MOST_ROWS_JUDGED)
    return X[np.arange(n_rows) * len(X) // n_rows]


@dataclass(frozen=True)
class Judge:
    """Tells by their draws whether chains have converged."""

    rows: FloatArray
    engine: str

    def judge(self, draws: Draws) -> Verdict:
        """Look at the traces and, only if these are as wanted, at the predictions."""
        verdict = judge_traces(draws)
        return self.complete(verdict, draws) if verdict.traces_agree else verdict

    def complete(self, verdict: Verdict, draws: Draws) -> Verdict:
        """Add the spread of the predictions if it is not known yet."""
        if not math.isnan(verdict.spread):
            return verdict
        spread = spread_between_chains(draws, self.rows, self.engine)
        return verdict._replace(spread=spread)


def run_chains(
    chains: Sequence[Chain],
    legend: Legend,
    schedule: Schedule,
    judge: Judge,
    *,
    n_threads: int,
    keeps_full_trace: bool,
    shows_progress: bool,
) -> Posterior:
    """Run all chains as long as the schedule says, and pool what they drew.

    Unless time runs out, all chains make the same number of moves, and what they draw depends on
    nothing but their generators.

    Parameters
    ----------
    chains : sequence of Chain
    legend : Legend
    schedule : Schedule
    judge : Judge
    n_threads : int
    keeps_full_trace : bool
    shows_progress : bool
    """
    start = time.monotonic()
    crew = Crew(chains, n_threads, schedule.thin)
    with crew, ProgressDisplay(crew.statuses, is_shown=shows_progress) as display:
        crew.on_tick = display.update
        display.aim_at(schedule.n_burn_in + next(rounds(schedule)).n_draws * schedule.thin)
        is_in_time = _begin(crew, schedule, start)
        for n_draws, thin in rounds(schedule):
            display.aim_at(crew.n_burn_in + n_draws * thin)
            has_arrived = _go_on(crew, n_draws, thin, start + schedule.max_seconds)
            draws = pool_draws(chains, legend, _draws_to_use(crew, schedule))
            verdict = judge.judge(draws)
            display.tell(verdict.in_short())
            # A burn-in that was cut short made the draws depend on the clock: the run then ends
            # by the clock too, and says so.
            if not has_arrived or (is_in_time and verdict.is_converged):
                break
            if schedule.n_rungs is None and crew.n_rungs == 1 and _are_slow(crew, verdict):
                crew.temper(RUNGS_IF_SLOW)
    return collect(
        draws,
        chains,
        n_moves=crew.n_burn_in + crew.n_draws * crew.thin,
        thin=crew.thin,
        n_rungs=crew.n_rungs,
        stopped_by=_what_stopped(schedule, verdict, is_in_time and has_arrived),
        verdict=judge.complete(verdict, draws),
        keeps_full_trace=keeps_full_trace,
    )


def _begin(crew: Crew, schedule: Schedule, start: float) -> bool:
    """Make the burn-in and the fewest draws; return whether there was time for all burn-in."""
    deadline = start + BURN_IN_SHARE * schedule.max_seconds
    crew.temper(schedule.n_rungs or 1)
    is_whole = crew.burn_in(schedule.n_burn_in, deadline)
    crew.sample(min(FEWEST_DRAWS, schedule.most_draws))
    return is_whole


def _go_on(crew: Crew, n_draws: int, thin: int, deadline: float) -> bool:
    """Go on to the next round; return whether there was time for it."""
    if crew.thin < thin:
        crew.halve_draws()
    return crew.sample(n_draws, deadline)


def _are_slow(crew: Crew, verdict: Verdict) -> bool:
    has_waited = crew.n_draws * crew.thin >= PATIENCE * crew.n_burn_in
    return has_waited and verdict.times_as_long() > PATIENCE


def _draws_to_use(crew: Crew, schedule: Schedule) -> slice:
    if schedule.is_open:
        return draws_used(crew.n_burn_in, crew.n_draws, crew.thin)
    return slice(0, crew.n_draws)


def _what_stopped(schedule: Schedule, verdict: Verdict, is_in_time: bool) -> str:
    if not is_in_time:
        return "max_seconds"
    if not schedule.is_open:
        return "n_draws"
    return "converged" if verdict.is_converged else "max_moves"


WHAT_TO_DO = {
    "n_draws": 'Raise n_burn_in and thin, or use n_draws="auto"',
    "max_moves": "max_moves stopped them after {n_moves:,} moves each. Raise it (and max_seconds "
    "with it)",
    "max_seconds": "max_seconds stopped them after {n_moves:,} moves each, as far as this machine "
    "came in that time; another run may draw otherwise. Raise it (and max_moves with it)",
}


def warning_about(posterior: Posterior) -> str | None:
    """Say what keeps the chains from having converged, and what to do; None if nothing does.

    A run whose length was given is only judged by R-hat.
    """
    verdict, stopped_by = posterior.verdict, posterior.stopped_by
    missing = verdict.disagreements() if stopped_by == "n_draws" else verdict.missing()
    if not missing:
        return None
    what_to_do = WHAT_TO_DO[stopped_by].format(n_moves=posterior.n_moves)
    return (
        f"The chains have not converged: {', '.join(missing)}. {_pace(verdict)}{what_to_do}, and "
        "look at model.summary(); until then take the probabilities as provisional."
    )


def _pace(verdict: Verdict) -> str:
    times = verdict.times_as_long()
    if not math.isfinite(times):
        return ""
    return f"At this pace about {max(math.ceil(times), 2)} times as many moves would do. "
