"""What pages take for granted: the names that their code uses without defining them.

Models are fitted in no time, so that a page is about its calls and not about its figures.
"""

import warnings

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

import sweeptree
from mixed_tables import mixed_table
from short_fits import short
from sweeptree.datasets import load_injury, load_wisconsin, make_xor3
from sweeptree.uncertainty import AbstainingClassifier


def fit_briefly(X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return short(**parameters).fit(X, y)


def injury():
    """The synthetic Injury data as the pages have them: 1,000 cases to fit, 468 held out."""
    data = load_injury(as_frame=True)
    y = data.target_names[data.target]
    return {
        "X": data.data[:1000],
        "y": y[:1000],
        "X_test": data.data[1000:],
        "y_test": y[1000:],
        "model": fit_briefly(data.data[:1000], y[:1000]),
    }


def patients():
    table, outcome = mixed_table(400)
    return {"table": table, "outcome": outcome}


def two_models():
    X, y = load_wisconsin(return_X_y=True)
    models = {"model": fit_briefly(X, y), "other": fit_briefly(X, y, strategy="sweeping")}
    return {"X": X, "y": y, **models}


def xor():
    X, y = make_xor3(200, random_state=0, return_X_y=True)
    return {"X": X, "y": y, "BayesianTreeClassifier": sweeptree.BayesianTreeClassifier}


def many_rows():
    """A Dask frame that is large enough to fit a two-hundredth of it."""
    import dask.dataframe as dd

    X, y = make_xor3(10_000, random_state=0, return_X_y=True)
    rows = pd.DataFrame(X, columns=["a", "b", "c"]).assign(outcome=y)
    return {**xor(), "rows": dd.from_pandas(rows, npartitions=2)}


PRELUDES = {
    "README.md": patients,
    "docs/abstaining.md": injury,
    "docs/arviz.md": two_models,
    "docs/checkpoints.md": xor,
    "docs/explaining.md": injury,
    "docs/files.md": lambda: {**injury(), "sweeptree": sweeptree},
    "docs/plots.md": lambda: {**injury(), "plt": plt},
    "docs/report.md": injury,
    "docs/saving.md": injury,
    "docs/scaling.md": many_rows,
    "docs/uncertainty.md": lambda: {**injury(), "AbstainingClassifier": AbstainingClassifier},
}
