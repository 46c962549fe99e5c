"""Who runs the chains: threads of this process, or workers elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweeptree.elsewhere import n_threads_here, sends_work_away
from sweeptree.engines import Blueprint
from sweeptree.remote_crew import RemoteCrew
from sweeptree.sampling import Crew, start_share
from sweeptree.thread_crew import ThreadCrew


def gather_crew(
    blueprint: Blueprint,
    bit_generators: Sequence[np.random.BitGenerator],
    thin: int,
    n_jobs: int | None,
) -> Crew:
    """Make a chain for each generator, and the crew that runs them where joblib's backend says."""
    chains = [blueprint.make(each, start_share(i)) for i, each in enumerate(bit_generators)]
    if sends_work_away():
        return RemoteCrew(chains, thin, blueprint, n_jobs)
    return ThreadCrew(chains, min(len(chains), n_threads_here(n_jobs)), thin)
