"""`sweeptree reproduce` as it is called, at a size that takes seconds."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console

import sweeptree
from sweeptree import cli
from sweeptree.experiments import plan, report
from sweeptree.experiments.fitting import Length
from sweeptree.experiments.parts import Parts
from sweeptree.experiments.plan import SECTIONS, Scale, Unit, plan_units
from sweeptree.experiments.reproduce import reproduce
from sweeptree.experiments.results import sum_up
from sweeptree.experiments.running import run_units
from sweeptree.writing import write_atomically

TINY = Scale(Length(200, 50, 2), 2, 1, Length(200, 100, 2))
FILES = {"tables.md", "results.json", "reproduction.md", "parts"}
FIGURES = {
    f"{name}.{kind}"
    for name in ("figure-1", "figure-2", "figure-3", "tables", "bias")
    for kind in ("png", "svg")
}


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr("sweeptree.experiments.reproduce.QUICK", TINY)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """Everything once, tiny: what it printed, and where it wrote."""
    output = tmp_path_factory.mktemp("reproduction")
    console = Console(record=True, width=200, file=open(os.devnull, "w"))  # noqa: SIM115
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sweeptree.experiments.reproduce.QUICK", TINY)
        reproduce(output, SECTIONS, console, is_quick=True, n_jobs=2)
    console.file.close()
    return console.export_text(), output


def results_of(output):
    return json.loads((output / "results.json").read_text(encoding="utf-8"))


def test_everything_is_written_and_nothing_else(whole_run):
    _, output = whole_run
    assert {path.name for path in output.iterdir()} == FILES | FIGURES
    for name in FIGURES:
        assert (output / name).stat().st_size > 5000
    assert not list(output.rglob("*.tmp"))


def test_the_terminal_shows_every_table_with_the_verdicts(whole_run):
    text, _ = whole_run
    for title in ("Table I.", "Table II.", "Table III.", "Table IV.", "Figs. 1 and 2", "Bias"):
        assert title in text
    for word in ("within the paper's interval", "outside", "not comparable"):
        assert word in text
    assert "impossible: at most 49.2" in text


def test_injury_is_called_a_stand_in_wherever_it_shows(whole_run):
    text, output = whole_run
    in_tables = [line for line in text.splitlines() if "Injury" in line]
    for name in ("tables.md", "reproduction.md"):
        content = (output / name).read_text(encoding="utf-8")
        in_tables += [line for line in content.splitlines() if line.startswith("| Injury")]
    assert len(in_tables) > 20
    assert all("Injury (synthetic stand-in)" in line for line in in_tables)
    for name in ("tables.svg", "figure-1.svg"):
        assert "Injury (synthetic stand-in)" in (output / name).read_text(encoding="utf-8")
    for row in results_of(output)["data_sets"]:
        assert row["is_stand_in"] == (row["data_set"] == "Injury")


def test_every_number_has_its_settings_seed_and_version(whole_run):
    _, output = whole_run
    results = results_of(output)
    assert results["version"] == sweeptree.__version__
    assert results["seed"] == 0
    assert results["is_quick"]
    for section in ("tables", "moves", "traces", "readings", "bias"):
        for row in results[section]:
            assert row["settings"]["model"]["n_burn_in"] == TINY.length.n_burn_in


def test_the_account_says_that_a_quick_run_says_little(whole_run):
    _, output = whole_run
    account = (output / "reproduction.md").read_text(encoding="utf-8")
    assert "quick run" in account
    assert "figure-3.svg" in account
    results = results_of(output) | {"is_quick": False}
    assert "quick run" not in report.account(results, [])


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_can_be_made_alone(section, whole_run, tmp_path, tiny, monkeypatch):
    """From the parts of the whole run, none of which is run again."""
    shutil.copytree(whole_run[1] / "parts", tmp_path / "parts")
    monkeypatch.setattr(Unit, "run", lambda self, seed: pytest.fail("ran again"))
    assert cli.main(["reproduce", "--quick", "--only", section, "--output", str(tmp_path)]) == 0
    assert results_of(tmp_path)["sections"] == [section]
    assert (tmp_path / "reproduction.md").read_text(encoding="utf-8").startswith("# The paper")


def test_numbers_do_not_depend_on_the_number_of_jobs(tmp_path):
    units = [u for u in plan_units(SECTIONS, TINY) if "Injury" not in u.name][::7]
    found = [run_units(units, Parts(tmp_path / str(n_jobs), 3), 3, n_jobs) for n_jobs in (1, 2, 5)]
    assert found[0] == found[1] == found[2]
    other_seed = run_units(units, Parts(tmp_path / "4", 4), 4, 2)
    assert other_seed != found[0]


def test_whole_runs_agree_whatever_the_jobs(whole_run, tmp_path, tiny):
    _, output = whole_run
    options = ["--quick", "--only", "bias", "--n-jobs", "1", "--output", str(tmp_path)]
    assert cli.main(["reproduce", *options]) == 0
    assert results_of(tmp_path)["bias"] == results_of(output)["bias"]


def a_unit():
    return next(unit for unit in plan_units(["tables"], TINY) if "/Votes/" in unit.name)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: text.replace('"record"', '"other"'),
        lambda text: text.replace('"n_test": 87', '"n_test": 78'),
        lambda text: text.replace('"version": "', '"version": "9'),
        lambda text: text.replace('"seed": 0', '"seed": 1'),
        lambda text: text.replace('"thin": 2', '"thin": 3'),
    ],
)
def test_a_damaged_or_stale_part_is_made_anew(damage, tmp_path):
    unit, parts = a_unit(), Parts(tmp_path, 0)
    whole = run_units([unit], parts, 0, 1)
    path = parts.path_of(unit)
    good = path.read_text()
    assert damage(good) != good
    path.write_text(damage(good))
    assert parts.load(unit) is None
    assert run_units([unit], parts, 0, 1) == whole
    assert path.read_text() == good


def test_bytes_that_are_no_text_are_made_anew(tmp_path):
    unit, parts = a_unit(), Parts(tmp_path, 0)
    path = parts.path_of(unit)
    path.write_bytes(b"\xff\xfe\x00")
    assert parts.load(unit) is None


def test_a_finished_unit_is_not_run_again(tmp_path, monkeypatch):
    unit, parts = a_unit(), Parts(tmp_path, 0)
    parts.save(unit, {"found": 1})
    monkeypatch.setattr(Unit, "run", lambda self, seed: pytest.fail("ran again"))
    assert run_units([unit], parts, 0, 1) == {unit.name: {"found": 1}}


def test_other_settings_have_other_parts(tmp_path):
    parts = Parts(tmp_path, 0)
    full = next(u for u in plan_units(["tables"], plan.FULL) if u.name == a_unit().name)
    assert parts.path_of(full) != parts.path_of(a_unit())
    assert Parts(tmp_path, 1).path_of(full) != parts.path_of(full)


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def start_reproducing(output):
    command = [sys.executable, "-m", "sweeptree", "reproduce", "--quick", "--only", "tables"]
    return subprocess.Popen(
        [*command, "--n-jobs", "1", "--output", str(output)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_parts(output, n_parts):
    deadline = time.monotonic() + 60
    while len(list(output.glob("parts/*.json"))) < n_parts and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
def test_an_interrupted_run_keeps_what_is_finished(how, tmp_path):
    process = start_reproducing(tmp_path)
    wait_for_parts(tmp_path, 3)
    start = time.monotonic()
    process.send_signal(how)
    message = process.communicate(timeout=20)[1]
    assert time.monotonic() - start < 10
    if how == signal.SIGINT:
        assert process.returncode == 1
        assert message.count("\n") == 1
        assert f"goes on from what is finished in {tmp_path}." in message
    units = plan_units(["tables"], plan.QUICK)
    finished = [unit for unit in units if Parts(tmp_path / "parts", 0).load(unit) is not None]
    assert 3 <= len(finished) < len(units)
    assert finished[0].run(0) == Parts(tmp_path / "parts", 0).load(finished[0])
    assert not (tmp_path / "results.json").exists()


@pytest.mark.slow
def test_an_interrupted_run_ends_with_the_numbers_of_a_whole_one(tmp_path):
    process = start_reproducing(tmp_path / "interrupted")
    wait_for_parts(tmp_path / "interrupted", 10)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 1
    for name in ("interrupted", "whole"):
        process = start_reproducing(tmp_path / name)
        process.communicate(timeout=200)
        assert process.returncode == 0
    assert results_of(tmp_path / "interrupted") == results_of(tmp_path / "whole")


def test_an_error_in_a_unit_is_not_swallowed(tmp_path, monkeypatch):
    def fail(self, seed):
        raise RuntimeError("no luck")

    monkeypatch.setattr(Unit, "run", fail)
    with pytest.raises(RuntimeError, match="no luck"):
        run_units([a_unit()], Parts(tmp_path, 0), 0, 2)


def test_without_matplotlib_tables_are_made_and_figures_are_explained(
    tmp_path, tiny, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["reproduce", "--quick", "--only", "bias", "--output", str(tmp_path)]) == 0
    assert 'pip install "sweeptree[plot]"' in " ".join(capsys.readouterr().out.split())
    assert {path.name for path in tmp_path.iterdir()} == FILES


def test_summing_up_does_not_depend_on_the_order_of_units(tmp_path):
    units = plan_units(["bias"], TINY)
    records = run_units(units, Parts(tmp_path, 0), 0, 2)
    backwards = dict(reversed(records.items()))
    assert sum_up(units, records, ["bias"], TINY, 0) == sum_up(
        units[::-1], backwards, ["bias"], TINY, 0
    )
