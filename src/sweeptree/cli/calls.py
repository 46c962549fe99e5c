"""Reading a call: the command and its options, or what is wrong with them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sweeptree.names import nearest_name


def read_call(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """Parse a call; a word that its command does not know ends it, with what was likely meant.

    Parameters
    ----------
    parser : ArgumentParser
        Of all commands.
    arguments : sequence of str or None
        None: those of the process.
    """
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command = _parser_of_command(parser, options)
        command.error(_about(unknown, command))
    return options


def _parser_of_command(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> argparse.ArgumentParser:
    """Return the parser of the command that was called, or of the one below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            name = getattr(options, action.dest)
            return _parser_of_command(action.choices[name], options) if name else parser
    return parser


def _about(unknown: Sequence[str], command: argparse.ArgumentParser) -> str:
    where = f"`{command.prog} --help` has all options"
    flags = [word.partition("=")[0] for word in unknown if word.startswith("-")]
    if not flags:
        return f"{unknown[0]!r} is one word too many; {where}."
    nearest = nearest_name(flags[0].lstrip("-"), _names_of_options(command))
    meant = f"did you mean --{nearest}? " if nearest else ""
    return f"there is no option {flags[0]}; {meant}{where}."


def _names_of_options(command: argparse.ArgumentParser) -> list[str]:
    flags = (flag for action in command._actions for flag in action.option_strings)
    return [flag.removeprefix("--") for flag in flags if flag.startswith("--")]
