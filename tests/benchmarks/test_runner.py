"""The runner: what it lists, runs, writes and shows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.growth import drawing_of
from benchmarks.outcome import ReportTable
from benchmarks.registry import NAMES, benchmark

from benchmarks import digest, pages, results

ROOT = Path(__file__).parents[2]
TINY = ["prediction", "--quick", "--sets", "Votes", "--n", "40", "--repeats", "1"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Where a real run has written."""
    made = tmp_path_factory.mktemp("results")
    main(["run", *TINY, "-o", str(made)])
    return made


@pytest.fixture(scope="module")
def result(directory):
    return json.loads((directory / "prediction.json").read_text())


def test_a_result_says_what_was_run_where_and_with_what(result):
    assert set(result) == set(results.FIELDS)
    assert result["benchmark"] == "prediction"
    assert result["command"] == "python -m benchmarks run " + " ".join(TINY)
    assert result["options"] == {"sets": ["Votes"], "n": 40, "repeats": 1}
    assert result["seeds"] == [0]
    assert result["seconds"] > 0
    assert result["machine"]["cpus"] >= 1
    assert {"processor", "flags", "memory_megabytes", "load"} <= set(result["machine"])
    assert set(result["versions"]) == {"python", *results.PACKAGES}


def test_a_result_holds_its_tables(result):
    (table,) = results.tables_of(result)
    ((name, *figures),) = table.rows
    assert name == "Votes"
    assert len(figures) == len(table.numbers)
    assert float(figures[-1]) > 0


def test_table_prints_what_the_run_has_written(directory, capsys):
    main(["table", str(directory / "prediction.json")])
    printed = capsys.readouterr().out
    assert printed == (directory / "prediction.md").read_text()
    assert "| table | leaves |" in printed
    assert "| --- | ---: |" in printed


def test_list_names_every_module_that_can_run(capsys):
    main(["list"])
    printed = capsys.readouterr().out
    modules = (ROOT / "benchmarks").glob("*.py")
    runnable = {path.stem for path in modules if "\ndef run(options" in path.read_text()}
    assert runnable == set(NAMES)
    assert all(name in printed for name in NAMES)


@pytest.mark.slow
def test_the_runner_is_a_command(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "run", *TINY, "-o", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "predict_proba, 40 draws" in done.stdout
    assert (tmp_path / "prediction.json").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_run_sets_only_options_that_there_are(name):
    chosen = benchmark(name)
    usual, quick = (vars(chosen.parser(is_quick).parse_args([])) for is_quick in (False, True))
    assert set(quick) == set(usual)


def test_list_shows_the_options_of_one(capsys):
    main(["list", "stopping"])
    assert "--seeds" in capsys.readouterr().out


def test_seeds_are_listed_counted_or_one():
    for name, arguments, seeds in (
        ("rates", ["--seeds", "3", "5"], [3, 5]),
        ("stopping", ["--seeds", "3"], [0, 1, 2]),
        ("held_out", ["--seed", "7"], [7]),
        ("moves", [], [0]),
    ):
        options = benchmark(name).parser().parse_args(arguments)
        assert results.describe(name, "", [], options, 0.0)["seeds"] == seeds


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "nothing"], "There is no benchmark 'nothing'; there are annealing,"),
        (["list", "nothing"], "There is no benchmark 'nothing'"),
        (["table", "nowhere.json"], "nowhere.json cannot be read: No such file or directory."),
        (["run", "peers_speed", "--peers", "cart"], "There is no peer 'cart'; there are bartz,"),
    ],
)
def test_a_name_that_is_not_there_is_told(arguments, complaint):
    with pytest.raises(SystemExit, match=complaint):
        main(arguments)


def test_a_file_that_is_no_result_is_told(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"benchmark": "moves"}')
    with pytest.raises(SystemExit, match=r"other\.json is no result .* it lacks title, command"):
        main(["table", str(path)])
    path.write_text("no JSON")
    with pytest.raises(SystemExit, match=r"other\.json is no JSON file"):
        main(["table", str(path)])


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="'Costs' has 2 columns, the row 1 cells"):
        ReportTable("Costs", ["table"], ["ns"]).add_row("Votes")


def test_a_picture_shows_every_point(tmp_path):
    found = [{"value": n, "nanoseconds": [n, 2 * n]} for n in (100, 1000, 10_000)]
    path = tmp_path / "growth-rows.svg"
    drawing_of("rows", found)(str(path))
    picture = path.read_text()
    assert all(f">{text}</text>" in picture for text in ("100", "1,000", "10,000", "ns of a move"))


def test_a_result_is_put_into_its_place_and_again(directory, result, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{pages.begin('prediction')}\nold\n{pages.END}\nafter\n")
    for _ in range(2):
        main(["table", str(directory / "prediction.json"), "--into", str(page)])
    text = page.read_text()
    assert pages.shown_on(text, "prediction") == results.as_markdown(result).strip()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text


def test_a_page_without_a_place_is_told(directory, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(SystemExit, match="The page has no place for prediction"):
        main(["table", str(directory / "prediction.json"), "--into", str(page)])


def test_a_digest_has_the_medians_of_all_sizes_beside_each_other(capsys):
    main(["digest", "--from", str(ROOT / digest.KEPT)])
    printed = capsys.readouterr().out
    result = results.read(ROOT / digest.KEPT / "peers_speed.json")
    first, *_, last = results.tables_of(result)
    package, median = first.rows[0][:2]
    assert f"| {package} | {median} |" in printed
    assert f"| {last.rows[0][1]} |" in printed
    assert result["command"] in printed


def test_a_digest_leaves_out_results_that_are_not_there(directory, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"{pages.begin(digest.NAME)}\nold\n{pages.END}\n")
    main(["digest", "--from", str(directory), "--into", str(page)])
    assert pages.shown_on(page.read_text(), digest.NAME) == ""
