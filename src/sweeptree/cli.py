"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

SECTIONS = ("tables", "figures", "readings", "bias")
"""Of `experiments.plan`, which would be slow to import for --help."""

DONE, COULD_NOT, WRONG_CALL = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    options = _make_parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except KeyboardInterrupt:
        return _fail(_how_to_go_on(options), COULD_NOT)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return _fail(f"Cannot use{where}: {error.strerror or error}.", COULD_NOT)


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sweeptree",
        description="Bayesian decision-tree classification whose uncertainty can be trusted.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="fit the built-in Wisconsin data and show the result")
    demo.add_argument("--seed", type=_seed, default=0, help="seed of the split and of the chains")
    demo.set_defaults(run=_demo)
    _add_reproduce(commands)
    _add_compare(commands)
    return parser


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    reproduce = commands.add_parser(
        "reproduce",
        help="make the paper's tables and figures anew, and compare them with the printed ones",
    )
    reproduce.add_argument(
        "--only",
        nargs="+",
        choices=SECTIONS,
        default=SECTIONS,
        metavar="SECTION",
        help=f"sections to make, out of: {', '.join(SECTIONS)}; default: all",
    )
    reproduce.add_argument(
        "--output",
        type=Path,
        default=Path("reproduction"),
        metavar="DIR",
        help="where files go, and from where an interrupted run goes on; default: reproduction",
    )
    _add_run_options(reproduce)
    reproduce.set_defaults(run=_reproduce)


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compare = commands.add_parser(
        "compare", help="compare the strategies on a table of your own, in CSV"
    )
    compare.add_argument(
        "table", type=Path, metavar="TABLE", help="CSV file with a header line; numbers"
    )
    compare.add_argument("--target", required=True, metavar="COLUMN", help="column of the classes")
    compare.add_argument(
        "--min-samples-leaf",
        type=_positive,
        default=3,
        metavar="N",
        help="fewest training rows in a leaf, the paper's p_min; default: 3",
    )
    _add_run_options(compare)
    compare.set_defaults(run=_compare)


def _add_run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--quick", action="store_true", help="short chains: to see what comes out, not for numbers"
    )
    command.add_argument(
        "--jobs", type=_positive, metavar="N", help="threads; default: one per core"
    )
    command.add_argument("--seed", type=_seed, default=0, help="seed of the folds and the chains")


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^32 - 1")
    return int(text)


def _fail(message: str, status: int) -> int:
    print(f"sweeptree: {message}", file=sys.stderr)
    return status


def _how_to_go_on(options: argparse.Namespace) -> str:
    if options.command != "reproduce":
        return "Interrupted."
    return f"Interrupted; the same command goes on from what is finished in {options.output}."


def _demo(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sweeptree.demo import run_demo

    run_demo(options.seed, Console())
    return DONE


def _reproduce(options: argparse.Namespace) -> int:
    from joblib import effective_n_jobs
    from rich.console import Console

    from sweeptree.experiments.reproduce import reproduce

    sections = [name for name in SECTIONS if name in options.only]
    reproduce(
        options.output,
        sections,
        Console(),
        is_quick=options.quick,
        n_jobs=options.jobs or effective_n_jobs(-1),
        seed=options.seed,
    )
    return DONE


def _compare(options: argparse.Namespace) -> int:
    from joblib import effective_n_jobs
    from rich.console import Console

    from sweeptree.experiments.csv_file import WrongColumnError, read_csv
    from sweeptree.experiments.strategies import compare_strategies, describe

    try:
        table = read_csv(options.table, options.target)
        sheets = compare_strategies(
            table.rows,
            min_samples_leaf=options.min_samples_leaf,
            is_quick=options.quick,
            n_jobs=options.jobs or effective_n_jobs(-1),
            seed=options.seed,
        )
    except WrongColumnError as error:
        return _fail(str(error), WRONG_CALL)
    except ValueError as error:
        return _fail(str(error), COULD_NOT)
    console = Console()
    for sheet in sheets:
        console.print(sheet.to_rich())
    console.print(describe(options.quick), highlight=False)
    return DONE
