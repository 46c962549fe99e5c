"""The command line: a parser that is quick to make, and a module for each command."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from sweeptree.cli.calls import read_call
from sweeptree.cli.estimator_options import with_flags
from sweeptree.cli.parser import make_parser
from sweeptree.names import visible
from sweeptree.odd_text import OddTextWarning

DONE, COULD_NOT, WRONG_CALL = 0, 1, 2

WRONG_CALLS = {
    *("WrongCallError", "WrongColumnError", "UnknownFormatError", "InvalidParameterError"),
}
"""Errors that the call is to blame for; by name, since their modules are slow to import."""

IN_OUR_WORDS = {"ModelFileError", "TableFileError", "WrongCallError"}
"""Errors that speak of options, files and columns; these may be called like parameters."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    options = read_call(make_parser(), arguments)
    try:
        with _warnings_in_one_line(is_quiet=options.quiet):
            import_module(f"sweeptree.cli.commands.{options.command}").run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough
        _give_up_output()
    except KeyboardInterrupt:
        return _fail(_how_to_go_on(options), COULD_NOT)
    except Exception as error:
        if options.debug:
            raise
        if isinstance(error, OSError):
            _give_up_output()
        return _fail(*_describe(error))
    return DONE


def _give_up_output() -> None:
    """Let what is still to be written go nowhere; Python would try again at the end, and fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _warnings_in_one_line(*, is_quiet: bool) -> Iterator[None]:
    def show(message: Warning | str, *_: object, **__: object) -> None:
        if not is_quiet:
            words = with_flags(_in_one_line(message))
            print(f"sweeptree: warning: {words}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            warnings.simplefilter("ignore", category)  # for those who program, not who type
        warnings.simplefilter("ignore", OddTextWarning)  # a note tells it in our words
        warnings.showwarning = show
        yield


def _fail(message: str, status: int) -> int:
    print(f"sweeptree: {message}", file=sys.stderr)
    return status


def _describe(error: Exception) -> tuple[str, int]:
    """Return an error in one sentence, and the exit status that it gives."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    message = _in_one_line(error)
    if kinds.isdisjoint(IN_OUR_WORDS):
        message = with_flags(message)
    if not kinds.isdisjoint(WRONG_CALLS):
        return message, WRONG_CALL
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        return f"Cannot use{where}: {error.strerror or error}.", COULD_NOT
    if isinstance(error, ValueError | ImportError):
        return message, COULD_NOT
    name = type(error).__name__
    return f"Unexpected {name}: {message} (--debug shows where it comes from).", COULD_NOT


def _in_one_line(message: object) -> str:
    return visible(" ".join(str(message).split()))


def _how_to_go_on(options: argparse.Namespace) -> str:
    if options.command != "reproduce":
        return "Interrupted."
    return f"Interrupted; the same command goes on from what is finished in {options.output}."
