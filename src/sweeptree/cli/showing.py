"""What commands print: tables for people, or one JSON document for programs."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.text import Text

from sweeptree.names import visible


class WrongCallError(ValueError):
    """Options that do not go together, or with the table."""


class PipeConsole(Console):
    """A console that says when nobody reads it any more, instead of ending the program."""

    def on_broken_pipe(self) -> None:
        """Let the command line end quietly."""
        raise BrokenPipeError


class Listing:
    """Things on a line, parted by commas; where it is too short, no thing is torn apart.

    Examples
    --------
    >>> Console(width=18, file=sys.stdout).print(Listing(["age 12 %", "iss 9 %", "pulse 7 %"]))
    age 12 %, iss 9 %,
    pulse 7 %
    """

    def __init__(self, things: Sequence[str]) -> None:
        shown = [visible(thing) for thing in things]
        self._parts = [*(f"{thing}," for thing in shown[:-1]), *shown[-1:]]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [cell_len(part) for part in self._parts]
        needed = Measurement(max(widths, default=0), sum(widths) + max(len(widths) - 1, 0))
        return needed.with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines: list[str] = []
        for part in self._parts:
            longer = f"{lines[-1]} {part}" if lines else part
            if lines and cell_len(longer) <= options.max_width:
                lines[-1] = longer
            else:
                lines.append(part)
        yield Text("\n".join(lines))


def note(options: argparse.Namespace, words: str) -> None:
    """Tell something by the way, on standard error."""
    if not options.quiet:
        print(f"sweeptree: note: {visible(words)}", file=sys.stderr)


def show(
    options: argparse.Namespace, record: Mapping[str, Any], *renderables: RenderableType
) -> None:
    """Print a result: the record as JSON if that is asked for, else the rest.

    Strings stay on their line, so that paths can be copied; a `Text` is wrapped.
    """
    if options.json:
        print(as_json(record))
        return
    console = PipeConsole()
    for renderable in renderables:
        console.print(renderable, highlight=False, soft_wrap=isinstance(renderable, str))


def escaped(name: object) -> str:
    r"""Write a name so that rich prints it as it is: no markup, nothing that steers a terminal.

    Examples
    --------
    >>> print(escaped("dose [mg]\x1b[31m"))
    dose \[mg]\x1b[31m
    """
    return escape(visible(str(name)))


def as_json(record: Any) -> str:
    """Write a record of numpy and Python values as JSON; what is not finite becomes null.

    Examples
    --------
    >>> print(as_json({"x": np.array([1.0, np.nan]), "n": np.int64(2)}))
    {
      "x": [
        1.0,
        null
      ],
      "n": 2
    }
    """
    return json.dumps(plain(record), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn numpy values and tables into plain Python ones, for JSON."""
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def percent(share: float, n_decimals: int = 1) -> str:
    """Write a share in per cent.

    Examples
    --------
    >>> percent(0.1234)
    '12.3 %'
    """
    return f"{100 * share:.{n_decimals}f} %"
