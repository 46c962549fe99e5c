"""Names that would steer a terminal or break a line."""

import json
from pathlib import Path

import numpy as np
import pytest

from patients import SHORT
from sweeptree import cli, load

COLUMN, SHOWN_COLUMN = "evil\x1b[31mred\nline", r"evil\x1b[31mred\nline"
LEVEL, SHOWN_LEVEL = "\x1b[7mward", r"\x1b[7mward"
LABEL, SHOWN_LABEL = "dead\x07\u202e[b]", r"dead\x07\u202e[b]"
STEERING = ("\x1b", "\x07", "\u202e")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A model of columns, levels and classes with such names, its table, and what fit printed."""
    directory = tmp_path_factory.mktemp("odd")
    rows = [f"{i},{LEVEL if i % 3 else 'B'},{LABEL if i > 20 else 'alive'}" for i in range(40)]
    table = directory / "t.csv"
    table.write_text("\n".join([f'"{COLUMN}",ward,kind', *rows]), newline="")
    model = directory / "t.sweeptree"
    assert cli.main(["fit", str(table), "--target", "kind", *SHORT, "--quiet"]) == 0
    return str(model), str(table)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (["fit", "{table}", "--target", "kind", *SHORT], [SHOWN_COLUMN, SHOWN_LABEL]),
        (["summary", "{model}"], [SHOWN_COLUMN, SHOWN_LABEL]),
        (["evaluate", "{model}", "{table}"], [SHOWN_LABEL]),
        (["explain", "{model}", "{table}", "--row", "30"], [SHOWN_COLUMN, SHOWN_LABEL]),
        (["tree", "{model}"], [SHOWN_COLUMN, SHOWN_LABEL]),
        (["tree", "{model}", "--svg"], [SHOWN_LABEL]),
    ],
)
def test_they_are_shown_with_backslashes(call, shown, odd, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    model, table = odd
    assert cli.main([word.format(model=model, table=table) for word in call]) == 0
    printed = "".join(capsys.readouterr())
    assert all(name in printed for name in shown)
    assert not any(character in printed for character in STEERING)


def test_errors_show_them_with_backslashes(odd, written, fails):
    model, table = odd
    text = Path(table).read_text().replace("alive", "moved")
    assert SHOWN_LABEL in fails(["evaluate", model, written(text), "--target", "kind"], 1)


def test_models_and_json_have_them_as_they_are(odd, capsys):
    model, _ = odd
    assert load(model).feature_names_in_.tolist() == [COLUMN, "ward"]
    assert load(model).columns_[1].levels == (LEVEL, "B")
    assert cli.main(["summary", model, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert set(record["columns"]) == {COLUMN, "ward"}
    assert record["classes"] == ["alive", LABEL]
    tree = load(model).representative_tree()
    assert tree.to_dict()["classes"] == ["alive", LABEL]
    assert COLUMN in np.array(load(model).explain({COLUMN: [30], "ward": ["B"]}).conditions)
