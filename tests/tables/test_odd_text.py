"""Text that had better be dates, or be left out."""

import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from short_table_fits import short
from sweeptree.odd_text import OddTextWarning, find_odd_text

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DAYS = [date(2024, 1, 20) + timedelta(days=i) for i in range(60)]
OUTCOME = np.arange(60) % 2
FORMS = {
    "%Y-%m-%d": "2024-01-20",
    "%Y-%m-%d %H:%M:%S": "2024-01-20 00:00:00",
    "%Y-%m-%dT%H:%M": "2024-01-20T00:00",
    "%Y-%m-%dT%H:%M:%SZ": "2024-01-20T00:00:00Z",
    "%d/%m/%Y": "01/02/2024",
    "%d.%m.%Y": "01.02.2024",
    "%m/%d/%Y": "01/20/2024",
    "%d/%m/%Y %H:%M": "01/02/2024 00:00",
    "%d-%b-%Y": "01-Feb-2024",
    "%d %B %Y": "01 February 2024",
    "%b %d, %Y": "Feb 01, 2024",
}


def fit(column, **parameters):
    return short(**parameters).fit(pd.DataFrame({"x": column, "age": np.arange(60.0)}), OUTCOME)


@pytest.mark.parametrize(("form", "example"), FORMS.items())
def test_dates_that_are_text_are_warned_about(form, example):
    column = [day.strftime(form) for day in DAYS]
    with pytest.warns(UserWarning, match="parse it with pandas.to_datetime, parse_dates") as found:
        fit(column)
    (odd,) = [each for each in found if each.category is OddTextWarning]
    words = f"Column 'x' holds dates as text, such as '{example}', so that each"
    assert str(odd.message).startswith(words)
    assert odd.filename == __file__


def test_holes_between_dates_do_not_hide_them():
    column = [str(day) if i % 3 else None for i, day in enumerate(DAYS)]
    with pytest.warns(OddTextWarning, match="holds dates as text, such as '2024-01-21'"):
        fit(column)


def test_a_word_among_dates_does_not_hide_them():
    words = "holds dates as text, such as '2024-01-21', beside 'unknown', so that each"
    with pytest.warns(OddTextWarning, match=words):
        fit(["unknown", *map(str, DAYS[1:])])


def test_months_are_warned_about():
    months = [f"{2000 + i // 12}-{1 + i % 12:02}" for i in range(60)]
    with pytest.warns(OddTextWarning, match="holds months as text, such as '2000-01'"):
        fit(months)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([f"{i / 8:.2f}" for i in range(60)], "all of it is numbers, such as '0.00'; turn it into"),
        ([f"{i},5" for i in range(60)], "all of it is numbers, such as '0,5'; .* decimal=\",\""),
        ([f"{i},130.5" for i in range(60)], 'all of it is numbers, .* or thousands=","'),
        (["<0.5", *(f"{i}.5" for i in range(30))] + ["<0.5"] * 29, "most .* but there is '<0.5'"),
        ([str(18 + i) for i in range(60)], "all of it is numbers, such as '18'"),
    ],
    ids=["points", "commas", "thousands", "a limit", "ages"],
)
def test_numbers_that_are_text_are_warned_about(column, words):
    with pytest.warns(OddTextWarning, match=f"Column 'x' is taken as text: {words}"):
        fit(column)


def test_numbers_in_an_array_of_text_are_warned_about():
    X = np.array([[f"{i / 8:.2f}"] for i in range(60)])
    with pytest.warns(OddTextWarning, match=r"Column 0 is .*: all of it is numbers.*to_numeric"):
        short().fit(X, OUTCOME)


@pytest.mark.parametrize("form", ["{} kg", "{}%", "{}.5 mmol/l", "{},5°C"])
def test_numbers_with_a_unit_are_warned_about(form):
    words = f"holds numbers with their unit as text, such as '{form.format(10)}'"
    with pytest.warns(OddTextWarning, match=f"{words}.*; take the unit off"):
        fit([form.format(10 + i) for i in range(60)])


def test_numbers_that_are_categories_by_their_type_are_not_warned_about():
    numbers = pd.Categorical([f"{i % 30 / 8:.2f}" for i in range(60)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", OddTextWarning)
        fit(numbers)
        short().fit({"x": pd.Series(numbers)}, OUTCOME)
        short().fit(pl.DataFrame({"x": pl.Series(list(numbers), dtype=pl.Categorical)}), OUTCOME)


def test_the_example_is_one_that_is_no_iso_date():
    levels = ["2024-01-20", "20/01/2024"]
    assert "such as '20/01/2024'" in find_odd_text(levels, 2).in_words


def test_a_text_of_its_own_in_each_row_is_warned_about():
    names = [f"P{i:03}" for i in range(60)]
    words = "'x' has a different text in nearly each row .*; drop it unless it means something"
    with pytest.warns(OddTextWarning, match=words):
        fit(names)
    with pytest.warns(OddTextWarning, match="'x' has a different text"):
        short().fit(pl.DataFrame({"x": names}), OUTCOME)
    with pytest.warns(OddTextWarning, match="Column 1 has a different text"):
        short().fit(np.array([[1.5, name] for name in names], dtype=object), OUTCOME)


@pytest.mark.parametrize(
    "column",
    [
        DAYS,
        [str(day) for day in DAYS[:3]] * 20,
        ["A", "B", "C"] * 20,
        [f"{day} or so" for day in DAYS[:30]] * 2,
        [f"10.2.{i}" for i in range(30)] * 2,
        np.arange(60),
        [None] * 30 + [f"P{i}" for i in range(15)] * 2,
        [f"{10115 + i}" for i in range(30)] * 2,
        [f"{1060 + i:05}" for i in range(30)] * 2,
        [f"{73211009 * 7**i}" for i in range(30)] * 2,
        [f"E{i}.9" for i in range(30)] * 2,
        [*(f"250.{i}" for i in range(29)), "V57.1"] * 2,
        ["1", "2", "3"] * 20,
        [f"{i} weeks" for i in range(20)] * 3,
    ],
    ids=[
        *("dates", "few dates", "wards", "remarks", "versions", "numbers", "twice each"),
        *("postcodes", "leading noughts", "SNOMED CT", "ICD-10", "ICD-9"),
        *("few numbers", "few quantities"),
    ],
)
def test_other_columns_are_not_warned_about(column):
    with warnings.catch_warnings():
        warnings.simplefilter("error", OddTextWarning)
        fit(column)


@pytest.mark.parametrize("categorical_features", [["x"], [0], [True, False]], ids=str)
def test_numbers_as_text_that_are_named_as_categories_are_not_warned_about(categorical_features):
    frame = pd.DataFrame({"x": [f"{i}.5" for i in range(30)] * 2, "age": np.arange(60.0)})
    with pytest.warns(OddTextWarning, match="all of it is numbers"):
        short().fit(frame, OUTCOME)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OddTextWarning)
        short(categorical_features=categorical_features).fit(frame, OUTCOME)


def test_text_where_dates_were_says_how_to_parse_it():
    model = fit(DAYS)
    rows = pd.DataFrame({"x": [str(day) for day in DAYS], "age": np.arange(60.0)})
    with pytest.raises(ValueError, match="'2024-01-20' in row 0; parse it with pandas"):
        model.predict(rows)
    assert len(model.predict(rows.assign(x=pd.to_datetime(rows["x"])))) == 60
