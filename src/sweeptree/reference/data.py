"""The training table as the sampler sees it: rows, ranks, and the rules that can be asked."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import EncodedTable
from sweeptree.settings import RULE_KINDS

Rows = npt.NDArray[np.intp]
"""Row numbers."""


class Variable:
    """One column, and its rules.

    An ordered variable is asked whether it is at most a threshold, one question for each gap
    between its values; a category whether it is a level, or in a group of levels. The rules are
    numbered: a rule's number is its cut. Without missing values every question is a rule. With
    them every question is two, missing values going right and going left, and there is one rule
    more, the last: whether the value is missing.
    """

    def __init__(self, table: EncodedTable, variable: int) -> None:
        self.kind = RULE_KINDS[table.kinds[variable]]
        self.values: list[float] = table.values_of(variable).tolist()
        self.ranks = table.ranks_of(variable)
        self.has_missing = bool(table.n_missing[variable])

    @property
    def n_questions(self) -> int:
        """The number of rules, but for the side of missing values.

        Two levels have one question: asked of the other it would make the same two halves.
        Groups are told by the levels in them; the last level is never named.
        """
        n_values = len(self.values)
        if self.kind == "ordered" or n_values < 3:
            return max(n_values - 1, 0)
        return n_values if self.kind == "levels" else 2 ** (n_values - 1) - 1

    @property
    def n_cuts(self) -> int:
        """N(s_var): the number of possible rules."""
        return 2 * self.n_questions + 1 if self.has_missing else self.n_questions

    def question_of(self, cut: int) -> int:
        """Return a rule without the side of missing values."""
        return cut // 2 if self.has_missing else cut

    def cut_at(self, question: int, missing_left: bool) -> int:
        """Return the rule that a question and a side are."""
        return 2 * question + missing_left if self.has_missing else question

    def asks_missing(self, cut: int) -> bool:
        """Whether a rule is the one that asks for missing values."""
        return self.has_missing and cut == 2 * self.n_questions

    def sends_missing_left(self, cut: int) -> bool:
        """Whether a rule sends missing values left."""
        return self.has_missing and (cut % 2 == 1 or self.asks_missing(cut))

    def test_of(self, cut: int) -> str:
        """Return what a rule asks."""
        if self.asks_missing(cut):
            return "is missing"
        return {"ordered": "at most", "levels": "is level", "groups": "in group"}[self.kind]

    def threshold_of(self, cut: int, fraction: float) -> float:
        """Return what a rule holds values against.

        A threshold at a fraction of the way through its gap, a level, or a group as the bits of
        its levels.
        """
        question = self.question_of(cut)
        match self.test_of(cut):
            case "at most":
                below, above = self.values[question : question + 2]
                threshold = below + fraction * (above - below)
                return min(max(threshold, below), math.nextafter(above, -math.inf))
            case "is level":
                return float(question)
            case "in group":
                return float(question + 1)
            case _:
                return 0.0

    def cut_of(self, threshold: float, missing_left: bool) -> int:
        """Return the rule that a threshold makes: -1 sends no row left, n_cuts every row."""
        question = int(np.searchsorted(self.values, threshold, side="right")) - 1
        if question < 0:
            return -1
        return self.cut_at(question, missing_left) if question < self.n_questions else self.n_cuts

    @property
    def range(self) -> float:
        """x_max - x_min over all rows."""
        return self.values[-1] - self.values[0]

    def gap(self, cut: int) -> float:
        """Distance between the values on either side of a threshold."""
        below, above = self.values[self.question_of(cut) :][:2]
        return above - below

    @cached_property
    def goes_left(self) -> npt.NDArray[np.bool_]:
        """(cut, row): the rows that each rule sends left."""
        return np.array([self.rows_left(cut) for cut in range(self.n_cuts)])

    def rows_left(self, cut: int) -> npt.NDArray[np.bool_]:
        """Which of all rows a rule sends left."""
        is_missing = self.ranks == len(self.values)
        match self.test_of(cut):
            case "at most":
                answer = self.ranks <= self.question_of(cut)
            case "is level":
                answer = self.ranks == self.question_of(cut)
            case "in group":
                answer = (self.question_of(cut) + 1) >> self.ranks & 1 == 1
            case _:
                answer = is_missing
        return np.where(is_missing, self.sends_missing_left(cut), answer)


class Data:
    """All rows and variables."""

    def __init__(self, table: EncodedTable) -> None:
        self.n_rows = table.n_rows
        self.n_classes = table.n_classes
        self.labels = table.labels
        self.variables = [Variable(table, v) for v in range(table.n_variables)]

    @property
    def n_variables(self) -> int:
        """m, the number of variables."""
        return len(self.variables)

    def split(self, rows: Rows, variable: int, cut: int) -> tuple[Rows, Rows]:
        """Divide rows into left and right. A rule outside the range sends all to one side."""
        its = self.variables[variable]
        if 0 <= cut < its.n_cuts:
            goes_left = its.goes_left[cut, rows]
        else:
            goes_left = np.full(len(rows), cut >= its.n_cuts)
        return rows[goes_left], rows[~goes_left]

    def every_nth(self, n: int) -> npt.NDArray[np.bool_]:
        """Tell which rows are in a sample: of each class every n-th, in the order of the table."""
        is_in_sample = np.zeros(self.n_rows, dtype=bool)
        for label in range(self.n_classes):
            is_in_sample[np.flatnonzero(self.labels == label)[::n]] = True
        return is_in_sample

    def class_counts(self, rows: Rows) -> tuple[int, ...]:
        """m_ij: how many of the rows are of each class."""
        return tuple(np.bincount(self.labels[rows], minlength=self.n_classes).tolist())
