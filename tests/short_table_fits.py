"""Models of tables that are fitted in no time, and every make of table."""

import polars as pl

from sweeptree import BayesianTreeClassifier


def short(**parameters):
    lengths = {"n_burn_in": 2000, "n_draws": 50, "thin": 10, "n_chains": 2, "random_state": 0}
    return BayesianTreeClassifier(**{**lengths, **parameters})


MAKES = {
    "pandas": lambda table: table,
    "pandas, nullable": lambda table: table.convert_dtypes(),
    "polars": pl.from_pandas,
    "Arrow": lambda table: pl.from_pandas(table).to_arrow(),
    "mapping": lambda table: {name: table[name].to_numpy() for name in table},
    "mapping of lists": lambda table: {name: table[name].tolist() for name in table},
}
