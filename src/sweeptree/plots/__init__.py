"""Pictures of a fitted model: how it was sampled, its trees, and how far to trust it.

Each function takes a fitted model first, draws on the Axes given or on new ones, and returns them.
Text and lines take matplotlib's own colours; `style` sets these for light and for dark pages.
"""

try:
    import matplotlib as mpl
except ModuleNotFoundError as error:
    if error.name != "matplotlib":
        raise
    raise ImportError('The plots need matplotlib: pip install "sweeptree[plot]".') from None

from sweeptree.plots.cases import plot_case
from sweeptree.plots.chains import plot_moves, plot_sizes, plot_trace
from sweeptree.plots.dependence import plot_partial_dependence
from sweeptree.plots.partition import plot_partition
from sweeptree.plots.style import style
from sweeptree.plots.trees import plot_tree
from sweeptree.plots.trust import plot_calibration, plot_coverage, plot_entropy, plot_envelope
from sweeptree.plots.variables import plot_rule_density, plot_variable_use

del mpl

__all__ = [
    "plot_calibration",
    "plot_case",
    "plot_coverage",
    "plot_entropy",
    "plot_envelope",
    "plot_moves",
    "plot_partial_dependence",
    "plot_partition",
    "plot_rule_density",
    "plot_sizes",
    "plot_trace",
    "plot_tree",
    "plot_variable_use",
    "style",
]
