"""The two engines, compiled and reference, behind one interface."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sweeptree import _kernel
from sweeptree.encoding import EncodedTable, FloatArray
from sweeptree.settings import StrategySettings, TargetSettings

ENGINES = ("kernel", "reference")

SMALLEST_MASK_BUDGET = 4 * 2**20
"""Bytes for the kernel's masks that are granted unless told otherwise; they fit most caches."""


class Chain(Protocol):
    """What both engines' chains can do."""

    def run(self, n: int, is_burn_in: bool, thin: int = 1, seconds: float = ...) -> int:
        """Make moves until `n` are made or `seconds` have passed; return how many were made."""

    def temper(self, shares: list[float], moves_between_exchanges: int) -> None:
        """Add a walker for each share of the likelihood; they start from the present tree.

        The shares must fall, between 1 and 0.
        """

    def halve_draws(self) -> None:
        """Keep the second draw, the fourth and so on; the number of draws must be even."""

    def state(self) -> dict[str, Any]:
        """All that the chain's future depends on, its generator included: arrays and numbers."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to where a chain on the same target was; it then goes on as that one did.

        A state that makes no sense is refused with a ValueError.
        """

    @property
    def n_leaves(self) -> int:
        """Terminal nodes of the present tree."""

    @property
    def log_likelihood(self) -> float:
        """Log likelihood of the present tree."""

    @property
    def log_prior(self) -> float:
        """Log prior of the present tree."""

    @property
    def rule_scale(self) -> list[float]:
        """Step sizes as tuned so far."""

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(phase, move, outcome) counts."""

    @property
    def draws(self) -> dict[str, Any]:
        """Traces and trees."""

    @property
    def full_trace(self) -> tuple[npt.NDArray[np.int32], FloatArray]:
        """Leaves and log likelihood after every move."""


class Forest(Protocol):
    """What both engines' forests can do."""

    def apply(self, x: FloatArray) -> npt.NDArray[np.int32]:
        """(tree, row): the leaf that each row falls into."""

    def average(self, x: FloatArray, weight: FloatArray, leaf_value: FloatArray) -> FloatArray:
        """(row, class): the weighted sum over trees of each row's leaf value."""


class ChainFactory:
    """Makes chains on one table; what they share is built once.

    Parameters
    ----------
    engine : {"kernel", "reference"}
    table : EncodedTable
    target : TargetSettings
    strategy : StrategySettings
    mask_budget : int, default=None
        Bytes that the kernel may use for masks; what is drawn does not depend on it. None: as many
        as the table takes, and never fewer than 4 MB.
    """

    def __init__(
        self,
        engine: str,
        table: EncodedTable,
        target: TargetSettings,
        strategy: StrategySettings,
        mask_budget: int | None = None,
    ) -> None:
        self._chain_type: Any
        if engine == "reference":
            from sweeptree import reference

            self._chain_type = reference.Chain
            self._target: Any = reference.Target(table, target)
            self._strategy: Any = strategy
        else:
            self._chain_type = _kernel.Chain
            self._target = _kernel.Target(
                _kernel_data(table, mask_budget, strategy.screen_every), **asdict(target)
            )
            self._strategy = _kernel.Strategy(**asdict(strategy))

    def make(
        self,
        bit_generator: np.random.BitGenerator,
        *,
        start_share: float = 0.0,
        keeps_full_trace: bool = False,
    ) -> Chain:
        """Make a chain that draws from a bit generator of its own.

        Where burn-in is annealed, the likelihood counts by `start_share` at first.
        """
        chain: Chain = self._chain_type(
            self._target, self._strategy, bit_generator, start_share, keeps_full_trace
        )
        return chain


class Blueprint:
    """All that chains on one table are made of; other processes can make them too.

    The factory is not sent along: each process builds it once, when it is first needed.

    Parameters
    ----------
    engine : {"kernel", "reference"}
    table : EncodedTable
    target : TargetSettings
    strategy : StrategySettings
    mask_budget : int, default=None
    keeps_full_trace : bool
    """

    def __init__(
        self,
        engine: str,
        table: EncodedTable,
        target: TargetSettings,
        strategy: StrategySettings,
        mask_budget: int | None = None,
        *,
        keeps_full_trace: bool = False,
    ) -> None:
        self._parts = (engine, table, target, strategy, mask_budget)
        self._keeps_full_trace = keeps_full_trace

    @cached_property
    def factory(self) -> ChainFactory:
        """Makes the chains."""
        return ChainFactory(*self._parts)

    def make(self, bit_generator: np.random.BitGenerator, start_share: float) -> Chain:
        """Make a chain that has not moved yet."""
        return self.factory.make(
            bit_generator, start_share=start_share, keeps_full_trace=self._keeps_full_trace
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "factory"}

    def __sizeof__(self) -> int:
        """Bytes of the table, by which Dask plans what it sends and keeps."""
        table = self._parts[1]
        return sum(part.nbytes for part in vars(table).values() if isinstance(part, np.ndarray))


def make_forest(
    engine: str,
    node_offsets: npt.NDArray[np.int64],
    variable: npt.NDArray[np.int32],
    test: npt.NDArray[np.uint8],
    threshold: FloatArray,
    missing_left: npt.NDArray[np.bool_],
    n_threads: int = 1,
) -> Forest:
    """Make trees to send rows down; the kernel's use threads."""
    nodes = (node_offsets, variable, test, threshold, missing_left.astype(np.uint8))
    if engine == "reference":
        from sweeptree import reference

        return reference.Forest(*nodes)
    return _kernel.Forest(*nodes, n_threads)


def _kernel_data(table: EncodedTable, mask_budget: int | None, sample_every: int) -> _kernel.Data:
    if mask_budget is None:
        mask_budget = max(SMALLEST_MASK_BUDGET, 8 * table.n_rows * table.n_variables)
    return _kernel.Data(
        n_classes=table.n_classes,
        labels=table.labels,
        kinds=table.kinds,
        n_missing=table.n_missing,
        order=table.order,
        values=table.values,
        value_offsets=table.value_offsets,
        starts=table.starts,
        start_offsets=table.start_offsets,
        mask_budget=mask_budget,
        sample_every=sample_every,
    )
