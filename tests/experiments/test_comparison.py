"""The rule by which figures are called alike, and the bounds that some of the paper's break."""

import math

import numpy as np
import pytest

from sweeptree.experiments import paper
from sweeptree.experiments.comparison import (
    NOT_COMPARABLE,
    OUTSIDE,
    WITHIN,
    compare_with_paper,
    entropy_bound,
)
from sweeptree.experiments.paper import Printed
from sweeptree.scores import sum_entropy


@pytest.mark.parametrize(
    ("printed", "mean", "word"),
    [
        ("7.2 ± 1.2", 8.4, WITHIN),
        ("7.2 ± 1.2", 6.0, WITHIN),
        ("7.2 ± 1.2", 8.449, WITHIN),  # 8.4 when rounded as the paper rounds
        ("7.2 ± 1.2", 8.46, OUTSIDE),
        ("7.2 ± 1.2", 5.9, OUTSIDE),
        ("143 ± 2.9", 146.3, WITHIN),
        ("143 ± 2.9", 146.5, OUTSIDE),
    ],
)
def test_our_mean_must_be_inside_the_printed_interval(printed, mean, word):
    assert compare_with_paper(Printed.read(printed), mean, 100.0).word == word


def test_where_the_paper_prints_no_width_ours_decides():
    printed = Printed.read("100.0 ± 0.0")
    assert compare_with_paper(printed, 99.7, 0.4).word == WITHIN
    assert compare_with_paper(printed, 99.7, 0.2).word == OUTSIDE
    assert "our ±" in compare_with_paper(printed, 99.7, 0.4).reason


def test_stand_ins_and_impossible_figures_are_not_compared():
    printed = Printed.read("165.7 ± 4.2")
    stand_in = compare_with_paper(printed, 165.7, 1.0, is_stand_in=True)
    assert stand_in.word == NOT_COMPARABLE
    assert not stand_in.is_impossible
    impossible = compare_with_paper(printed, 165.7, 1.0, bound=49.2)
    assert impossible.word == NOT_COMPARABLE
    assert impossible.is_impossible
    assert "49.2" in impossible.reason


def test_exactly_two_cells_of_table_3_are_impossible():
    impossible = [
        (name, strategy)
        for name, by_strategy in paper.ENTROPY.items()
        for strategy, printed in by_strategy.items()
        if printed.mean > entropy_bound(paper.TABLE_1[name].n_rows, 5, 2)
    ]
    assert impossible == [("Ionosphere", "standard"), ("Wisconsin", "standard")]


def test_the_bound_is_reached_by_knowing_nothing():
    assert math.isclose(sum_entropy(np.full((71, 2), 0.5)), entropy_bound(351, 5, 2))
