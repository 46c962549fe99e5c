"""`sweeptree predict`."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from patients import FIT, patients
from sweeptree import cli, load
from sweeptree.cli.models import cell_kinds
from sweeptree.columns import Column
from sweeptree.table_files import read_table


def predict(trained, *options):
    return ["predict", *trained, *options]


def test_every_row_is_predicted_as_by_the_library(trained, tmp_path):
    out = tmp_path / "out.csv"
    assert cli.main(predict(trained, "-o", str(out), "--quiet")) == 0
    found, model = pd.read_csv(out), load(trained[0])
    rows = pd.read_csv(trained[1])[["age", "dose", "pulse"]].astype(float)
    expected = model.uncertainty(rows)
    assert found["predicted"].tolist() == expected["predicted"].tolist()
    for name in ("probability", "lower", "upper", "entropy", "aleatoric", "epistemic", "agreement"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=0.51e-6)
    by_class = found[["probability_died", "probability_survived"]]
    np.testing.assert_allclose(by_class, model.predict_proba(rows), rtol=0, atol=0.51e-6)
    for place, name in enumerate(("lower", "upper")):
        by_class = found[[f"{name}_died", f"{name}_survived"]]
        ends = model.predict_interval(rows)[..., place]
        np.testing.assert_allclose(by_class, ends, rtol=0, atol=0.51e-6)


def test_columns_are_found_by_name_and_others_are_ignored(trained, tmp_path):
    rows = pd.read_csv(trained[1])
    shuffled = rows[["outcome", "pulse", "dose", "age"]].assign(more="text")
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    outs = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    for table, out in zip((trained[1], str(tmp_path / "shuffled.csv")), outs, strict=True):
        assert cli.main(["predict", trained[0], table, "-o", out, "--quiet"]) == 0
    assert Path(outs[0]).read_text() == Path(outs[1]).read_text()


def test_output_goes_to_standard_output_from_standard_input(trained, capsys, monkeypatch):
    assert cli.main(predict(trained)) == 0
    from_file = capsys.readouterr().out
    stream = io.TextIOWrapper(io.BytesIO(Path(trained[1]).read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert cli.main(["predict", trained[0], "-", "-o", "-"]) == 0
    assert capsys.readouterr().out == from_file
    assert len(list(csv.reader(from_file.splitlines()))) == 61


def test_parquet_holds_what_csv_holds(trained, tmp_path):
    pytest.importorskip("pyarrow")
    for name in ("out.csv", "out.parquet"):
        assert cli.main(predict(trained, "-o", str(tmp_path / name), "--quiet")) == 0
    one = pd.read_csv(tmp_path / "out.csv").fillna({"outside_in": ""})
    other = pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(one, other, check_dtype=False, rtol=1e-8)


def test_columns_may_be_kept(trained, capsys):
    assert cli.main(predict(trained, "--keep", "patient", "outcome", "--no-intervals")) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header.startswith("patient,outcome,predicted,probability,entropy")
    assert first.startswith("0,")


def test_without_intervals_all_else_is_the_same(trained, tmp_path):
    for name, options in (("a.csv", []), ("b.csv", ["--no-intervals"])):
        assert cli.main(predict(trained, "-o", str(tmp_path / name), "--quiet", *options)) == 0
    full, short = (pd.read_csv(tmp_path / name) for name in ("a.csv", "b.csv"))
    assert not {"lower", "upper"} & set(short.columns)
    pd.testing.assert_frame_equal(full[short.columns], short)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (["predict"], "see the column outside_in."),
        (["predict", "--no-intervals"], "without --no-intervals, the column outside_in has them"),
        (["evaluate"], "`sweeptree predict` names them by row."),
    ],
)
def test_values_outside_what_training_has_seen_are_noted(
    call, where, trained, written, tmp_path, capsys
):
    table = pd.read_csv(trained[1]).assign(age=40, dose=0.5, pulse=80.0)
    table.loc[[3, 4, 5], "pulse"], table.loc[5, "age"], table.loc[7, "pulse"] = 500, 200, np.nan
    path = written(table.to_csv(index=False))
    command, *options = call
    more = ["-o", str(tmp_path / "p.csv")] if command == "predict" else []
    call = [command, trained[0], path, *options, *more]
    assert cli.main([*call, "--json"]) == 0
    out, err = capsys.readouterr()
    words = "4 rows have values outside what training has seen, in 'pulse', 'age'; "
    assert err.startswith(f"sweeptree: note: {words}{where}")
    assert json.loads(out)["notes"][0].startswith(words)
    assert cli.main([*call, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_a_model_without_its_training_rows_has_no_outsiders(trained, tmp_path, capsys):
    model = str(tmp_path / "m.sweeptree")
    load(trained[0]).save(model, training_rows=False)
    assert cli.main(["evaluate", model, trained[1]]) == 0
    assert capsys.readouterr().err == ""


def test_a_model_without_its_training_rows_predicts_with_intervals(trained, tmp_path, capsys):
    model, with_rows, without = (str(tmp_path / name) for name in ("m.sweeptree", "a.csv", "b.csv"))
    load(trained[0]).save(model, training_rows=False)
    assert cli.main(predict(trained, "-o", with_rows, "--quiet")) == 0
    assert cli.main(["predict", model, trained[1], "-o", without]) == 0
    assert (
        f"note: {model} was saved without its training rows: the columns is_outside and "
        "outside_in are left out." in capsys.readouterr().err
    )
    expected = pd.read_csv(with_rows).drop(columns=["is_outside", "outside_in"])
    pd.testing.assert_frame_equal(pd.read_csv(without), expected)


def test_json_tells_what_was_done(trained, tmp_path, capsys, fails):
    assert cli.main(predict(trained, "-o", str(tmp_path / "out.csv"), "--json")) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_rows"] == 60
    assert record["classes"] == ["died", "survived"]
    assert "both go to standard output" in fails(predict(trained, "--json"), 2)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (("age", "Age"), 2, "has no column 'age'; did you mean 'Age'?"),
        (
            ("age,dose", "years,grams"),
            2,
            "has no columns 'age', 'dose'; the others are 'patient', 'years', 'grams', 'outcome'.",
        ),
        (("dose", "dose_in_g"), 2, "has no column 'dose'; did you mean 'dose_in_g'?"),
        (
            ("pulse", "doses"),
            2,
            "no column 'pulse'; the others are 'patient', 'doses', 'outcome'.",
        ),
        (("\n3,", "\n3,x"), 1, "line 5, column 'age': x"),
        (("\n3,", "\n3,inf,1,1,x\n3,"), 1, "line 5, column 'age': inf is not a finite number"),
    ],
)
def test_tables_that_do_not_fit_the_model(change, status, words, trained, written, fails, tmp_path):
    path = written(Path(trained[1]).read_text().replace(*change))
    out = tmp_path / "out.csv"
    assert words in fails(["predict", trained[0], path, "-o", str(out)], status)
    assert not out.exists()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            ["predict", "--keep", "id"],
            "has no column 'id', which --keep names; there are 'patient', 'age', 'dose', 'pulse', "
            "'outcome'.",
        ),
        (
            ["predict", "--keep", "patient,outcome"],
            "has no column 'patient,outcome', which --keep names; part columns by spaces: "
            "--keep patient outcome.",
        ),
        (
            ["predict", "--keep", "patients", "Outcome"],
            "has no columns 'patients', 'Outcome', which --keep names; did you mean 'patient', "
            "'outcome'?",
        ),
        (
            ["evaluate", "--target", "class"],
            "has no column 'class', which --target names; there are 'patient',",
        ),
    ],
)
def test_a_column_that_an_option_names_and_the_table_lacks(call, words, trained, fails):
    command, *options = call
    said = fails([command, *trained, *options], 2)
    assert said.startswith(f"sweeptree: {trained[1]} {words}")


def test_a_kept_column_must_not_be_called_like_a_prediction(trained, written, fails):
    path = written(Path(trained[1]).read_text().replace("outcome", "entropy"))
    assert "--keep entropy" in fails(["predict", trained[0], path, "--keep", "entropy"], 2)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (Column("x", "number"), "number"),
        (Column("x", "boolean"), "boolean"),
        (Column("x", "date"), "date"),
        (Column("x", "category", ("a", "b")), "text"),
        (Column("x", "category", (1, 2)), "number"),
        (Column("x", "category", (False, True)), "boolean"),
    ],
)
def test_cells_are_read_as_the_kind_that_the_model_knows(column, kind):
    assert cell_kinds(SimpleNamespace(columns_=(column,))) == {"x": kind}


def test_a_file_that_is_no_model(trained, fails):
    assert trained[1] in fails(["predict", trained[1], trained[1]], 1)
    assert "No such file" in fails(["predict", "none.sweeptree", trained[1]], 1)


def test_nothing_is_written_and_the_old_file_survives_if_a_late_row_is_bad(
    trained, written, fails, tmp_path
):
    out = tmp_path / "out" / "p.csv"
    out.parent.mkdir()
    out.write_text("old")
    path = written("\n".join([*patients(12_000), "1,many,1,1,died"]))
    call = ["predict", trained[0], path, "-o", str(out), "--no-intervals"]
    assert "line 12002, column 'age': many is no number" in fails(call, 1)
    assert out.read_text() == "old"
    assert [each.name for each in out.parent.iterdir()] == ["p.csv"]


def test_directories_of_the_output_are_made(trained, tmp_path):
    out = tmp_path / "new" / "deep" / "p.csv"
    assert cli.main(predict(trained, "-o", str(out), "--no-intervals", "--quiet")) == 0
    assert len(read_table(str(out))) == 60


PEAK = """
import resource, sys
from sweeptree.cli import main
assert main(sys.argv[1:]) == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_table(trained, tmp_path):
    header, *lines = patients(60_000)
    peaks = []
    for times in (1, 4):
        path = tmp_path / f"{times}.csv"
        path.write_text("\n".join([header, *lines * times]))
        call = ["predict", trained[0], str(path), "-o", str(tmp_path / "p.csv"), "--no-intervals"]
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *call], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout))
        assert (tmp_path / "p.csv").read_bytes().count(b"\n") == 60_000 * times + 1
    assert peaks[1] < 1.1 * peaks[0]


LIMITED = """
import resource, sys
from sweeptree.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fit", "predict"])
def test_a_full_disk_leaves_the_old_file_whole(command, trained, tmp_path):
    out = tmp_path / "out" / "p.csv"
    out.parent.mkdir()
    out.write_text("old")
    calls = {
        "predict": predict(trained, "-o", str(out), "--no-intervals"),
        "fit": ["fit", trained[1], "--target", "outcome", "-o", str(out), *FIT],
    }
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *calls[command]], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == f"sweeptree: Cannot use {out}: File too large.\n"
    assert out.read_text() == "old"
    assert [each.name for each in out.parent.iterdir()] == ["p.csv"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_standard_output_is_told(trained):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sweeptree", *predict(trained, "--no-intervals")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "sweeptree: Cannot use -: No space left on device.\n"
