"""Reports to look into."""

import json
import re
from typing import NamedTuple

import pytest

from explained_models import fit


class Reported(NamedTuple):
    """A model, the rows that it is reported on, and the report."""

    model: object
    X_test: object
    y_test: object
    path: object

    @property
    def text(self):
        return self.path.read_text(encoding="utf-8")

    @property
    def data(self):
        return data_of(self.text)


def data_of(text):
    """What the page's script works on."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found[1], parse_constant=pytest.fail)


def write_report(directory, table, labels, **parameters):
    n_train = len(table) * 2 // 3
    model = fit(table[:n_train], labels[:n_train], **parameters)
    X_test, y_test = table[n_train:].copy(), labels[n_train:]
    path = directory / "report.html"
    model.report(path, X_test, y_test)
    return Reported(model, X_test, y_test, path)
