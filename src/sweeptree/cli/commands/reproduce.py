"""`sweeptree reproduce`."""

from __future__ import annotations

import argparse
from pathlib import Path

from joblib import effective_n_jobs

from sweeptree.cli.cluster import sent_to
from sweeptree.cli.parser import SECTIONS
from sweeptree.cli.showing import PipeConsole, show
from sweeptree.experiments.reproduce import reproduce


def run(options: argparse.Namespace) -> None:
    """Make the paper's tables and figures anew."""
    sections = [name for name in SECTIONS if name in (options.only or SECTIONS)]
    with sent_to(options.scheduler):
        reproduce(
            Path(options.output),
            sections,
            PipeConsole(stderr=options.json, quiet=options.quiet),
            is_quick=options.quick,
            n_jobs=options.n_jobs or effective_n_jobs(-1),
            seed=options.random_state,
        )
    if options.json:
        show(options, {"output": options.output, "sections": sections})
