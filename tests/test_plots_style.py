"""Colours that can be told apart, text that stays text, and a package that loads when asked."""

import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from plotted_models import mixed
from sweeptree import plots
from sweeptree.colours import DARK, LIGHT
from sweeptree.plots.style import DARK_INK, DARK_PAPER, LIGHT_INK, LIGHT_PAPER, palette

SIGHTS = {
    "usual": np.eye(3),
    "without red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "without green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "without blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""How light is seen, in linear RGB (Machado, Oliveira and Fernandes, 2009)."""

TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = np.array([0.9505, 1.0, 1.089])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def light_of(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(colour, other):
    """As the Web Content Accessibility Guidelines define it, from 1 to 21."""
    darker, lighter = sorted(light_of(each) @ TO_XYZ[1] for each in (colour, other))
    return (lighter + 0.05) / (darker + 0.05)


def seen(colour, sight):
    """A colour in CIELAB, in which distances are about as large as they look."""
    xyz = np.array(TO_XYZ) @ np.clip(np.array(SIGHTS[sight]) @ light_of(colour), 0, 1) / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize(
    ("colours", "ink", "paper"),
    [(LIGHT, LIGHT_INK, LIGHT_PAPER), (DARK, DARK_INK, DARK_PAPER)],
    ids=["light", "dark"],
)
def test_colours_stand_out_from_the_page(colours, ink, paper):
    assert min(contrast(colour, paper) for colour in colours) >= 3.0
    assert contrast(ink, paper) >= 7.0


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_told_apart(colours, sight):
    assert len(set(colours)) == 8
    for one, other in combinations(colours, 2):
        assert np.linalg.norm(seen(one, sight) - seen(other, sight)) > 20


def test_the_style_is_that_of_the_page_and_ends():
    before = dict(mpl.rcParams)
    with plots.style(dark=True):
        figure = plots.plot_sizes(mixed().model).figure
        assert palette() == DARK
    assert dict(mpl.rcParams) == before
    assert palette() == LIGHT
    assert figure.get_facecolor()[:3] == to_rgb(DARK_PAPER)
    (ax,) = figure.axes
    assert ax.xaxis.label.get_color() == DARK_INK
    assert ax.patches[0].get_facecolor()[:3] == to_rgb(DARK[0])


def test_a_dark_style_of_matplotlib_is_followed():
    with plt.style.context("dark_background"):
        ax = plots.plot_sizes(mixed().model, Figure().subplots())
    assert ax.patches[0].get_facecolor()[:3] == to_rgb(DARK[0])
    assert ax.lines[0].get_color() == "white"


@pytest.mark.parametrize("dark", [False, True])
def test_text_in_svg_is_text(tmp_path, dark):
    tree = mixed().model.representative_tree("map")
    with plots.style(dark=dark):
        plots.plot_tree(tree).figure.savefig(tmp_path / "tree.svg")
    root = ElementTree.parse(tmp_path / "tree.svg").getroot()
    written = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"yes", "no", tree.columns[tree.variable[0]].name} <= written


@pytest.mark.slow
def test_sweeptree_does_not_load_matplotlib():
    code = "import sys, sweeptree.estimator; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None; import sweeptree.plots"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = run.stderr.strip().splitlines()[-1]
    assert said == 'ImportError: The plots need matplotlib: pip install "sweeptree[plot]".'
