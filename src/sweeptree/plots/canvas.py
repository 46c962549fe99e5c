"""Axes to draw on, and words on them that do not collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.dates
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.patches import Patch

from sweeptree.columns import DAY, Column
from sweeptree.encoding import FloatArray

AxesArray = npt.NDArray[np.object_]
dates: Any = matplotlib.dates  # which has no types

LONGEST_NAME = 26
MOST_LEVELS = 20
LINE = 1.35
"""Height of a line of text, in font sizes."""


def one_axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the Axes given, or new ones of a size in inches."""
    if ax is None:
        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    return _checked("ax", ax)


def several_axes(
    axes: Any, n: int, width: float, height: float, *, side_by_side: bool = False, **shared: Any
) -> AxesArray:
    """Return the Axes given, or new ones, below each other or side by side."""
    if axes is None:
        shape = (1, n) if side_by_side else (n, 1)
        made = plt.subplots(
            *shape, figsize=(width, height), layout="constrained", squeeze=False, **shared
        )[1]
        return np.array(made, dtype=object).ravel()
    given = np.array(axes, dtype=object).ravel()
    if len(given) != n:
        raise ValueError(f"axes must be {n} matplotlib Axes, got {len(given)}.")
    for ax in given:
        _checked("axes", ax)
    return given


def _checked(name: str, ax: Any) -> Axes:
    if not isinstance(ax, Axes):
        raise TypeError(f"{name} must be matplotlib Axes, got {type(ax).__name__}.")
    return ax


def as_label(name: Any, longest: int = LONGEST_NAME) -> str:
    r"""Write a name on one line, shortened in the middle, so that matplotlib shows it as it is.

    Examples
    --------
    >>> as_label("concentration in blood, mg per litre", 20)
    'concentra…per litre'
    >>> as_label("cost in $")
    'cost in \\$'
    """
    words = " ".join(str(name).split())
    if len(words) > longest:
        half = (longest - 1) // 2
        words = f"{words[:half]}…{words[-half:]}"
    words = words.replace("$", r"\$")  # else the start of a formula
    return f" {words}" if words.startswith("_") else words  # legends leave out those with _


def lines_that_fit(ax: Axes, most: int, *, across: bool = False) -> int:
    """How many lines of text have room along the height of the Axes, or across; at most so many."""
    extent = ax.get_window_extent()
    room = (extent.width if across else extent.height) * 72 / ax.figure.dpi
    return int(np.clip(0.8 * room / (LINE * float(plt.rcParams["font.size"])), 1, most))


def height_for(n_lines: int) -> float:
    """Inches of a figure on which so many lines of text can stand below each other."""
    return max(2.6, 1.2 + n_lines * 2 * float(plt.rcParams["font.size"]) / 72)


def add_legend(ax: Axes, entries: Sequence[tuple[str, str]], title: str | None = None) -> None:
    """Name colours, beside the Axes where the figure makes room for that, else on them."""
    makes_room = ax.figure.get_layout_engine() is not None
    place: dict[str, Any] = (
        {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if makes_room else {"loc": "best"}
    )
    handles = [Patch(facecolor=colour) for colour, _ in entries]
    labels = [label for _, label in entries]
    ax.legend(handles, labels, title=title, frameon=False, fontsize="small", **place)


def class_entries(
    classes: npt.NDArray[Any], colours: dict[int, str], rest: str | None = None
) -> list[tuple[str, str]]:
    """Colour and label of each class that has a colour, and of the rest if there is any."""
    labels = classes.tolist()
    entries = [(colour, as_label(labels[place])) for place, colour in colours.items()]
    n_rest = len(labels) - len(colours)
    return [*entries, (rest, f"{n_rest} other classes")] if rest and n_rest else entries


def positions(column: Column, values: FloatArray) -> FloatArray:
    """Where values of an ordered column stand on an axis: matplotlib counts days, from 1970 too."""
    return values / DAY if column.kind == "date" else values


def name_axis(axis: Axis, column: Column, label: str | None = None) -> None:
    """Write the column's name, and its values as the user knows them."""
    axis.set_label_text(label or as_label(column.name))
    if column.kind == "date":
        locator = dates.AutoDateLocator(minticks=2, maxticks=5)
        axis.set_major_locator(locator)
        axis.set_major_formatter(dates.AutoDateFormatter(locator))
    elif column.kind == "boolean":
        axis.set_ticks([0, 1], labels=["False", "True"])


def left_out(n: int, what: str) -> str:
    """Say on a line of its own how many are not shown; nothing if all are."""
    return f"\n{n} {what} left out" if n > 0 else ""
