"""`sweeptree fit`."""

import io
import json
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from patients import FIT, SHORT, patients
from sweeptree import cli, load
from sweeptree.table_files import table_writer


def fit(path, *options):
    return ["fit", path, "--target", "outcome", *FIT, *options]


def test_a_table_and_its_target_are_enough(written, capsys):
    path = written("\n".join(patients(60)))
    assert cli.main(["fit", path, "--target", "outcome", *SHORT, "--max-seconds", "1"]) == 0
    out, err = capsys.readouterr()
    model = Path(path).with_suffix(".sweeptree")
    assert out.endswith(f"The model is in {model}\n")
    assert "60" in out
    assert "numbers (4)" in out
    assert "age" in out
    assert "columns without effect get some splits too" in out
    assert load(model).classes_.tolist() == ["died", "survived"]
    assert all(line.startswith("sweeptree: ") for line in err.splitlines())


def test_the_model_is_that_of_the_library(written, tmp_path):
    path = written("\n".join(patients(60)))
    assert cli.main(fit(path, "-o", str(tmp_path / "m.sweeptree"), "--drop", "patient")) == 0
    model = load(tmp_path / "m.sweeptree")
    assert model.feature_names_in_.tolist() == ["age", "dose", "pulse"]
    assert model.get_params()["n_chains"] == 2
    assert model.posterior_.n_leaves.shape == (2, 40)


@pytest.mark.parametrize(
    "drop", [["--drop", "patient", "dose"], ["--drop", "patient", "--drop", "dose"]]
)
def test_columns_to_leave_out_may_be_given_at_once_or_one_by_one(drop, written, tmp_path):
    path = written("\n".join(patients(60)))
    assert cli.main(fit(path, "-o", str(tmp_path / "m.sweeptree"), *drop)) == 0
    assert load(tmp_path / "m.sweeptree").feature_names_in_.tolist() == ["age", "pulse"]


def test_a_column_with_a_comma_in_its_name_can_be_left_out(written, tmp_path):
    header, *rows = patients(60)
    path = written("\n".join([header.replace("patient", '"patient, number"'), *rows]))
    model = str(tmp_path / "m.sweeptree")
    assert cli.main(fit(path, "-o", model, "--drop", "patient, number", "dose")) == 0
    assert load(model).feature_names_in_.tolist() == ["age", "pulse"]


def test_columns_to_leave_out_that_are_parted_by_commas_are_told(written, fails):
    path = written("\n".join(patients(60)))
    found = fails(fit(path, "--drop", "patient, dose,doze", "age"), 2)
    words = "has no column 'patient, dose,doze'; part columns by spaces: --drop "
    assert f"{words}patient dose doze age." in found
    assert "did you mean 'age'?" in fails(fit(path, "--drop", "agee"), 2)


def test_categories_may_be_named_one_by_one(written, tmp_path):
    path, model = written("\n".join(patients(60))), str(tmp_path / "m.sweeptree")
    names = ["--categorical-features", "pulse", "--categorical-features", "age,dose"]
    assert cli.main(fit(path, "-o", model, *names)) == 0
    assert load(model).get_params()["categorical_features"] == ["pulse", "age", "dose"]


def test_summary_as_json_has_what_the_table_shows(written, capsys):
    path = written("\n".join(patients(60)))
    assert cli.main([*fit(path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_rows"] == 60
    assert record["columns"] == {"number": 4}
    assert sum(record["classes"].values()) == 60
    assert record["n_missing"] == 0
    assert set(record["share_of_splits"]) == {"patient", "age", "dose", "pulse"}
    assert Path(record["model"]).exists()


def test_whole_numbers_are_classes_as_ints(written, tmp_path):
    text = "\n".join(patients(60)).replace("died", "0").replace("survived", "1")
    assert cli.main(fit(written(text), "-o", str(tmp_path / "m"))) == 0
    assert load(tmp_path / "m").classes_.tolist() == [0, 1]


def test_a_parquet_table_gives_the_same_model(written, tmp_path):
    pytest.importorskip("pyarrow")
    text = written("\n".join(patients(60)))
    names, *rows = [line.split(",") for line in Path(text).read_text().splitlines()]
    columns = dict(zip(names, np.array(rows).T, strict=True))
    columns = {n: c if n == "outcome" else c.astype(float) for n, c in columns.items()}
    with table_writer(str(tmp_path / "t.parquet")) as write:
        write(columns)
    for name, path in (("a", text), ("b", str(tmp_path / "t.parquet"))):
        assert cli.main(fit(path, "-o", str(tmp_path / name))) == 0
    one, other = (load(tmp_path / name) for name in "ab")
    np.testing.assert_array_equal(one.posterior_.n_leaves, other.posterior_.n_leaves)


def test_an_identifier_is_noted(written, capsys):
    lines = patients(60)
    lines = [lines[0], *(f"name{line}" for line in lines[1:])]
    cli.main(["fit", written("\n".join(lines)), "--target", "outcome", *SHORT])
    err = capsys.readouterr().err
    assert "'patient' has a different text in nearly each row" in err
    assert "--drop 'patient'" in err


def test_dates_that_are_not_iso_are_noted_once(written, capsys):
    lines = patients(60)
    rows = [f"{i % 28 + 1:02}/{i % 12 + 1:02}/2024,{line}" for i, line in enumerate(lines[1:])]
    path = written("\n".join([f"admitted,{lines[0]}", *rows]))
    call = ["fit", path, "--target", "outcome", "--drop", "patient", *SHORT]
    assert cli.main([*call, "--json"]) == 0
    out, err = capsys.readouterr()
    (line,) = [line for line in err.splitlines() if "admitted" in line]
    words = "Column 'admitted' holds dates as text, such as '01/01/2024'"
    assert line.startswith(f"sweeptree: note: {words}")
    assert line.endswith("; write them as YYYY-MM-DD in a CSV file, as dates in Parquet.")
    assert words in json.loads(out)["notes"][0]
    assert cli.main([*call, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_a_row_number_is_noted_and_left_out_if_it_has_no_name(written, capsys, tmp_path):
    lines = patients(60)
    model = str(tmp_path / "m.sweeptree")
    call = ["--target", "outcome", "-o", model, *SHORT]
    assert cli.main(["fit", written("\n".join(lines)), *call]) == 0
    assert "'patient' goes up by one from row to row" in capsys.readouterr().err
    nameless = written("\n".join([lines[0].removeprefix("patient"), *lines[1:]]))
    assert cli.main(["fit", nameless, *call]) == 0
    assert "Column 1 has no name and is left out" in capsys.readouterr().err
    assert load(model).feature_names_in_.tolist() == ["age", "dose", "pulse"]
    assert cli.main(["predict", model, nameless, "-o", str(tmp_path / "p.csv"), "--quiet"]) == 0


def test_an_empty_column_is_left_out_with_a_note(written, capsys, tmp_path):
    lines = [
        f"{line},{end}" for line, end in zip(patients(60), ["ward", *["NA"] * 60], strict=True)
    ]
    call = ["fit", written("\n".join(lines)), "--target", "outcome", *SHORT]
    assert cli.main([*call, "-o", str(tmp_path / "m")]) == 0
    assert "note: Column 'ward' has no values and is left out." in capsys.readouterr().err
    assert "ward" not in load(tmp_path / "m").feature_names_in_


def test_a_model_that_is_replaced_is_noted(written, capsys, tmp_path):
    call = ["fit", written("\n".join(patients(60))), "--target", "outcome", *SHORT]
    call += ["-o", str(tmp_path / "m.sweeptree"), "--json"]
    assert cli.main(call) == 0
    assert "replaced" not in capsys.readouterr().err
    assert cli.main([*call, "--alpha", "1,1,1"]) == 1
    assert "replaced" not in capsys.readouterr().err
    assert cli.main(call) == 0
    out, err = capsys.readouterr()
    words = f"The new model has replaced {tmp_path / 'm.sweeptree'}, which was written 20"
    assert f"sweeptree: note: {words}" in err
    assert json.loads(out)["notes"][-1].startswith(words)


def test_quiet_says_nothing(written, capsys):
    assert cli.main(fit(written("\n".join(patients(60))))) == 0
    assert capsys.readouterr() == ("", "")


def test_a_warning_is_one_line_in_the_words_of_the_command_line(written, capsys):
    call = [
        "fit",
        written("\n".join(patients(60))),
        "--target",
        "outcome",
        "--drop",
        "patient",
        *SHORT,
    ]
    assert cli.main([*call, "--random-state", "0"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sweeptree: warning: The chains have not converged")
    assert "--n-burn-in" in line
    assert "n_burn_in" not in line


@pytest.mark.parametrize(
    ("option", "value", "status", "words"),
    [
        ("--n-chains", "0", 2, "--n-chains must be an int in the range [1, inf)"),
        ("--n-chains", "many", 2, "--n-chains must be an int"),
        (
            *("--strategy", "exakt", 2),
            "--strategy must be a str among {'exact', 'standard', 'restricting', 'sweeping'}. Got",
        ),
        ("--thin", "0.5", 2, "--thin must be an int"),
        ("--move-probabilities", "birth=0.5,death=0.6", 1, "--move-probabilities must sum to 1"),
        ("--alpha", "1,2,3", 1, "--alpha has 3 values but there are 2"),
        ("--n-rungs", "99", 2, "--n-rungs must be"),
    ],
)
def test_a_wrong_value_names_its_option(option, value, status, words, written, fails):
    path = written("\n".join(patients(60)))
    assert words in fails(fit(path, option, value), status)


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_a_model_may_go_into_a_pipe_where_no_file_could_be_made(written, tmp_path, monkeypatch):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    monkeypatch.setattr(os, "access", lambda place, how: place != tmp_path)
    assert cli.main(fit(written("\n".join(patients(60))), "-o", str(pipe))) == 0
    reader.join(timeout=60)
    assert pipe.is_fifo()
    assert received[0].startswith(b"PK")


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_model_behind_a_link_needs_a_place_that_can_be_written(written, tmp_path, fails):
    link = tmp_path / "m.sweeptree"
    link.symlink_to(Path(written("in the way", "file")) / "m.sweeptree")
    message = fails(fit(written("\n".join(patients(60))), "-o", str(link)), 1)
    assert "it is a file, not a directory" in message


def test_a_model_needs_a_file(written, fails):
    assert "give it a file" in fails(fit(written("x"), "-o", "-"), 2)
    assert "say -o MODEL" in fails(fit("-"), 2)


def test_a_table_may_come_from_standard_input(tmp_path, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO("\n".join(patients(60)).encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert cli.main(fit("-", "-o", str(tmp_path / "m"))) == 0
    assert len(load(tmp_path / "m").training_.labels) == 60


def test_a_wrong_option_is_told_before_the_table_is_read(fails):
    assert "--thin" in fails(["fit", "none.csv", "--target", "y", "--thin", "0"], 2)


@pytest.mark.parametrize("width", [80, 60])
def test_summary_tears_no_figure_from_its_name(width, written, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    names = [f"measurement{i}" for i in range(5)]
    rows = [f"{i % 7},{i % 5},{i % 3},{i % 11},{i % 2},{'ab'[i % 2]}" for i in range(60)]
    text = "\n".join([",".join([*names, "kind"]), *rows])
    cli.main(["fit", written(text), "--target", "kind", "--n-draws", "20", "--n-burn-in", "500"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    listed = [line for line in lines if "measurement" in line]
    assert len(listed) > 1
    assert all(line.endswith(("%,", "%")) for line in listed)
