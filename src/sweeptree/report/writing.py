"""The report as a file: a page, its style, its script and its data, in one."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from sweeptree.colours import EITHER
from sweeptree.fitted import FittedModel, check_fitted
from sweeptree.interpretation.dependence import MOST_ROWS
from sweeptree.progress import is_wanted, working
from sweeptree.report.cases import cases
from sweeptree.report.doubts import doubts
from sweeptree.report.evidence import Evidence, gather_evidence
from sweeptree.report.forest import forest_record
from sweeptree.report.overview import overview
from sweeptree.report.sampler import run_facts, traces
from sweeptree.report.variables import variables
from sweeptree.writing import write_atomically

SCRIPTS = ("maths", "elements", "forest", "charts", "viewer", "figures", "cases", "what_if", "main")
"""In the order in which they stand on the page."""

ESCAPES: dict[str, str | int | None] = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""So that no name can end the element that holds the data; JSON reads them as they were."""


def report(
    model: FittedModel, path: str | os.PathLike[str], X_test: Any = None, y_test: Any = None
) -> None:
    """Write all about the fitted model to one HTML file.

    The file needs nothing else, loads nothing, and can be sent around: trees to walk through,
    variables, uncertainty, single cases, what would be predicted if they were different, and how
    the chains ran. It is there as a whole or not at all.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    path : str or path
        Where to write; directories above it are made where they are missing.
    X_test : table of shape (n_rows, n_columns), default=None
        Rows that the model has not seen. None: the training rows serve as cases, and nothing is
        said of how good the predictions are.
    y_test : array-like of shape (n_rows,), default=None
        Their classes, if they are known.

    Notes
    -----
    The file holds rows of the table: up to 60 cases with all their values. Whoever can open it can
    read these.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(300, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=20, random_state=0).fit(X[:200], y[:200])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model.report(f"{directory}/report.html", X[200:], y[200:])
    ...     Path(directory, "report.html").read_text()[:15]
    '<!DOCTYPE html>'
    """
    check_fitted(model)
    evidence = gather_evidence(model, X_test, y_test)
    with working("Writing the report …", is_shown=is_wanted(model.progress)):
        write_atomically(Path(path), _page(evidence))


def _page(evidence: Evidence) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sweeptree.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _script()
    style = _asset("style.css")
    data = _data(evidence)
    return environment.get_template("page.html.jinja").render(
        script=script,
        script_hash=hash_of(script),
        style=style,
        style_hash=hash_of(style),
        data=as_inert_json(data),
        has_training=evidence.has_training,
        has_test=evidence.test_rows is not None,
        has_truth=evidence.test_labels is not None,
        overview=overview(evidence),
        sampler=run_facts(evidence),
        n_curves=len(data["variables"]["curves"]),
        n_training=evidence.n_training,
        n_rows_of_curves=min(MOST_ROWS, evidence.n_training),
        n_draws=evidence.model.posterior_.tree_index.size,
        n_draws_of_curves=evidence.quick_model.posterior_.tree_index.size,
    )


def _data(evidence: Evidence) -> dict[str, Any]:
    """Gather all that the script shows."""
    model = evidence.model
    return {
        "classes": [str(label) for label in model.classes_.tolist()],
        "colours": EITHER,
        "columns": [
            {"name": column.name, "kind": column.kind, "levels": [str(x) for x in column.levels]}
            for column in model.columns_
        ],
        "forest": forest_record(model, evidence.page_model, evidence.has_training),
        "variables": variables(evidence),
        "doubts": doubts(evidence),
        "cases": cases(evidence),
        "traces": traces(evidence),
    }


def as_inert_json(record: Any) -> str:
    r"""Write a record as JSON that is safe inside an HTML page, whatever its strings hold.

    Examples
    --------
    >>> as_inert_json({"name": "</script> & \u2028"})
    '{"name":"\\u003c/script\\u003e \\u0026 \\u2028"}'
    """
    text = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(str.maketrans(ESCAPES))


def hash_of(text: str) -> str:
    """Return the hash by which a page allows a script or a style, and no other.

    Examples
    --------
    >>> hash_of("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _script() -> str:
    """Return all scripts as one that leaves no names behind but those it means to."""
    parts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _asset(name: str) -> str:
    return files("sweeptree.report").joinpath("page", name).read_text(encoding="utf-8")
