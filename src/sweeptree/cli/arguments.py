"""Options and arguments that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

TABLE_HELP = "CSV file with a header line, or Parquet; - is standard input"

Commands = argparse._SubParsersAction


class ShowVersion(argparse.Action):
    """Shows the version; looks it up only when it is asked for, which is slow."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and end."""
        import sweeptree

        print(f"sweeptree {sweeptree.__version__}")
        parser.exit()


class AddNames(argparse.Action):
    """Adds the names in a list to those of the same option before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep them; a value that is no list, such as "from_dtype", stands for itself."""
        before = getattr(namespace, self.dest, None)
        if isinstance(before, list) and isinstance(values, list):
            values = [*before, *values]
        setattr(namespace, self.dest, values)


def add_command(
    commands: Commands[argparse.ArgumentParser], call: str, what: str, example: str
) -> argparse.ArgumentParser:
    """Add a command; its call starts with its name."""
    name = call.partition(" ")[0]
    command = commands.add_parser(
        name,
        usage=f"sweeptree {call} [options]",
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_general_options(command, default=False)
    return command


def add_general_options(command: argparse.ArgumentParser, default: bool | str) -> None:
    """Add what every command has."""
    general = command.add_argument_group("general options")
    for flag, what in (
        ("--json", "print one JSON document instead of tables"),
        ("--quiet", "no notes, warnings or progress; errors only"),
        ("--debug", "show the traceback of an error"),
    ):
        general.add_argument(flag, action="store_true", default=default, help=what)


def add_model_and_table(command: argparse.ArgumentParser) -> None:
    """Add the model and the table that it is used on."""
    command.add_argument("model", metavar="MODEL", help="a model that `sweeptree fit` saved")
    command.add_argument("table", metavar="TABLE", help=TABLE_HELP)


def add_target(command: argparse.ArgumentParser, *, is_required: bool) -> None:
    """Add the option that names the column of the classes."""
    default = "" if is_required else "; default: the one column that holds the model's classes"
    command.add_argument(
        "--target",
        required=is_required,
        metavar="COLUMN",
        help=f"column of the classes{default}",
    )


def add_drop(command: argparse.ArgumentParser) -> None:
    """Add the option that leaves columns out."""
    add_columns(command, "--drop", "columns to leave out")


def add_columns(command: argparse.ArgumentParser, flag: str, what: str) -> None:
    """Add an option that takes several columns; commas are left to be part of their names."""
    command.add_argument(
        flag,
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help=f"{what}; several are parted by spaces",
    )


def add_table_output(command: argparse.ArgumentParser) -> None:
    """Add where a table goes."""
    command.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="CSV or Parquet by its suffix; default: -, standard output, in CSV",
    )


def add_level(command: argparse.ArgumentParser) -> None:
    """Add the level of credible intervals."""
    command.add_argument(
        "--level", type=share, default=0.95, metavar="P", help="of the intervals; default: 0.95"
    )


def add_scheduler(command: argparse.ArgumentParser) -> None:
    """Add the cluster to which work is sent."""
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the Dask cluster with this scheduler, such as tcp://127.0.0.1:8786; what "
        "comes out is the same",
    )


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Add how long, on how many threads and from which seed strategies are compared."""
    command.add_argument(
        "--quick", action="store_true", help="short chains: to see what comes out, not for numbers"
    )
    command.add_argument(
        "--n-jobs", type=positive, metavar="N", help="threads; default: one per core"
    )
    add_random_state(command, "the folds and the chains")
    add_scheduler(command)


def add_random_state(command: argparse.ArgumentParser, of: str) -> None:
    """Add the seed."""
    command.add_argument(
        "--random-state", type=seed, default=0, metavar="SEED", help=f"seed of {of}; default: 0"
    )


def share(text: str) -> float:
    """Read a number between 0 and 1, both excluded."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return number


def count(text: str) -> int:
    """Read a whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number


def seed(text: str) -> int:
    """Read a seed."""
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^32 - 1")
    return int(text)
