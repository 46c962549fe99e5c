"""Every command on a table with text, dates, booleans and holes, from CSV and from Parquet."""

import json

import numpy as np
import pandas as pd
import pytest

from mixed_tables import mixed_table
from sweeptree import cli, load

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHORT = ["--n-burn-in", "2000", "--n-draws", "40", "--thin", "10", "--n-chains", "2"]
SHORT += ["--random-state", "0", "--quiet"]


@pytest.fixture(scope="module", params=["csv", "parquet"])
def trained(request, tmp_path_factory):
    """The files of a model and of its table."""
    directory = tmp_path_factory.mktemp("mixed")
    table, y = mixed_table()
    path, model = str(directory / f"patients.{request.param}"), str(directory / "m.sweeptree")
    whole = table.assign(outcome=y)
    if request.param == "csv":
        whole.to_csv(path, index=False)
    else:
        whole.to_parquet(path)
    assert cli.main(["fit", path, "--target", "outcome", "-o", model, *SHORT]) == 0
    return model, path


def run(capsys, *arguments):
    assert cli.main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_model_is_the_one_that_the_library_fits(trained):
    table, y = mixed_table()
    model = load(trained[0])
    assert [column.kind for column in model.columns_] == [
        "number", "category", "boolean", "date", "category", "number",
    ]  # fmt: skip
    fitted = model.set_params(progress=False).fit(table, y)
    np.testing.assert_array_equal(
        load(trained[0]).predict_proba(table), fitted.predict_proba(table)
    )


def test_rows_are_predicted_with_holes_and_unseen_levels(trained, tmp_path):
    table, _ = mixed_table()
    odd = table.head(20).assign(ward="Z", smoker=None)
    odd.to_csv(tmp_path / "odd.csv", index=False)
    out = tmp_path / "out.csv"
    arguments = ["predict", trained[0], str(tmp_path / "odd.csv"), "-o", str(out), "--quiet"]
    assert cli.main(arguments) == 0
    found = pd.read_csv(out)
    expected = load(trained[0]).uncertainty(odd, by_class=True)
    np.testing.assert_allclose(
        found["probability_ill"], expected["probability_ill"], rtol=0, atol=0.51e-6
    )
    assert set(found["outside_in"]) == {"ward, smoker"}


def test_other_commands_take_it_too(trained, capsys):
    model, path = trained
    assert run(capsys, "evaluate", model, path)["scores"]["accuracy"] > 0.7
    assert run(capsys, "explain", model, path, "--row", "3")["prediction"]["probability"] > 0.5
    assert run(capsys, "summary", model)["columns"]["admitted"]["kind"] == "date"
    assert cli.main(["tree", model]) == 0
    assert " is " in capsys.readouterr().out


def test_strategies_are_compared_on_it(trained, capsys, monkeypatch):
    from sweeptree.experiments import strategies
    from sweeptree.experiments.fitting import Length
    from sweeptree.experiments.plan import Scale

    monkeypatch.setattr(strategies, "QUICK", Scale(Length(200, 50, 2), 2, 1, Length(200, 100, 2)))
    record = run(capsys, "compare", trained[1], "--target", "outcome", "--quick")
    assert len(record["sheets"]) == 2


def test_cell_that_does_not_fit_is_named_by_line_and_column(trained, tmp_path, capsys):
    table, _ = mixed_table()
    table.head(5).astype({"age": object}).assign(age=["50", "old", "51", "", "3"]).to_csv(
        tmp_path / "bad.csv", index=False
    )
    assert cli.main(["predict", trained[0], str(tmp_path / "bad.csv"), "-o", "-"]) == 1
    said = capsys.readouterr().err
    assert "line 3" in said
    assert "'age'" in said
