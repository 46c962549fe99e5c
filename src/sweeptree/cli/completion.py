"""Scripts for completion in shells, made from the parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from sweeptree.cli.estimator_options import estimator_options

BASH = """\
_sweeptree() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" offers=""
    case "$((COMP_CWORD + 1)) ${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}} $word" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$offers" -- "$word"))
}}
complete -o default -F _sweeptree sweeptree
"""

ZSH = """\
#compdef sweeptree
_sweeptree() {{
    local offers=""
    case "$CURRENT ${{words[2]}} ${{words[CURRENT-1]}} ${{words[CURRENT]}}" in
{cases}
    esac
    if [[ -n "$offers" ]]; then compadd -- ${{=offers}}; else _files; fi
}}
compdef _sweeptree sweeptree
"""


class Command(NamedTuple):
    """A command as a shell needs to know it."""

    name: str
    what: str
    flags: dict[str, str]
    """Its options, and what they are."""
    values: dict[str, list[str]]
    """Words that may follow an option that takes a value; none: a file may."""
    words: list[str]
    """Words that may stand without an option before them."""


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return a script for bash, zsh or fish; where nothing is known, it offers files.

    Parameters
    ----------
    parser : ArgumentParser
    shell : {"bash", "zsh", "fish"}
    """
    commands = list(_commands(parser))
    if shell == "fish":
        return "\n".join(_fish_lines(commands)) + "\n"
    template = {"bash": BASH, "zsh": ZSH}[shell]
    return template.format(cases="\n".join(f"        {case}" for case in _cases(commands)))


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    choices_of_estimator = {each.flag: each.choices for each in estimator_options()}
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        helps = {each.dest: each.help or "" for each in action._choices_actions}
        for name, command in action.choices.items():
            actions = list(_actions_of(command))
            flags = {flag: each.help or "" for each in actions for flag in each.option_strings}
            values = {
                flag: [str(choice) for choice in each.choices or ()]
                or choices_of_estimator.get(flag, [])
                for each in actions
                for flag in each.option_strings
                if each.nargs != 0
            }
            words = [
                str(word) for each in actions if not each.option_strings
                for word in each.choices or ()
            ]  # fmt: skip
            yield Command(name, helps[name], flags, values, words)


def _actions_of(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the actions of a command and of those below it."""
    for action in command._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions_of(below)


def _cases(commands: list[Command]) -> Iterator[str]:
    """Yield cases over "number of the word, command, word before, word"; the first match counts."""
    yield _case("'2 '*", [command.name for command in commands] + ["--help", "--version"])
    for name, _, flags, values, words in commands:
        for flag, choices in values.items():
            if choices or words:
                yield _case(f"*' {name} {flag} '*", choices)
        yield _case(f"*' {name} '*' -'*", list(flags))
        if words:
            yield _case(f"*' {name} '*", words)


def _case(pattern: str, offers: list[str]) -> str:
    return f"{pattern}) offers='{' '.join(offers)}' ;;"


def _fish_lines(commands: list[Command]) -> Iterator[str]:
    for command in commands:
        what = shlex.quote(command.what)
        start = "complete -c sweeptree -n __fish_use_subcommand -f"
        yield f"{start} -a {command.name} -d {what}"
    for name, _, flags, values, words in commands:
        start = f"complete -c sweeptree -n '__fish_seen_subcommand_from {name}'"
        for flag, what in flags.items():
            kind = "-l" if flag.startswith("--") else "-s"
            line = f"{start} {kind} {flag.lstrip('-')} -d {shlex.quote(what.replace('%%', '%'))}"
            yield line + _fish_value(values, flag)
        if words:
            yield f"{start} -fa '{' '.join(words)}'"


def _fish_value(values: dict[str, list[str]], flag: str) -> str:
    """Say what follows an option: nothing, one of some words, or a file."""
    if flag not in values:
        return ""
    return f" -xa '{' '.join(values[flag])}'" if values[flag] else " -rF"
