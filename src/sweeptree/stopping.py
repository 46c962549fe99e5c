"""How long chains run: for so many draws, or until they have converged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, dropwhile
from typing import NamedTuple

import numpy as np

from sweeptree.checkpoint import Checkpoint
from sweeptree.diagnostics import judge_traces
from sweeptree.encoding import FloatArray
from sweeptree.engines import Chain
from sweeptree.interruption import Interruption
from sweeptree.logbook import Logbook
from sweeptree.posterior import (
    Draws,
    Legend,
    Posterior,
    Traces,
    collect,
    pool_draws,
    pool_traces,
)
from sweeptree.prediction import spread_between_chains
from sweeptree.progress import ProgressDisplay
from sweeptree.sampling import Crew
from sweeptree.settings import MOST_DRAWS, RUNGS_IF_SLOW, Schedule
from sweeptree.verdict import FEWEST_DRAWS, Verdict

FIRST_CHECK = 500
"""Draws of a chain when it is looked at for the first time."""

MOST_CLOSE_DRAWS = 1000
"""Draws that a chain of open length holds while they are close to each other: more of these would
tell little more."""

FAR_APART = 16
"""Draws count as far apart once `thin` has become so many times what it was at first."""

EARLY_SHARE = 3
"""Draws from the first third of a chain are not used, nor judged by: it may have been arriving."""

BURN_IN_SHARE = 1 / 3
"""Of the time allowed, burn-in may take so much."""

TIMES_AS_LONG_IF_SLOW = 2
"""Slow chains need more than so many times as many moves as they have sampled for."""

BURN_INS_IF_SLOW = 5
"""Slow chains need more than so many times as many moves as their burn-in took: then it pays to
begin anew with faster ones."""

FEWEST_TEMPERED = 100
"""Where chains were tempered on the way, what they drew before is dropped as soon as they have so
many draws since: they have moved faster from there on."""

MOST_ROWS_JUDGED = 1000
"""Training rows, evenly spaced, on which the chains' predictions are compared."""


class Round(NamedTuple):
    """Where the chains meet and are judged."""

    n_draws: int
    thin: int

    @property
    def n_moves(self) -> int:
        """Moves of sampling up to there."""
        return self.n_draws * self.thin


def rounds(schedule: Schedule) -> Iterator[Round]:
    """Yield one round after the other; when `thin` doubles, every second draw has been dropped.

    Examples
    --------
    >>> from sweeptree.settings import Schedule
    >>> schedule = Schedule(n_burn_in=10, thin=2, n_draws=None, max_moves=3_210)
    >>> [tuple(each) for each in rounds(schedule)]
    [(500, 2), (625, 2), (750, 2), (875, 2), (1000, 2), (625, 4), (750, 4), (800, 4)]

    Half of the draws are not dropped for a single one more:

    >>> schedule = Schedule(n_burn_in=10, thin=2, n_draws=None, max_moves=2_012)
    >>> [tuple(each) for each in rounds(schedule)][-2:]
    [(875, 2), (1001, 2)]

    Draws that are far apart are kept in larger numbers:

    >>> schedule = Schedule(n_burn_in=10, thin=2, n_draws=None, max_moves=160_010)
    >>> [tuple(each) for each in rounds(schedule)][-5:]
    [(2500, 32), (3000, 32), (3500, 32), (4000, 32), (2500, 64)]
    """
    if schedule.n_draws is not None:
        yield Round(schedule.n_draws, schedule.thin)
        return
    n_draws, thin = FIRST_CHECK, schedule.thin
    while True:
        most = (schedule.max_moves - schedule.n_burn_in) // thin
        if most <= n_draws + 1:  # a single draw more is worth no look, nor half of the others
            yield Round(most, thin)
            return
        yield Round(n_draws, thin)
        are_far_apart = thin >= FAR_APART * schedule.thin
        if n_draws == (MOST_DRAWS if are_far_apart else MOST_CLOSE_DRAWS):
            n_draws, thin = n_draws // 2, 2 * thin
        n_draws += draws_to_next_check(n_draws)


def draws_to_next_check(n_draws: int) -> int:
    """By how many draws a chain grows until it is looked at again: by a seventh to a quarter.

    Examples
    --------
    >>> [draws_to_next_check(n) for n in (500, 750, 1000, 1500, 2000, 3000)]
    [125, 125, 250, 250, 500, 500]
    """
    n_doublings = (n_draws // FIRST_CHECK).bit_length() - 1
    return (FIRST_CHECK << n_doublings) // 4


def draws_used(start: int, n_draws: int, thin: int) -> slice:
    """Which draws of a chain of open length count: those after the first third of its moves.

    Parameters
    ----------
    start : int
        Where its moves start to count: at minus the length of its burn-in, or where it was
        tempered.
    n_draws : int
    thin : int

    Examples
    --------
    >>> draws_used(start=0, n_draws=1000, thin=10)
    slice(333, 1000, None)
    >>> draws_used(start=-5000, n_draws=1000, thin=10)
    slice(0, 1000, None)
    >>> draws_used(start=5000, n_draws=1000, thin=10)
    slice(666, 1000, None)
    """
    n_early_moves = (n_draws * thin - start) // EARLY_SHARE
    return slice(max(start + n_early_moves, 0) // thin, n_draws)


def are_slow(times_as_long: float, n_sampling: int, n_burn_in: int) -> bool:
    """Tell whether chains should get rungs.

    Before they have sampled for as long as their burn-in took there is no telling.

    Parameters
    ----------
    times_as_long : float
        How many times as many moves they need, as they look now.
    n_sampling : int
        Moves that they have made since burn-in.
    n_burn_in : int

    Examples
    --------
    >>> are_slow(times_as_long=6, n_sampling=200_000, n_burn_in=200_000)
    True
    >>> are_slow(times_as_long=4, n_sampling=200_000, n_burn_in=200_000)
    False
    >>> are_slow(times_as_long=1.5, n_sampling=2_000_000, n_burn_in=200_000)
    False
    """
    is_long = times_as_long * n_sampling > BURN_INS_IF_SLOW * n_burn_in
    return n_sampling >= n_burn_in and is_long and times_as_long > TIMES_AS_LONG_IF_SLOW


def rows_to_judge_by(X: FloatArray) -> FloatArray:
    """Take all rows of a small table, evenly spaced ones of a large table."""
    n_rows = min(len(X), MOST_ROWS_JUDGED)
    return X[np.arange(n_rows) * len(X) // n_rows]


@dataclass(frozen=True)
class Look:
    """At what chains have drawn by now; most looks do without the trees."""

    chains: Sequence[Chain]
    legend: Legend
    used: slice

    def traces(self) -> Traces:
        """Pool the draws that are used, without their trees."""
        return pool_traces(self.chains, self.used)

    @cached_property
    def draws(self) -> Draws:
        """The same with their trees; the chains must not have gone on."""
        return pool_draws(self.chains, self.legend, self.used)


@dataclass(frozen=True)
class Judge:
    """Tells by their draws whether chains have converged."""

    rows: FloatArray
    engine: str
    n_threads: int

    def judge(self, look: Look) -> Verdict:
        """Look at the traces and, only if these are as wanted, at the predictions."""
        verdict = judge_traces(look.traces())
        return self.complete(verdict, look) if verdict.traces_agree else verdict

    def complete(self, verdict: Verdict, look: Look) -> Verdict:
        """Add the spread of the predictions if it is not known yet."""
        if not math.isnan(verdict.spread):
            return verdict
        spread = spread_between_chains(look.draws, self.rows, self.engine, self.n_threads)
        return verdict._replace(spread=spread)


def run_chains(
    crew: Crew,
    legend: Legend,
    schedule: Schedule,
    judge: Judge,
    *,
    keeps_full_trace: bool,
    shows_progress: bool,
    checkpoint: Checkpoint | None = None,
) -> Posterior:
    """Run all chains as long as the schedule says, and pool what they drew.

    Unless time runs out or Ctrl-C is pressed, all chains make the same number of moves, and what
    they draw depends on nothing but their generators.

    Parameters
    ----------
    crew : Crew
        Its chains have made no moves yet.
    legend : Legend
    schedule : Schedule
    judge : Judge
    keeps_full_trace : bool
    shows_progress : bool
    checkpoint : Checkpoint or None
        From where the chains go on, if it is there; removed when they have come to their end.
    """
    with (
        Interruption() as interruption,
        crew,
        ProgressDisplay(crew.statuses, is_shown=shows_progress) as display,
    ):
        crew.on_tick = display.update
        crew.should_stop = lambda: interruption.is_wanted
        crew.breaking_off = interruption.breaking_off
        run = Run(crew, Logbook(crew, checkpoint), schedule, legend, judge, display)
        stopped_by = run.go()
        draws = run.last_look.draws
        verdict = judge.complete(run.verdict, run.last_look)
    posterior = collect(
        draws,
        crew.chains,
        n_moves=crew.n_burn_in + crew.n_draws * crew.thin,
        thin=crew.thin,
        n_rungs=crew.n_rungs,
        stopped_by=stopped_by,
        verdict=verdict,
        keeps_full_trace=keeps_full_trace,
    )
    if stopped_by != "interrupted":
        run.logbook.close()
    return posterior


@dataclass
class Run:
    """A crew on its way from round to round; what it drew is left in `last_look` and `verdict`."""

    crew: Crew
    logbook: Logbook
    schedule: Schedule
    legend: Legend
    judge: Judge
    display: ProgressDisplay
    last_look: Look = field(init=False)
    verdict: Verdict = field(init=False)

    def go(self) -> str:
        """Go on until there is a reason to stop; return it."""
        self.logbook.open()
        ahead = self._rounds_ahead()
        is_in_time = self._begin()
        need_rungs = False
        for place in ahead:
            if need_rungs:
                self.crew.temper(RUNGS_IF_SLOW)
            has_arrived = self._go_on(place)
            is_interrupted = self._is_interrupted()
            self._look()
            reason = "interrupted" if is_interrupted else self._why_stop(has_arrived, is_in_time)
            if reason:
                return reason
            self.logbook.n_moves_judged = place.n_moves
            need_rungs = self.schedule.n_rungs is None and self._are_slow()
        return "max_moves" if is_in_time else "max_seconds"

    def _rounds_ahead(self) -> Iterator[Round]:
        """Yield the rounds that are not behind yet, in a run that goes on from a checkpoint."""
        n_judged = self.logbook.n_moves_judged
        ahead = dropwhile(lambda place: place.n_moves <= n_judged, rounds(self.schedule))
        first = next(ahead, None)
        if first is None or self.crew.most_moves > self.schedule.max_moves:
            raise self.logbook.refusal_of_limit(self.schedule.max_moves)
        self.display.aim_at(self.schedule.n_burn_in + first.n_moves)
        return chain([first], ahead)

    def _begin(self) -> bool:
        """Make the burn-in and the fewest draws; return whether there was time for all burn-in.

        What is behind already is not done again.
        """
        self.crew.temper(self.schedule.n_rungs or 1)
        if not self.crew.is_sampling:
            deadline = self.logbook.start + BURN_IN_SHARE * self.schedule.max_seconds
            self.crew.burn_in(self.schedule.n_burn_in, deadline)
            self.logbook.enter()
        self.crew.sample(self.schedule.fewest_draws)
        return self.crew.n_burn_in == self.schedule.n_burn_in

    def _go_on(self, place: Round) -> bool:
        """Go on to the next round; return whether the chains have come there."""
        self.display.aim_at(self.crew.n_burn_in + place.n_moves)
        if self.crew.thin < place.thin:
            self.crew.halve_draws()
        return self.crew.sample(place.n_draws, self.logbook.start + self.schedule.max_seconds)

    def _is_interrupted(self) -> bool:
        """Write down where the chains were interrupted, if so; give up if they have too few draws.

        Asked once in a round: a Ctrl-C that comes later holds for the next one.
        """
        if not self.crew.should_stop():
            return False
        self.logbook.enter()
        if self.crew.n_draws < self.schedule.fewest_draws:
            raise KeyboardInterrupt(self.logbook.how_to_go_on())
        return True

    def _look(self) -> None:
        """Judge what was drawn so far."""
        self.last_look = Look(self.crew.chains, self.legend, self._draws_to_use())
        self.verdict = self.judge.judge(self.last_look)
        self.display.tell(self.verdict.in_short())

    def _draws_to_use(self) -> slice:
        n_draws, thin = self.crew.n_draws, self.crew.thin
        if not self.schedule.is_open:
            return slice(0, n_draws)
        start = self.crew.tempered_at
        if start is None or n_draws * thin - start < FEWEST_TEMPERED * thin:
            start = -self.crew.n_burn_in
        return draws_used(start, n_draws, thin)

    def _why_stop(self, has_arrived: bool, is_in_time: bool) -> str | None:
        if not has_arrived:
            return "max_seconds"
        if not self.schedule.is_open:
            return "n_draws"
        # A burn-in that was cut short made the draws depend on the clock: the run then ends by
        # the clock too, and says so.
        return "converged" if is_in_time and self.verdict.is_converged else None

    def _are_slow(self) -> bool:
        n_sampling = self.crew.n_draws * self.crew.thin
        return are_slow(self.verdict.times_as_long(), n_sampling, self.crew.n_burn_in)


IF_FEW_DRAWS = 'Raise n_draws, or use n_draws="auto"'
WHAT_TO_DO = {
    "n_draws": 'Raise n_burn_in and thin, or use n_draws="auto"',
    "max_moves": "max_moves stopped them after {n_moves:,} moves each. Raise it (and max_seconds "
    "with it)",
    "max_seconds": "max_seconds stopped them after {n_moves:,} moves each, as far as this machine "
    "came in that time; another run may draw otherwise. Raise it (and max_moves with it)",
    "interrupted": "The fit was interrupted after {n_moves:,} moves of each chain; {n_draws:,} "
    "draws of each are kept. Let it run longer",
}


def warning_about(posterior: Posterior) -> str | None:
    """Say what keeps the chains from having converged, and what to do; None if nothing does.

    A run whose length was given is only judged by R-hat. One that was interrupted is warned about
    even if its chains have converged.
    """
    verdict, stopped_by = posterior.verdict, posterior.stopped_by
    missing = verdict.disagreements() if stopped_by == "n_draws" else verdict.missing()
    if not missing and stopped_by != "interrupted":
        return None
    is_short = stopped_by == "n_draws" and posterior.n_draws < FEWEST_DRAWS
    how = IF_FEW_DRAWS if is_short else WHAT_TO_DO[stopped_by]
    what_to_do = how.format(n_moves=posterior.n_moves, n_draws=posterior.n_draws)
    if not missing:
        return f"The chains have converged so far. {what_to_do} for more draws."
    return (
        f"The chains have not converged: {', '.join(missing)}. {_pace(verdict)}{what_to_do}, and "
        "look at model.summary(); until then take the probabilities as provisional."
    )


def _pace(verdict: Verdict) -> str:
    times = verdict.times_as_long()
    if not math.isfinite(times):
        return ""
    return f"At this pace about {max(math.ceil(times), 2)} times as many moves would do. "
