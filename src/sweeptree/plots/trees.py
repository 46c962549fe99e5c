"""One tree on Axes: from left to right, one line for each leaf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import BoxStyle, FancyBboxPatch, Rectangle

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.interpretation import Tree, representative_tree
from sweeptree.interpretation.drawing import title_of
from sweeptree.plots.canvas import as_label, class_entries, one_axes
from sweeptree.plots.style import colours_of_classes, ink, rest_colour

LONGEST_LINE = 20
"""Characters of a name in a node."""

# Lengths, in font sizes.
LINE = 1.2
BAR = 0.5
BLOCK = 2 * LINE + BAR + 0.2
"""Two lines of text and a bar."""
PAD = 0.6
ROW = BLOCK + PAD + 0.35
"""From one leaf to the next."""
GAP = 3.4
"""Between a node and its children: room for the branches and their labels."""


def plot_tree(tree: Tree | FittedModel, kind: str = "map", ax: Axes | None = None) -> Axes:
    """Draw a tree: what it asks, and what it answers.

    The left child, where the answer is yes, is the upper one. Each node has a bar with the
    probabilities of the classes, were it a leaf; a leaf says its most probable class, the
    probability with its 95 % interval, and its training rows. New Axes are as large as the tree
    needs; on Axes that are given, the text is as small as it must be for the tree to fit.

    Parameters
    ----------
    tree : Tree or BayesianTreeClassifier
        What to draw; of a fitted model a representative tree.
    kind : {"map", "confident", "central"}, default="map"
        Which tree of a model, as in `representative_tree`.
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> data = load_wisconsin(as_frame=True)
    >>> model = BayesianTreeClassifier(leaf_penalty=2, n_burn_in=5000, n_draws=100, random_state=0)
    >>> tree = model.fit(data.data, data.target).representative_tree("map")
    >>> ax = plots.plot_tree(tree)
    >>> words = {text.get_text() for text in ax.texts}
    >>> tree.question(0).yes.partition(" ")[0] in words
    True
    """
    shown = tree if isinstance(tree, Tree) else representative_tree(tree, kind)
    is_new = ax is None
    ax = one_axes(ax)
    ax.set_axis_off()
    colours = colours_of_classes(shown.counts[0])
    layout = _lay_out(shown, colours, ax)
    if is_new:
        figure = ax.figure.canvas.figure
        figure.set_layout_engine("none")
        figure.set_size_inches(layout.width / 72, layout.height / 72)
        ax.set_position((0, 0, 1, 1))
    pen = _Pen.fitting(ax, layout)
    _draw_head(pen, layout)
    _draw_branches(pen, shown, layout)
    for node, box in enumerate(layout.boxes):
        _draw_node(pen, box, is_leaf=shown.variable[node] == -1)
        _draw_shares(pen, box, shown.probabilities[node], colours)
    return ax


class _Box(NamedTuple):
    """A node, in points."""

    x: float
    """Of its left side."""
    y: float
    """Of its middle, downwards from the top."""
    width: float
    lines: tuple[str, str]


class _Entry(NamedTuple):
    """A colour in the legend."""

    x: float
    y: float
    colour: str
    label: str


class _Layout(NamedTuple):
    """Where everything stands, in points at full size."""

    title: str
    entries: list[_Entry]
    boxes: list[_Box]
    width: float
    height: float


def _lay_out(tree: Tree, colours: dict[int, str], ax: Axes) -> _Layout:
    size = font_size()
    lines = [_lines_of(tree, node) for node in range(len(tree.variable))]
    legend = class_entries(tree.classes, colours, rest_colour())
    title = as_label(title_of(tree), 200)
    words = {title, *(line for pair in lines for line in pair), *(label for _, label in legend)}
    width_of = _measure(ax, words, size)
    widths = [max(width_of[line] for line in pair) + 2 * PAD * size for pair in lines]
    x = _lefts(tree, widths, size)
    width = max(
        width_of[title] + 2 * size,
        *(left + each + PAD * size for left, each in zip(x, widths, strict=True)),
    )
    entries = _place_entries(legend, width_of, width, size)
    head = entries[-1].y + 1.5 * size
    y = _middles(tree, head, ROW * size)
    boxes = [_Box(*each) for each in zip(x, y, widths, lines, strict=True)]
    return _Layout(title, entries, boxes, width, head + tree.n_leaves * ROW * size + size)


def font_size() -> float:
    """Size of text, in points."""
    return float(plt.rcParams["font.size"])


def _lines_of(tree: Tree, node: int) -> tuple[str, str]:
    """Name and relation of a question; class and probability of an answer."""
    if tree.variable[node] >= 0:
        name, words = tree.columns[tree.variable[node]].name, tree.question(node).yes
        relation = words[len(name) + 1 :].replace("<=", "≤")
        return as_label(name, LONGEST_LINE), as_label(relation, LONGEST_LINE)
    label = str(tree.classes[tree.probabilities[node].argmax()])
    probability = tree.answer(node)[len(label) + 1 :]
    return as_label(label, LONGEST_LINE), f"{probability}  n = {tree.counts[node].sum()}"


def _measure(ax: Axes, words: Iterable[str], size: float) -> dict[str, float]:
    """Width of each text, in points, as the renderer has it."""
    probe = ax.figure.text(0, 0, "", fontsize=size)
    widths = {}
    for each in words:
        probe.set_text(each)
        widths[each] = probe.get_window_extent().width * 72 / ax.figure.dpi
    probe.remove()
    return widths


def _lefts(tree: Tree, widths: list[float], size: float) -> list[float]:
    """Left side of each node: beyond its parent."""
    x = [PAD * size] * len(widths)
    for node, right in enumerate(tree.right):
        if right >= 0:
            x[node + 1] = x[right] = x[node] + widths[node] + GAP * size
    return x


def _middles(tree: Tree, top: float, row: float) -> list[float]:
    """Leaves on a line each; a splitting node in the middle between its children."""
    is_leaf = tree.variable == -1
    y = (top + row * (np.cumsum(is_leaf) - 0.5)).tolist()
    for node in np.flatnonzero(~is_leaf)[::-1]:
        y[node] = (y[node + 1] + y[tree.right[node]]) / 2
    return list(y)


def _place_entries(
    legend: Sequence[tuple[str, str]], width_of: dict[str, float], width: float, size: float
) -> list[_Entry]:
    """Put the legend below the title, on as many lines as it needs."""
    x, y, entries = size, 3.2 * size, []
    for colour, label in legend:
        needed = width_of[label] + 3.5 * size
        if x + needed > width and x > size:
            x, y = size, y + 1.6 * size
        entries.append(_Entry(x, y, colour, label))
        x += needed
    return entries


class _Pen(NamedTuple):
    """Draws on Axes whose unit is a point at full size."""

    ax: Axes
    scale: float
    size: float

    @classmethod
    def fitting(cls, ax: Axes, layout: _Layout) -> _Pen:
        """Make the units of the Axes such that the layout fits on them."""
        figure = ax.figure.canvas.figure
        figure.draw_without_rendering()  # layouts settle the size of Axes only now
        extent = ax.get_window_extent()
        width, height = (side * 72 / figure.dpi for side in (extent.width, extent.height))
        scale = min(1.0, width / layout.width, height / layout.height)
        ax.set(xlim=(0, width / scale), ylim=(height / scale, 0))
        return cls(ax, scale, font_size())

    def write(self, x: float, y: float, words: str, size: float = 1.0, **how: Any) -> None:
        """Write a line, its middle at a height; the size is relative."""
        points = self.size * self.scale * size
        text = self.ax.text(x, y, words, fontsize=points, va="center_baseline", **how)
        text.set_in_layout(False)

    def paint(self, x: float, y: float, width: float, height: float, **how: Any) -> None:
        """Fill a rectangle, from its upper left corner."""
        self.ax.add_patch(Rectangle((x, y), width, height, linewidth=0, **how))


def _draw_head(pen: _Pen, layout: _Layout) -> None:
    size = pen.size
    pen.write(size, 1.2 * size, layout.title)
    for entry in layout.entries:
        pen.paint(entry.x, entry.y - size / 2, size, size, facecolor=entry.colour)
        pen.write(entry.x + 1.5 * size, entry.y, entry.label)


def _draw_branches(pen: _Pen, tree: Tree, layout: _Layout) -> None:
    lines = []
    for node, right in enumerate(tree.right):
        if right < 0:
            continue
        parent = layout.boxes[node]
        start = parent.x + parent.width
        bend = start + 0.7 * pen.size
        for child, word in ((layout.boxes[node + 1], "yes"), (layout.boxes[right], "no")):
            lines.append([(start, parent.y), (bend, parent.y), (bend, child.y), (child.x, child.y)])
            pen.write(bend + 0.4 * pen.size, child.y - 0.6 * pen.size, word, 0.8)
    pen.ax.add_collection(
        LineCollection(lines, colors=ink(), alpha=0.5, linewidths=pen.scale), autolim=False
    )


def _draw_node(pen: _Pen, box: _Box, is_leaf: bool) -> None:
    size = pen.size
    top = box.y - BLOCK * size / 2
    if not is_leaf:
        corner = (box.x, top - PAD * size / 2)
        outline = FancyBboxPatch(
            corner,
            box.width,
            (BLOCK + PAD) * size,
            boxstyle=BoxStyle.Round(pad=0, rounding_size=0.5 * size),
            facecolor="none",
            edgecolor=ink(),
            alpha=0.5,
            linewidth=pen.scale,
        )
        pen.ax.add_patch(outline)
    for place, words in enumerate(box.lines):
        pen.write(box.x + PAD * size, top + (place + 0.5) * LINE * size, words)


def _draw_shares(pen: _Pen, box: _Box, probabilities: FloatArray, colours: dict[int, str]) -> None:
    size = pen.size
    x, y = box.x + PAD * size, box.y + (BLOCK / 2 - BAR) * size
    for place, probability in enumerate(probabilities.tolist()):
        width = probability * (box.width - 2 * PAD * size)
        colour = colours.get(place, rest_colour())
        pen.paint(x, y, width, BAR * size, facecolor=colour)
        x += width
