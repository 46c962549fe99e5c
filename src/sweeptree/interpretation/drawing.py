"""A tree as a picture in SVG: from left to right, one line for each leaf.

Text and lines take the colour of their surroundings, so that the picture can be read on a light and
on a dark page.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import east_asian_width

from sweeptree.colours import EITHER, LIGHT
from sweeptree.names import counted, shortened, visible

if TYPE_CHECKING:
    from sweeptree.interpretation.tree import Tree

LINE_HEIGHT = 30
TOP = 44
"""Space for the title and the legend."""
NARROW = frozenset("ijlIJftr ,./:;|!'()[]-\\")
BROAD = frozenset("mwMW@%&#+<>=^~≤…")
BOLD = 1.15
"""How much wider bold text is."""
LONGEST_NAME = 26
BAR_WIDTH = 64
GAP = 44
"""Between a splitting node and its children: room for the branches and their labels."""


class _Place(NamedTuple):
    x: float
    y: float


def draw_tree(tree: Tree) -> str:
    """Draw a tree."""
    places = _places(tree)
    width = max(
        *(place.x + _width_of(tree, node) for node, place in enumerate(places)),
        *(x for _, x in _legend_places(tree)),
        8 + BOLD * width_of_text(title_of(tree)),
    )
    height = TOP + LINE_HEIGHT * tree.n_leaves
    style = "font: 12px system-ui, sans-serif; color: inherit"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 16:.0f}" height="{height}" '
        f'viewBox="0 0 {width + 16:.0f} {height}" role="img" style="{style}" '
        f'fill="currentColor">',
        f"<title>{escape(title_of(tree))}</title>",
        _text(8, 15, title_of(tree), weight=600),
        *_legend(tree),
        *_branches(tree, places),
    ]
    for node, place in enumerate(places):
        draw = _draw_leaf if tree.variable[node] == -1 else _draw_split
        parts.extend(draw(tree, node, place))
    return "\n".join([*parts, "</svg>"])


def title_of(tree: Tree) -> str:
    """Say what kind of tree it is, and how much it stands for."""
    name = {"map": "Most probable"}.get(tree.kind, tree.kind.capitalize())
    share = f"{100 * tree.speaks_for:.1f} %"
    leaves = counted(tree.n_leaves, "leaf", "leaves")
    return f"{name} tree: {leaves}, gives the same class as {share} of the votes"


def _places(tree: Tree) -> list[_Place]:
    """Leaves on a line each; a splitting node in the middle between its children."""
    n_nodes = len(tree.variable)
    x, y = [8.0] * n_nodes, [0.0] * n_nodes
    for node in range(n_nodes):
        if tree.variable[node] >= 0:
            x[node + 1] = x[tree.right[node]] = x[node] + _width_of(tree, node) + GAP
    n_leaves_before = 0
    for node in range(n_nodes):
        if tree.variable[node] == -1:
            y[node] = TOP + LINE_HEIGHT * (n_leaves_before + 0.5)
            n_leaves_before += 1
    for node in reversed(range(n_nodes)):
        if tree.variable[node] >= 0:
            y[node] = (y[node + 1] + y[tree.right[node]]) / 2
    return [_Place(*place) for place in zip(x, y, strict=True)]


def _question(tree: Tree, node: int) -> str:
    return shortened(tree.question(node).yes.replace("<=", "≤"), LONGEST_NAME)


def _leaf_text(tree: Tree, node: int) -> str:
    return f"{tree.answer(node)}  n = {tree.counts[node].sum()}"


def _width_of(tree: Tree, node: int) -> float:
    if tree.variable[node] == -1:
        return BAR_WIDTH + 8 + width_of_text(_leaf_text(tree, node))
    return width_of_text(_question(tree, node)) + 16


def width_of_text(text: str) -> float:
    """Return the room that a text of 12 pixels needs at most: fonts are not known here.

    Examples
    --------
    >>> width_of_text("will") < width_of_text("mean") < width_of_text("MEAN")
    True
    """
    return sum(map(_width_of_character, text))


def _width_of_character(character: str) -> float:
    """As a broad font has it; letters that are not Latin are often broader still."""
    if character in NARROW:
        return 5.0
    if character in BROAD or east_asian_width(character) in "WF":
        return 12.0
    return 9.5 if character.isupper() or not character.isascii() else 7.7


def _draw_split(tree: Tree, node: int, place: _Place) -> Iterator[str]:
    width = _width_of(tree, node)
    yield (
        f"<g><title>{escape(tree.question(node).yes)} ({escape(tree.rows_in_words(node))})</title>"
        f'<rect x="{place.x:.1f}" y="{place.y - 11:.1f}" width="{width:.1f}" height="22" rx="6" '
        'fill="currentColor" fill-opacity="0.06" stroke="currentColor" stroke-opacity="0.5"/>'
    )
    yield _text(place.x + 8, place.y + 4, _question(tree, node)) + "</g>"


def _draw_leaf(tree: Tree, node: int, place: _Place) -> Iterator[str]:
    yield f"<g><title>{escape(tree.rows_in_words(node))}</title>"
    x = place.x
    for each, probability in enumerate(tree.probabilities[node]):
        width = BAR_WIDTH * probability
        yield (
            f'<rect x="{x:.2f}" y="{place.y - 7:.1f}" width="{width:.2f}" height="14" '
            f"{_filled(each)}/>"
        )
        x += width
    yield _text(place.x + BAR_WIDTH + 8, place.y + 4, _leaf_text(tree, node)) + "</g>"


def _branches(tree: Tree, places: list[_Place]) -> Iterator[str]:
    for node, place in enumerate(places):
        if tree.variable[node] == -1:
            continue
        start = place.x + _width_of(tree, node)
        for child, word in ((node + 1, "yes"), (tree.right[node], "no")):
            end = places[child]
            yield (
                f'<path d="M{start:.1f} {place.y:.1f} C{start + 14:.1f} {place.y:.1f} '
                f'{start + 4:.1f} {end.y:.1f} {start + 18:.1f} {end.y:.1f} H{end.x:.1f}" '
                'fill="none" stroke="currentColor" stroke-opacity="0.5"/>'
            )
            yield _text(start + 20, end.y - 3, word, size=10)


def _legend(tree: Tree) -> Iterator[str]:
    entries = zip(_legend_places(tree), _legend_labels(tree), strict=True)
    for each, ((x, _), label) in enumerate(entries):
        yield f'<rect x="{x:.1f}" y="24" width="10" height="10" {_filled(each)}/>'
        yield _text(x + 14, 33, label)


def _legend_labels(tree: Tree) -> list[str]:
    """Name what the colours stand for; classes for which there is none left share the last."""
    labels = [shortened(visible(str(label)), LONGEST_NAME) for label in tree.classes.tolist()]
    if len(labels) <= len(LIGHT):
        return labels
    return [*labels[: len(LIGHT) - 1], "other classes"]


def _legend_places(tree: Tree) -> list[tuple[float, float]]:
    """Where each entry of the legend starts and ends."""
    places, start = [], 8.0
    for label in _legend_labels(tree):
        end = start + 14 + width_of_text(label) + 16
        places.append((start, end))
        start = end
    return places


def _filled(each: int) -> str:
    """Give a shape the colour of a class; who knows no schemes takes that of light pages."""
    place = min(each, len(LIGHT) - 1)
    return f'fill="{LIGHT[place]}" style="fill: {EITHER[place]}"'


def _text(x: float, y: float, words: str, size: int = 12, weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'xml:space="preserve">{escape(words)}</text>'
    )
