"""A small table with every kind of column, and holes."""

import numpy as np
import pandas as pd


def mixed_table(n_rows=200, seed=0):
    """A frame and labels that depend on a level, on a number, and on what is missing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(50, 12, n_rows).round(1),
            "ward": rng.choice(list("ABCDE"), n_rows),
            "smoker": rng.random(n_rows) < 0.3,
            "admitted": pd.Timestamp("2023-01-01")
            + pd.to_timedelta(rng.integers(0, 700, n_rows), unit="D"),
            "stage": pd.Categorical(rng.choice(["I", "II", "III"], n_rows)),
            "dose": rng.normal(size=n_rows).round(2),
        }
    )
    risk = 0.1 + 0.6 * ((table["ward"] == "C") | (table["age"] > 60)) * (table["stage"] != "I")
    y = np.where(rng.random(n_rows) < risk, "ill", "well")
    table.loc[rng.random(n_rows) < 0.2, "age"] = np.nan
    table.loc[(y == "ill") & (rng.random(n_rows) < 0.5), "dose"] = np.nan
    table.loc[rng.random(n_rows) < 0.1, "stage"] = None
    return table, y
