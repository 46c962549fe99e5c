"""The report as a file: what is in it, and what is not."""

import os
import re
import sys
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from html.parser import HTMLParser
from threading import Thread

import numpy as np
import pandas as pd
import pytest

import sweeptree
from explained_models import fit, four_classes
from hostile_tables import LABELS, LEVELS, NAMES
from mixed_tables import mixed_table
from sweeptree.prediction import mean_probabilities
from sweeptree.report.evidence import gather_evidence
from sweeptree.report.overview import overview
from sweeptree.report.subset import draws_that_fit, error_of_subset, with_fewer_draws
from sweeptree.report.writing import hash_of
from sweeptree.uncertainty import envelope
from written_reports import data_of, write_report


class Page(HTMLParser):
    """The elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]


def policy_of(page):
    metas = [attributes for tag, attributes in page.elements if tag == "meta"]
    return next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy")


def between(text, start, end):
    return text.split(start)[-1].split(end)[0]


def test_only_its_own_script_and_style_are_allowed(mixed):
    policy = policy_of(Page(mixed.text))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert hash_of(between(mixed.text, "<script>", "</script>")) in policy
    assert hash_of(between(mixed.text, "<style>", "</style>")) in policy


def test_it_loads_nothing(mixed):
    page = Page(mixed.text)
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    assert len(page.ids) == len(set(page.ids))


@pytest.mark.parametrize("part", ["overview", "trees", "variables", "uncertainty", "cases"])
def test_every_section_has_a_heading(mixed, part):
    assert f'<section id="{part}" aria-labelledby="{part}-title">' in mixed.text
    assert f'<h2 id="{part}-title">' in mixed.text


def test_hostile_names_stay_text(hostile):
    page = Page(hostile.text)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    assert tags.count("style") == 1
    assert not {"img", "b"} & set(tags)
    shown = hostile.text.split("<script")[0]
    assert shown.count("{{") == shown.count("{{ 7 * 7 }}")  # part of a name
    raw = between(hostile.text, 'id="data">', "</script>").split("</script>")[0]
    for sign in ("<", ">", "&", "\u2028", "\u2029"):
        assert sign not in raw
    assert [column["name"] for column in hostile.data["columns"]] == NAMES
    assert hostile.data["columns"][-1]["levels"] == sorted(LEVELS)
    assert hostile.data["classes"] == sorted(LABELS)


@pytest.mark.slow
def test_the_same_model_makes_the_same_file(mixed, tmp_path):
    mixed.model.report(tmp_path / "again.html", mixed.X_test, mixed.y_test)
    assert (tmp_path / "again.html").read_bytes() == mixed.path.read_bytes()


def test_the_envelope_counts_what_the_library_counts(mixed):
    by_agreement = np.array(mixed.data["doubts"]["envelope"])
    for confidence in (0.5, 0.8, 0.9, 0.99, 1.0):
        is_confident = by_agreement[:, 0] >= round(1000 * confidence)
        found = envelope(mixed.model, mixed.X_test, mixed.y_test, confidence)
        assert by_agreement[is_confident, 1].sum() == found.n_confident_correct
        assert by_agreement[is_confident, 2].sum() == found.n_confident_incorrect


def overview_of_noise(labels_of_test):
    """The overview of a model of classes that do not depend on the columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120 + len(labels_of_test), 2))
    y = np.array(["home"] * 90 + ["moved"] * 29 + ["died"])
    model = fit(X[:120], y, n_draws=30)
    return overview(gather_evidence(model, X[120:], np.array(labels_of_test)))


def test_predictions_no_better_than_the_class_shares_are_called_so(mixed):
    found = overview_of_noise(["home"] * 30 + ["moved"] * 10)
    words = "not clearly better than the baseline"
    assert any(words in care for care in found["cares"])
    assert words not in mixed.text
    assert found["scores"][0]["baseline"] == "baseline 75.0 %"
    of_shares = -(0.75 * np.log(90 / 120) + 0.25 * np.log(29 / 120))
    assert found["scores"][1]["baseline"] == f"baseline {of_shares:.3f}"


def test_one_row_is_spoken_of_as_one(mixed):
    cares = overview_of_noise(["home"] * 30 + ["died"])["cares"]
    assert "Only 1 training row is of class died." in cares
    assert "The only test row of class died is not recognised." in cares


def test_it_says_what_is_predicted_and_from_how_many_rows(mixed):
    labels = " or ".join(mixed.model.classes_.tolist())
    assert f"<title>{labels}: sweeptree report</title>" in mixed.text
    assert f"Predicts <strong>{labels}</strong>; 100 training rows, 50 test rows." in mixed.text


@pytest.mark.parametrize(
    ("seed", "stopped_by", "words"),
    [
        (0, "n_draws", "On the same rows this gives the same draws."),
        (None, "n_draws", "of the same kind: no seed was given (random_state)."),
        (0, "max_seconds", "of the same kind: the limit of time (max_seconds) stopped the chains."),
        (0, "interrupted", "of the same kind: Ctrl-C stopped the chains."),
        (None, "max_seconds", "(random_state), and the limit of time (max_seconds) stopped"),
        (np.random.RandomState(0), "n_draws", "of the same kind: the seed was a RandomState"),
    ],
)
def test_it_says_why_the_draws_cannot_be_made_again(mixed, tmp_path, seed, stopped_by, words):
    model = copy(mixed.model).set_params(random_state=seed)
    model.posterior_ = replace(model.posterior_, stopped_by=stopped_by)
    model.report(tmp_path / "report.html", mixed.X_test[:5])
    assert words in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_place_of_a_checkpoint_is_not_told(mixed, tmp_path):
    model = copy(mixed.model).set_params(checkpoint="/home/me/secret place")
    model.report(tmp_path / "report.html", mixed.X_test[:5])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "model = BayesianTreeClassifier(" in page
    assert "secret place" not in page


def test_where_trees_cut_is_told_of_numbers_and_dates_only(mixed):
    curves = mixed.data["variables"]["curves"]
    kinds = [mixed.data["columns"][curve["column"]]["kind"] for curve in curves]
    assert {"number", "category"} <= set(kinds)
    for kind, curve in zip(kinds, curves, strict=True):
        assert ("splits" in curve) == (kind in ("number", "date"))


def test_curves_of_dates_and_of_columns_with_one_value_or_none_are_shown(tmp_path):
    days = np.datetime64("1970-01-01") + np.arange(60) % 20
    X = pd.DataFrame({"seen": days, "lactate": [3.0, 3.0, np.nan] * 20})
    y = np.where(X["lactate"].isna(), "a", np.where(X["seen"].dt.day > 10, "b", "c"))
    curves = write_report(tmp_path, X, y, n_draws=30).data["variables"]["curves"]
    seen, lactate = sorted(curves, key=lambda curve: curve["column"])
    assert seen["edges"] == [day * 24 * 3600 * 10**6 for day in range(20)]
    assert lactate["grid"] == [3]


def test_cases_are_the_most_uncertain_rows(mixed):
    cases = mixed.data["cases"]
    table = mixed.model.uncertainty(mixed.X_test)
    order = np.argsort(-table["entropy"].to_numpy(), kind="stable")
    assert [each["row"] for each in cases["shown"]] == order[: len(cases["shown"])].tolist()
    first, row = cases["shown"][0], table.iloc[order[0]]
    assert max(first["mean"]) == pytest.approx(row["probability"], abs=1e-3)
    place = int(np.argmax(first["mean"]))
    assert first["lower"][place] == pytest.approx(row["lower"], abs=1e-3)
    unseen = next(each for each in cases["shown"] if each["row"] == 40)
    assert "ward" in unseen["outside"]


def test_a_case_may_miss_what_training_never_missed(tmp_path):
    X = pd.DataFrame({"age": np.arange(90.0), "smoker": np.arange(90) % 2 == 0})
    y = np.where((X["age"] > 40) & X["smoker"], "ill", "well")
    model = fit(X, y)
    model.report(tmp_path / "report.html", X.assign(age=X["age"].where(X["age"] > 2)), y)
    data = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    case = next(each for each in data["cases"]["shown"] if each["row"] == 0)
    assert any(line.startswith("age ") and "it is missing" in line for line in case["conditions"])
    assert any(line.startswith("age from missing to ") for line in case["changes"])


def test_columns_in_which_rows_are_outside_training_are_named(mixed):
    page = mixed.path.read_text(encoding="utf-8")
    words = "test rows have values outside what training has seen, in "
    assert re.search(words + "[^<]*&#39;ward&#39;", page)


def test_all_draws_that_fit_are_on_the_page(mixed):
    posterior = mixed.model.posterior_
    forest = mixed.data["forest"]
    assert draws_that_fit(posterior) == forest["nDrawsHere"] == posterior.tree_index.size
    assert sum(tree["share"] for tree in forest["trees"]) == pytest.approx(1)
    assert mixed.data["cases"]["error"]["largest"] < 1e-12


def test_fewer_draws_are_evenly_spread_and_their_error_is_told(mixed):
    model = mixed.model
    smaller = with_fewer_draws(model, 30)
    assert smaller.posterior_.tree_index.shape == (1, 30)
    of_each_chain = np.array_split(smaller.posterior_.n_leaves[0], 3)
    np.testing.assert_array_equal(of_each_chain[0][0], model.posterior_.n_leaves[0, 0])
    rows = gather_evidence(model, mixed.X_test, None).rows
    error = error_of_subset(model, smaller, rows)
    expected = mean_probabilities(smaller.posterior_, rows, "kernel")
    np.testing.assert_allclose(error, np.abs(model.predict_proba(mixed.X_test) - expected))
    assert error.max() > 0


def test_without_test_rows_the_training_rows_are_the_cases(mixed, tmp_path):
    mixed.model.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    data = data_of(text)
    assert data["doubts"] is None
    assert data["cases"]["areTraining"]
    assert data["cases"]["nRows"] == 100
    assert "Calibration not known" in text
    assert "No scores" in text


@pytest.mark.slow
def test_test_rows_without_classes_are_cases_without_scores(mixed, tmp_path):
    mixed.model.report(tmp_path / "report.html", mixed.X_test)
    data = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert set(data["doubts"]) == {"entropies"}
    assert data["cases"]["shown"][0]["truth"] is None


def test_a_model_without_training_rows_gets_a_report_that_says_so(mixed, tmp_path):
    mixed.model.save(tmp_path / "bare.sweeptree", training_rows=False)
    bare = sweeptree.load(tmp_path / "bare.sweeptree")
    bare.report(tmp_path / "report.html", mixed.X_test, mixed.y_test)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    data = data_of(text)
    assert "saved without its training rows" in text
    assert data["forest"]["representative"] == []
    assert data["variables"]["curves"] == []
    assert "similar" not in data["cases"]["shown"][0]
    assert data["cases"]["shown"][0]["conditions"]
    bare.report(tmp_path / "rowless.html")
    rowless = data_of((tmp_path / "rowless.html").read_text(encoding="utf-8"))
    assert rowless["cases"]["shown"] == []
    assert rowless["cases"]["error"] is None


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["marginal", "plug-in"])
def test_four_classes_and_arrays_without_names(likelihood, tmp_path):
    X, y = four_classes()
    model = fit(X.to_numpy(), y, likelihood=likelihood, n_draws=20)
    model.report(tmp_path / "report.html", X.to_numpy()[:30], y[:30])
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert data_of(text)["columns"][1]["name"] == "column 1"
    assert ("overconfident: its intervals" in text) == (likelihood == "plug-in")


def test_a_tree_without_splits_gets_a_report(tmp_path):
    rng = np.random.default_rng(0)
    model = fit(rng.normal(size=(30, 2)), np.arange(30) % 2, max_leaves=1, n_draws=10)
    model.report(tmp_path / "report.html")
    assert "No tree asks about any variable" in (tmp_path / "report.html").read_text()


def test_bad_test_rows_are_refused_and_nothing_is_written(mixed, tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(ValueError, match="y_test was given without X_test"):
        mixed.model.report(path, y_test=mixed.y_test)
    with pytest.raises(ValueError, match="50 rows and y has 3 labels"):
        mixed.model.report(path, mixed.X_test, mixed.y_test[:3])
    with pytest.raises(ValueError, match="not among the classes"):
        mixed.model.report(path, mixed.X_test, ["dead"] * 50)
    with pytest.raises(ValueError, match="at least one row"):
        mixed.model.report(path, mixed.X_test[:0])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_ten_thousand_draws_on_twenty_variables_fit_into_500_kb(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 20))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 0.5, 900) > 0).astype(int)
    model = fit(X[:600], y[:600], n_draws=2500, n_chains=4, n_burn_in=20_000)
    path = tmp_path / "report.html"
    model.report(path, X[600:], y[600:])
    forest = data_of(path.read_text(encoding="utf-8"))["forest"]
    assert forest["nDraws"] == 10_000
    assert 50 < forest["nDrawsHere"] < 10_000
    assert path.stat().st_size <= 500_000


# While it is written


@contextmanager
def terminal_on_standard_error(monkeypatch):
    """Collect what a real terminal gets."""
    ours, theirs = os.openpty()
    shown = []

    def read():
        with suppress(OSError):  # how Linux says that the other side is closed
            while part := os.read(ours, 4096):
                shown.append(part.decode())

    reader = Thread(target=read)
    reader.start()
    with os.fdopen(theirs, "w", encoding="utf-8") as stderr, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        patch.setenv("TERM", "xterm")
        yield shown
    reader.join()
    os.close(ours)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals here")
@pytest.mark.parametrize(("progress", "is_told"), [("auto", True), (False, False)])
def test_a_terminal_is_told_that_the_report_is_being_written(
    progress, is_told, mixed, tmp_path, monkeypatch
):
    model = copy(mixed.model).set_params(progress=progress)
    with terminal_on_standard_error(monkeypatch) as shown:
        model.report(tmp_path / "report.html", mixed.X_test, mixed.y_test)
    assert ("Writing the report" in "".join(shown)) == is_told


@pytest.mark.slow
def test_curves_of_fewer_draws_and_rows_say_so(tmp_path):
    table, labels = mixed_table(450)
    path = write_report(tmp_path, table, labels, n_chains=1, n_draws=600, thin=5).path
    words = path.read_text(encoding="utf-8")
    assert "Of 300 training rows 200 are taken, evenly spaced." in words
    assert "The curves rest on 500 of 600 draws, evenly spread; the cuts on all." in words
