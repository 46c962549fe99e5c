"""Models with every kind of column, and reports on them."""

import pytest

from hostile_tables import hostile_table
from mixed_tables import mixed_table
from written_reports import write_report


@pytest.fixture(scope="session")
def mixed(tmp_path_factory):
    """Categories, groups of them, dates, booleans, holes; test rows with an unseen level."""
    table, labels = mixed_table(150)
    table.loc[140, "ward"] = "never seen"
    directory = tmp_path_factory.mktemp("mixed")
    return write_report(directory, table, labels, category_rules="groups", n_draws=40)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("hostile"), *hostile_table(), n_draws=30)
