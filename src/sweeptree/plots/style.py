"""The look of plots, on light pages and on dark ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from sweeptree.colours import DARK, LIGHT

LIGHT_PAPER, DARK_PAPER = "#ffffff", "#16181d"
LIGHT_INK, DARK_INK = "#1a1a1a", "#e6e6e6"
FAINT = 0.35
"""Opacity of what stands behind."""


@contextmanager
def style(dark: bool = False) -> Iterator[None]:
    """Draw and save in the colours of a light or of a dark page.

    Text stays text in SVG files, so that it can be searched, selected and read aloud.

    Parameters
    ----------
    dark : bool, default=False

    Examples
    --------
    >>> import io
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(200, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0).fit(X, y)
    >>> picture = io.StringIO()
    >>> with plots.style(dark=True):
    ...     ax = plots.plot_sizes(model)
    ...     ax.figure.savefig(picture, format="svg")
    >>> "number of leaves</text>" in picture.getvalue()
    True
    """
    paper, ink = (DARK_PAPER, DARK_INK) if dark else (LIGHT_PAPER, LIGHT_INK)
    settings: dict[Any, Any] = {
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), paper),
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), ink),
        **dict.fromkeys(("xtick.color", "ytick.color", "hatch.color"), ink),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": "medium",
        "font.size": 9,
        "savefig.dpi": 150,
        "svg.fonttype": "none",
    }
    with mpl.rc_context(settings):
        yield


def ink() -> str:
    """Return the colour of text."""
    return str(mpl.rcParams["text.color"])


def palette() -> tuple[str, ...]:
    """Return the colours that stand out from the page: it is dark where text is light."""
    return DARK if np.mean(to_rgb(ink())) > 0.5 else LIGHT


def rest_colour() -> str:
    """Return the colour of what has none to itself."""
    return palette()[-1]


def colours_of_classes(weights: Sequence[float] | npt.NDArray[Any]) -> dict[int, str]:
    """Colour of each class that has one to itself, by its place.

    If there are more classes than colours, those that weigh most have one.

    Examples
    --------
    >>> sorted(colours_of_classes([1, 1]))
    [0, 1]
    >>> sorted(colours_of_classes([5, 0, 5, 5, 5, 5, 0, 5, 5]))
    [0, 2, 3, 4, 5, 7, 8]
    """
    colours = palette()
    heaviest = np.argsort(-np.asarray(weights, dtype=float), kind="stable")
    if len(heaviest) > len(colours):
        heaviest = heaviest[: len(colours) - 1]
    return dict(zip(sorted(heaviest.tolist()), colours, strict=False))


def probability_colours(place: int, weights: npt.NDArray[Any]) -> LinearSegmentedColormap:
    """From improbable to probable: the colour of the page, and of the class.

    Of two classes the improbable end has the colour of the other, and the page is between them.
    """
    of_classes = colours_of_classes(weights)
    stops = [str(mpl.rcParams["axes.facecolor"]), of_classes.get(place, rest_colour())]
    if len(weights) == 2:
        stops = [of_classes[1 - place], *stops]
    return LinearSegmentedColormap.from_list("probability", stops)
