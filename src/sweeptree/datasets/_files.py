"""Access to the files shipped with the package."""

import csv
from importlib import resources

DATA_MODULE = "sweeptree.datasets.files"


def read_rows(filename: str) -> list[list[str]]:
    """Return the rows of a CSV file, header first."""
    path = resources.files(DATA_MODULE) / filename
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def read_description(name: str) -> str:
    """Return the description of the data set called `name`."""
    return (resources.files(DATA_MODULE) / f"{name}.rst").read_text(encoding="utf-8")
