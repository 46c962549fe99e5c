"""The commands that look at a model: evaluate, explain, tree, summary; and datasets."""

import json
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from patients import FIT
from sweeptree import BayesianTreeClassifier, cli, load, scores
from sweeptree.datasets import load_wisconsin, make_xor3
from sweeptree.report.headline import judge_calibration


def as_json(capsys, *call):
    assert cli.main([*call, "--json"]) == 0
    return json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


def held_out(trained):
    rows = pd.read_csv(trained[1])
    return rows[["age", "dose", "pulse"]].astype(float), rows["outcome"].to_numpy()


def test_evaluate_gives_the_scores_of_the_library(trained, capsys):
    record = as_json(capsys, "evaluate", *trained)
    X, y = held_out(trained)
    model = load(trained[0])
    probabilities = model.predict_proba(X)
    assert record["target"] == "outcome"
    assert record["scores"]["accuracy"] == pytest.approx(model.score(X, y))
    assert record["scores"]["log_loss"] == pytest.approx(scores.log_loss(y, probabilities))
    assert record["scores"]["brier"] == pytest.approx(scores.brier(y, probabilities))
    confusion = pd.crosstab(y, model.predict(X))
    np.testing.assert_array_equal(record["confusion"], confusion)
    assert record["abstaining"][0]["answered"] == 1.0
    assert record["abstaining"][0]["accuracy"] == pytest.approx(model.score(X, y))


def test_evaluate_has_the_class_shares_of_training_as_a_baseline(trained, capsys):
    baseline = as_json(capsys, "evaluate", *trained)["baseline"]
    _, y = held_out(trained)
    labels = load(trained[0]).training_.labels
    classes = load(trained[0]).classes_
    shares = np.bincount(labels) / len(labels)
    everywhere = np.tile(shares, (len(y), 1))
    assert baseline["commonest"] == classes[shares.argmax()]
    assert baseline["accuracy"] == pytest.approx((y == baseline["commonest"]).mean())
    assert baseline["log_loss"] == pytest.approx(scores.log_loss(y, everywhere, classes))
    assert baseline["brier"] == pytest.approx(scores.brier(y, everywhere, classes))
    assert cli.main(["evaluate", *trained]) == 0
    out = capsys.readouterr().out
    assert f"Baseline: always {baseline['commonest']}, the commonest class of training" in out
    assert f"{baseline['log_loss']:.3f}" in out


def test_evaluate_tells_how_large_the_calibration_error_is_by_chance(trained, capsys):
    found = as_json(capsys, "evaluate", *trained)["scores"]
    X, y = held_out(trained)
    model = load(trained[0])
    places = np.searchsorted(model.classes_, y)
    expected = judge_calibration(places, model.predict_proba(X))
    assert found["calibration_error"] == pytest.approx(expected.error)
    assert found["calibration_error_by_chance"] == pytest.approx(expected.by_chance)
    assert cli.main(["evaluate", *trained]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"is up to {expected.by_chance:.3f} by chance" in out


def test_evaluate_shows_what_it_found(trained, capsys):
    assert cli.main(["evaluate", *trained, "--target", "outcome"]) == 0
    out = capsys.readouterr().out
    assert "60 rows" in out
    for words in ("accuracy", "log-loss", "Brier", "calibration", "Confusion", "abstaining"):
        assert words in out


def test_evaluate_needs_to_know_the_target(trained, written, fails):
    text = Path(trained[1]).read_text()
    unlabelled = written(text.replace("died", "x").replace("survived", "y"))
    assert "--target" in fails(["evaluate", trained[0], unlabelled], 2)
    label = "x" if text.splitlines()[1].endswith("died") else "y"
    words = f"{label!r} in line 2, which is none of the model's classes"
    assert words in fails(["evaluate", trained[0], unlabelled, "--target", "outcome"], 1)
    call = ["evaluate", *trained, "--target", "outcom"]
    assert "did you mean 'outcome'?" in fails(call, 2)


@pytest.mark.parametrize("command", ["evaluate", "report"])
@pytest.mark.parametrize(("target", "cell"), [("age", "20"), ("smoker", "true")])
def test_a_column_of_the_model_that_is_no_text_holds_no_classes(
    command, target, cell, written, fails
):
    rows = [f"{20 + i},{str(i % 3 == 0).lower()},{'pq'[i % 2]}" for i in range(20)]
    path = written("\n".join(["age,smoker,kind", *rows]))
    assert cli.main(["fit", path, "--target", "kind", *FIT]) == 0
    call = [command, str(Path(path).with_suffix(".sweeptree")), path, "--target", target]
    words = f"Column {target!r} of {path} has {cell!r} in line 2, which is none of the model's"
    assert words in fails(call, 1)


def test_evaluate_names_the_cell_whose_class_is_unknown(trained, written, fails):
    lines = Path(trained[1]).read_text().splitlines()
    lines[4] = lines[4].rpartition(",")[0] + ",moved"
    path = written("\n".join(lines))
    found = fails(["evaluate", trained[0], path], 1)
    assert f"Column 'outcome' of {path} has 'moved' in line 5" in found


@pytest.mark.parametrize(
    ("labels", "written_as"),
    [
        ([False, True], ["FALSE", "TRUE"]),
        ([False, True], ["false", "true"]),
        ([0, 1], ["0.0", "1.0"]),
    ],
)
def test_classes_may_be_written_in_another_way(tmp_path, written, capsys, labels, written_as):
    x = np.arange(40.0)
    model = BayesianTreeClassifier(n_chains=2, n_burn_in=500, n_draws=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit({"x": x}, np.where(x < 20, *labels)).save(tmp_path / "m.sweeptree")
    rows = "".join(f"{value},{written_as[int(value >= 20)]}\n" for value in x)
    found = as_json(capsys, "evaluate", str(tmp_path / "m.sweeptree"), written(f"x,y\n{rows}"))
    assert found["target"] == "y"
    assert found["scores"]["accuracy"] > 0.9


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_rows_without_a_class_are_told_by_their_lines(command, trained, written, fails):
    header, *rows = Path(trained[1]).read_text().splitlines()
    for place, cell in ((3, "NA"), (8, "")):
        rows[place] = f"{rows[place].rpartition(',')[0]},{cell}"
    path = written("\n".join([header, *rows]))
    words = "Column 'outcome' of {} has no class in lines 5, 10 (empty, NA, ? and the like)"
    assert words.format(path) in fails([command, trained[0], path], 1)


def test_a_complete_column_of_classes_goes_before_one_with_holes(trained, written, capsys):
    header, *rows = Path(trained[1]).read_text().splitlines()
    rows = [f"{row},{'died' if place else 'NA'}" for place, row in enumerate(rows)]
    path = written("\n".join([f"{header},later", *rows]))
    assert as_json(capsys, "evaluate", trained[0], path)["target"] == "outcome"


def test_a_table_without_classes_is_told_what_is_sought(trained, written, fails):
    lines = Path(trained[1]).read_text().splitlines()
    path = written("\n".join(line.rpartition(",")[0] for line in lines))
    words = "No column beside those of the model holds the model's classes ('died', 'survived') in"
    assert f"{words} {path}" in fails(["evaluate", trained[0], path], 2)


def test_explain_explains_the_row_asked_for(trained, capsys, fails):
    record = as_json(capsys, "explain", *trained, "--row", "7")
    X, _ = held_out(trained)
    expected = load(trained[0]).explain(X.iloc[[7]])
    assert record["prediction"]["predicted"] == expected.prediction["predicted"]
    assert record["prediction"]["lower"] == pytest.approx(expected.prediction["lower"])
    assert len(record["similar"]) == 5
    assert cli.main(["explain", *trained, "--row", "7"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Row 7 of {trained[1]}"[:79])
    assert "Predicted" in out
    beyond = fails(["explain", *trained, "--row", "60"], 2)
    assert "--row 60 is beyond the last row" in beyond
    assert "which is 59" in beyond


def test_a_tree_is_shown_in_every_form(trained, capsys, tmp_path):
    model, tree = trained[0], load(trained[0]).representative_tree("map")
    assert cli.main(["tree", model, "--kind", "map"]) == 0
    assert capsys.readouterr().out == tree.to_text()
    assert cli.main(["tree", model, "--kind", "map", "--dot"]) == 0
    assert capsys.readouterr().out == tree.to_dot()
    picture = tmp_path / "tree.svg"
    assert cli.main(["tree", model, "--kind", "map", "-o", str(picture)]) == 0
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert str(picture) in capsys.readouterr().err
    assert as_json(capsys, "tree", model, "--kind", "map") == tree.to_dict()


def test_a_tree_of_unknown_form_is_refused(trained, fails):
    assert "end it in .svg" in fails(["tree", trained[0], "-o", "tree.png"], 2)


def test_summary_tells_of_columns_and_chains(trained, capsys):
    assert cli.main(["summary", trained[0]]) == 0
    out = capsys.readouterr().out
    for words in ("died, survived", "age", "R-hat", "birth", "converged"):
        assert words in out
    record = as_json(capsys, "summary", trained[0])
    assert set(record["columns"]) == {"age", "dose", "pulse"}
    assert sum(each["share_of_splits"] for each in record["columns"].values()) == pytest.approx(1)
    assert record["n_draws"] == 40
    assert record["parameters"]["n_chains"] == 2


def test_datasets_are_listed_and_exported(capsys, tmp_path, fails):
    record = as_json(capsys, "datasets")
    assert record["wisconsin"]["n_rows"] == 699
    assert record["votes"]["n_missing"] == 392
    out = str(tmp_path / "w.csv")
    assert as_json(capsys, "datasets", "export", "wisconsin", "-o", out)["output"] == out
    data, exported = load_wisconsin(complete=False), pd.read_csv(out)
    np.testing.assert_array_equal(exported[data.feature_names].to_numpy(), data.data)
    assert exported["class"].tolist() == data.target_names[data.target].tolist()
    assert "did you mean 'wisconsin'?" in fails(["datasets", "export", "wiscosin"], 2)


def test_an_exported_set_is_exact(capsys):
    assert cli.main(["datasets", "export", "xor3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    X = make_xor3(random_state=0).data
    assert [[float(c) for c in line.split(",")[:-1]] for line in lines[1:]] == X.tolist()


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (["fit", "{table}", "--target", "outcome"], "{table}"),
        (["predict", "{model}", "{table}", "--no-intervals"], "{table}"),
        (["report", "{model}", "{table}"], "{table}"),
        (["report", "{model}", "{table}"], "{model}"),
        (["tree", "{model}", "--text"], "{link}"),
    ],
)
def test_what_a_command_reads_is_never_written_over(trained, tmp_path, fails, call, place):
    names = {"model": str(tmp_path / "m.sweeptree"), "table": str(tmp_path / "t.csv")}
    for name, source in zip(names.values(), trained, strict=True):
        Path(name).write_bytes(Path(source).read_bytes())
    names["link"] = str(tmp_path / "link")
    Path(names["link"]).symlink_to(names["model"])
    output = place.format(**names)
    before = Path(output).read_bytes()
    arguments = [word.format(**names) for word in call]
    assert "would be written over" in fails([*arguments, "-o", output], 2)
    assert Path(output).read_bytes() == before
