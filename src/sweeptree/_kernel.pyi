"""The compiled engine. See sweeptree.reference for the same algorithm in Python."""

from typing import Any

import numpy as np
import numpy.typing as npt

_Float = npt.NDArray[np.float64]
_Bytes = npt.NDArray[np.uint8]
_FlatTrees = tuple[
    npt.NDArray[np.int64], npt.NDArray[np.int32], _Bytes, _Float, _Bytes, npt.NDArray[np.int32]
]

class Data:
    def __init__(
        self,
        n_classes: int,
        labels: npt.NDArray[np.int32],
        kinds: _Bytes,
        n_missing: npt.NDArray[np.uint32],
        order: npt.NDArray[np.uint32],
        values: _Float,
        value_offsets: npt.NDArray[np.int64],
        starts: npt.NDArray[np.uint32],
        start_offsets: npt.NDArray[np.int64],
        mask_budget: int,
        sample_every: int = 1,
    ) -> None: ...
    @property
    def mask_bytes(self) -> int: ...

class Target:
    def __init__(
        self,
        data: Data,
        tree_prior: str,
        leaf_penalty: float,
        gamma: float,
        delta: float,
        split_chance: float,
        rule_prior: str,
        likelihood: str,
        alphas: tuple[tuple[float, ...], ...],
        min_samples_leaf: int,
        max_leaves: int,
    ) -> None: ...

class Strategy:
    def __init__(
        self,
        p_move: tuple[float, ...],
        redraws: bool,
        sweeps: bool,
        changes_variable: bool,
        rule_draw: str,
        tunes: bool,
        rule_scale: tuple[float, ...],
        restrict_leaves: int,
        restrict_moves: int,
        anneal_moves: int,
        n_tries: int = 1,
        screen_every: int = 1,
    ) -> None: ...

class Chain:
    def __init__(
        self,
        target: Target,
        strategy: Strategy,
        bit_generator: np.random.BitGenerator,
        start_share: float = 0.0,
        keeps_full_trace: bool = False,
    ) -> None: ...
    def run(self, n: int, is_burn_in: bool, thin: int = 1, seconds: float = 1e9) -> int: ...
    def temper(self, shares: list[float], moves_between_exchanges: int) -> None: ...
    def halve_draws(self) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any]) -> None: ...
    def plant(self, variable: npt.NDArray[np.int32], cut: npt.NDArray[np.int32]) -> bool: ...
    def propose(
        self,
        move: str,
        node: int,
        variable: int = -1,
        cut: int = -1,
        drawn: str = "prior",
        is_left: bool = False,
        other: int = -1,
        others_tried: list[tuple[int, int]] = ...,
    ) -> tuple[bool, float, _FlatTrees]: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def log_prior(self) -> float: ...
    @property
    def rule_scale(self) -> list[float]: ...
    @property
    def counts(self) -> npt.NDArray[np.int64]: ...
    @property
    def draws(self) -> dict[str, Any]: ...
    @property
    def full_trace(self) -> tuple[npt.NDArray[np.int32], _Float]: ...
    @property
    def tree(self) -> _FlatTrees: ...

class Forest:
    def __init__(
        self,
        node_offsets: npt.NDArray[np.int64],
        variable: npt.NDArray[np.int32],
        test: _Bytes,
        threshold: _Float,
        missing_left: _Bytes,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def n_trees(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    def average(self, x: _Float, weight: _Float, leaf_value: _Float) -> _Float: ...
    def apply(self, x: _Float) -> npt.NDArray[np.int32]: ...

def places_by_class(labels: npt.NDArray[np.int32], n_classes: int) -> npt.NDArray[np.uint32]: ...
def sort_column(
    x: _Float,
    column: int,
    places: npt.NDArray[np.uint32],
    order: npt.NDArray[np.uint32],
    values: _Float,
    starts: npt.NDArray[np.uint32],
) -> tuple[int, int, int]: ...
def seconds_per_count(n_rows: int, n_repeats: int) -> float: ...
def split_everyhow(
    mask: npt.NDArray[np.uint64], cut: npt.NDArray[np.uint64]
) -> list[tuple[int, npt.NDArray[np.uint64], npt.NDArray[np.uint64]]]: ...
