"""`sweeptree report`."""

import json
import shutil
from pathlib import Path

import pytest

from sweeptree import cli


def test_a_report_is_written_with_and_without_a_table(trained, tmp_path, capsys):
    with_rows = tmp_path / "with.html"
    assert cli.main(["report", *trained, "-o", str(with_rows), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_test_rows"] == 60
    assert record["n_bytes"] == with_rows.stat().st_size
    assert "60 test rows" in with_rows.read_text(encoding="utf-8")
    assert cli.main(["report", trained[0]]) == 0
    without = Path(trained[0]).with_suffix(".html")
    assert f"Wrote {without}" in capsys.readouterr().out.replace("\n", "")
    assert "No scores" in without.read_text(encoding="utf-8")


def test_wrong_calls_are_refused(trained, fails, tmp_path):
    assert "TABLE, which was not given" in fails(["report", trained[0], "--target", "outcome"], 2)
    assert "file of its own" in fails(["report", trained[0], "-o", "-"], 2)
    assert "is a directory" in fails(["report", trained[0], "-o", str(tmp_path)], 1)
    call = ["report", *trained, "--target", "outcom", "-o", str(tmp_path / "r.html")]
    assert "did you mean 'outcome'?" in fails(call, 2)


@pytest.mark.slow
def test_the_demo_ends_with_a_report(capsys):
    assert cli.main(["demo", "--json"]) == 0
    report = Path(json.loads(capsys.readouterr().out)["report"])
    text = report.read_text(encoding="utf-8")
    shutil.rmtree(report.parent)
    assert "cell_size" in text
    assert "benign" in text
