"""What is written on a figure, and whether any of it collides."""

from itertools import combinations
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

SLACK = 1.0
"""Pixels by which boxes of texts may touch: they include some space around the letters."""


def drawn_texts(figure):
    """Texts that are really drawn, and the box of each in pixels."""
    drawn = []
    draw = Text.draw

    def draw_and_remember(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        return draw(text, renderer, *args, **kwargs)

    with patch.object(Text, "draw", draw_and_remember):
        FigureCanvasAgg(figure).draw()
    return [(text.get_text(), text.get_window_extent()) for text in dict.fromkeys(drawn)]


def collisions(figure):
    """Pairs of texts whose boxes intersect, and texts that stick out of the figure."""
    texts = drawn_texts(figure)
    pairs = [
        (a, b)
        for (a, box), (b, other) in combinations(texts, 2)
        if box.x0 + SLACK < other.x1
        and other.x0 + SLACK < box.x1
        and box.y0 + SLACK < other.y1
        and other.y0 + SLACK < box.y1
    ]
    page = figure.bbox
    outside = [
        words
        for words, box in texts
        if box.x0 < page.x0 - SLACK
        or box.x1 > page.x1 + SLACK
        or box.y0 < page.y0 - SLACK
        or box.y1 > page.y1 + SLACK
    ]
    return pairs, outside
