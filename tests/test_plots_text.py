"""Whatever the names and however many, what is written can be read."""

from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from drawn_texts import collisions
from explained_models import fit
from plotted_models import (
    PLOTS,
    by_column,
    mixed,
    odd,
    of_many_chains,
    of_one_draw,
    partition,
    thirty_leaves,
    wide,
    without_splits,
)
from sweeptree import plots

QUICK = ("map tree", "variable use", "case", "trace")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def sweep(columns):
    """Every plot, and those of columns for each; the quick ones are not marked as slow."""
    every = dict(PLOTS)
    for column in columns:
        every |= {f"{name} of {column}": plot for name, plot in by_column(column).items()}
        others = [other for other in columns if other != column]
        every |= {f"partition {column} {other}": partition(column, other) for other in others}
    return [
        pytest.param(plot, id=name, marks=[] if name in QUICK else [pytest.mark.slow])
        for name, plot in every.items()
    ]


def figure_of(drawn):
    return np.ravel(drawn)[0].figure


def test_texts_that_collide_are_found():
    figure = Figure()
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.5, "upon another")
    figure.text(0.1, 0.9, "apart")
    figure.text(0.99, 0.1, "over the edge")
    figure.text(0.5, 0.5, "unseen", visible=False)
    pairs, outside = collisions(figure)
    assert pairs == [("one", "upon another")]
    assert outside == ["over the edge"]


@pytest.mark.parametrize("plot", sweep([0, 1, 2]))
def test_no_words_collide_with_60_columns_25_classes_and_long_names(plot):
    assert collisions(figure_of(plot(*wide()))) == ([], [])


@pytest.mark.parametrize("plot", sweep(range(6)))
def test_no_words_collide_for_a_mixed_table(plot):
    assert collisions(figure_of(plot(*mixed()))) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "plot",
    [each for each in sweep(range(5)) if each.id != "rule density of 0"],  # which is constant
)
def test_odd_columns_are_drawn(plot):
    assert collisions(figure_of(plot(*odd()))) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("plot", sweep([0, 1]))
@pytest.mark.parametrize("which", [without_splits, of_one_draw, of_many_chains])
def test_models_with_little_to_show_are_drawn(plot, which):
    assert collisions(figure_of(plot(*which()))) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("plot", sweep([0, 1]))
def test_no_words_collide_in_the_style_for_dark_pages(plot):
    with plots.style(dark=True):
        assert collisions(figure_of(plot(*wide()))) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("which", [wide, mixed])
def test_no_words_collide_on_small_axes_that_are_given(which):
    model, X, y = which()
    figure = Figure((15, 9), layout="constrained")
    axes = figure.subplots(2, 3)
    plots.plot_variable_use(model, ax=axes[0, 0])
    plots.plot_rule_density(model, 0, ax=axes[0, 1])
    plots.plot_entropy(model, X, y, ax=axes[0, 2])
    plots.plot_coverage(model, X, y, ax=axes[1, 0])
    plots.plot_sizes(model, ax=axes[1, 1])
    plots.plot_envelope(model, X, y, ax=axes[1, 2])
    assert collisions(figure) == ([], [])


@pytest.mark.parametrize(
    "size", [None, *(pytest.param(size, marks=pytest.mark.slow) for size in ((10, 7), (4, 4)))]
)
def test_a_tree_with_thirty_leaves_can_be_read(size):
    tree = thirty_leaves()
    assert tree.n_leaves >= 30
    ax = plots.plot_tree(tree, ax=Figure(size).subplots() if size else None)
    assert collisions(ax.figure) == ([], [])
    assert len(ax.texts) > 4 * 30
    if size is None:
        assert min(text.get_fontsize() for text in ax.texts) > 7.99
        assert max(ax.figure.get_size_inches()) < 30


def test_names_are_shown_as_they_are(tmp_path):
    """Dollars make no formulas; names that begin with _ are in the legend."""
    X = mixed().X
    renamed = X.rename(columns={"age": "price in $ and $"})
    labels = np.where(X["age"] > 50, "_old $a$", "_young")
    fitted = fit(renamed, labels)
    with plots.style():
        ax = plots.plot_tree(fitted)
        ax.figure.savefig(tmp_path / "tree.svg")
        axes = plots.plot_case(fitted, renamed.iloc[0])
        axes.figure.savefig(tmp_path / "case.svg")
    assert "price in $ and $" in texts_of(tmp_path / "tree.svg")
    written = " ".join(texts_of(tmp_path / "case.svg"))
    assert "_old $a$" in written
    assert "_young" in written


def texts_of(path):
    elements = ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in elements]
