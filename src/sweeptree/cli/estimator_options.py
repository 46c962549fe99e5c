"""The estimator's parameters as options, learned from its source.

Importing the estimator would import scikit-learn, which takes longer than ``--help`` may.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ESTIMATOR = "BayesianTreeClassifier"
SOURCE = Path(__file__).parents[1] / "estimator.py"

QUOTED = r"""(?<!\w)(?P<quote>["']).*?(?P=quote)(?!\w)"""
NO_PATH_BEFORE = r"(?<![\w./\\-])"
NO_PATH_BEHIND = r"(?![\w/\\-]|\.\w)"


class EstimatorOption(NamedTuple):
    """A parameter of the estimator."""

    name: str
    annotation: str
    """Its type in Python's words."""
    default: object
    type_in_words: str
    """Of the docstring: what may be given, and the default."""
    description: str
    """Of the docstring, on one line."""

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return flag_of(self.name)

    @property
    def choices(self) -> list[str]:
        """Words among which to choose; none if anything else may be given."""
        braces = re.match(r"\{(.*?)\}", self.type_in_words)
        return re.findall(r'"([^"]+)"', braces[1]) if braces else []

    @property
    def metavar(self) -> str:
        """What stands for its value in the help."""
        if self.choices:
            return f"{{{','.join(self.choices)}}}"
        return "NAME=VALUE,…" if "Mapping" in self.annotation else "VALUE"

    @property
    def first_sentence(self) -> str:
        """What it is, in short."""
        sentence = re.split(r"(?<=\.)\s", self.description, maxsplit=1)[0]
        return with_flags(sentence.replace("`", ""))

    @property
    def default_in_words(self) -> str:
        """What happens if it is not given; of None, what the docstring says that it means."""
        of_none = re.search(r"None: (.+?)\.(?=\s|$)", self.description)
        if self.default is not None or of_none is None:
            return str(self.default)
        return with_flags(of_none[1].replace("`", ""))

    @property
    def takes_names(self) -> bool:
        """Whether its value may be a list of names."""
        return "Sequence[str]" in self.annotation

    def value_of(self, text: str) -> object:
        """Turn what was written into a value of its type; the estimator checks the value."""
        value = value_of(text, self.annotation)
        is_one_of_a_list = isinstance(value, str) and self.takes_names
        return [value] if is_one_of_a_list and f'"{text}"' not in self.type_in_words else value


def flag_of(name: str) -> str:
    """Write a parameter as an option.

    Examples
    --------
    >>> flag_of("n_chains")
    '--n-chains'
    """
    return "--" + name.replace("_", "-")


@cache
def estimator_options() -> tuple[EstimatorOption, ...]:
    """Return all parameters of the estimator, in the order of its signature."""
    estimator = _class_definition()
    described = _described_parameters(ast.get_docstring(estimator) or "")
    return tuple(
        EstimatorOption(
            argument.arg,
            ast.unparse(argument.annotation) if argument.annotation else "",
            ast.literal_eval(default),
            *described[argument.arg],
        )
        for argument, default in _arguments(estimator)
    )


def _class_definition() -> ast.ClassDef:
    for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == ESTIMATOR:
            return node
    raise LookupError(f"{SOURCE} does not define {ESTIMATOR}")


def _arguments(estimator: ast.ClassDef) -> Iterator[tuple[ast.arg, ast.expr]]:
    for node in estimator.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                if default is not None:
                    yield argument, default


def _described_parameters(docstring: str) -> dict[str, tuple[str, str]]:
    """Return the type and the description of each parameter in a numpydoc docstring."""
    section = re.search(r"Parameters\n-+\n(.*?)\n\n\w+\n-+\n", docstring, re.DOTALL)
    lines = section[1] if section else ""
    entries = re.findall(r"^(\w[\w, ]*) : (.+)\n((?:(?:    .*)?\n?)*)", lines, re.MULTILINE)
    return {
        name: (" ".join(type_in_words.split()), " ".join(text.split()))
        for names, type_in_words, text in entries
        for name in names.split(", ")
    }


def value_of(text: str, annotation: str) -> object:
    """Turn text into a value that an annotation allows; text that fits none stays as it is.

    Examples
    --------
    >>> value_of("4", "int"), value_of("none", "int | None"), value_of("auto", "int | str")
    (4, None, 'auto')
    >>> value_of("0.5,1", "float | Sequence[float] | str")
    [0.5, 1.0]
    >>> value_of("birth=0.5,death=0.5", "Mapping[str, float] | None")
    {'birth': 0.5, 'death': 0.5}
    """
    if "None" in annotation and text.lower() == "none":
        return None
    if "Mapping" in annotation and "=" in text:
        pairs = [part.partition("=") for part in text.split(",")]
        name_type = "int | str" if "Mapping[Any" in annotation else "str"
        return {
            _scalar(name.strip(), name_type): _scalar(value, "float") for name, _, value in pairs
        }
    if "Sequence" in annotation and "," in text:
        return [_scalar(part, annotation) for part in text.split(",")]
    return _scalar(text, annotation)


def _scalar(text: str, annotation: str) -> object:
    words = re.findall(r"\w+", annotation)
    if "bool" in words and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for name, convert in (("int", int), ("float", float)):
        try:
            if name in words:
                return convert(text)
        except ValueError:
            continue
    return text


def with_flags(message: str) -> str:
    """Write parameters in a message of the estimator as the options that they are here.

    Names that are also plain words, such as ``thin``, are only changed where they must be
    parameters: called so, before an equals sign, behind another one, as what has values. What
    stands in quotes, and what is part of a path, is left as it is.

    Examples
    --------
    >>> with_flags("The 'thin' parameter of BayesianTreeClassifier must be at least 1.")
    '--thin must be at least 1.'
    >>> with_flags('max_seconds stopped them; use n_draws="auto".')
    '--max-seconds stopped them; use --n-draws=auto.'
    >>> with_flags("alpha and class_prior do not go together; lower n_burn_in or thin.")
    '--alpha and --class-prior do not go together; lower --n-burn-in or --thin.'
    >>> with_flags("n_jobs.csv has no column 'max_leaves'; lower max_leaves.")
    "n_jobs.csv has no column 'max_leaves'; lower --max-leaves."
    """
    for pattern in _patterns():
        message = pattern.sub(_with_flag, message)
    return message.replace("model.summary()", "`sweeptree summary`")


def _with_flag(found: re.Match[str]) -> str:
    """Write a parameter that was found as an option; a text in quotes stays as it is."""
    parts = found.groupdict(default="")
    if not parts["name"]:
        return found[0]
    value = f"={parts['value']}" if "value" in parts else ""
    return parts.get("before", "") + flag_of(parts["name"]) + value


class _Patterns(NamedTuple):
    """How messages speak of parameters."""

    called_so: re.Pattern[str]
    before_value: re.Pattern[str]
    unmistakable: re.Pattern[str]
    """Names with _ in them."""
    behind_another: re.Pattern[str]
    """Or behind a word that says to change it."""
    as_subject: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    names = [option.name for option in estimator_options()]
    any_name = f"(?P<name>{'|'.join(names)})"
    any_with_dash = f"(?P<name>{'|'.join(name for name in names if '_' in name)})"
    return _Patterns(
        called_so=re.compile(rf"The '{any_name}' parameter(?: of {ESTIMATOR})?"),
        before_value=_outside_quotes(rf'{NO_PATH_BEFORE}{any_name}="?(?P<value>[\w.-]+)"?'),
        unmistakable=_outside_quotes(f"{NO_PATH_BEFORE}{any_with_dash}{NO_PATH_BEHIND}"),
        behind_another=_outside_quotes(
            r"(?P<before>--[\w-]+(?:,| and| or| \*) |\b(?:raise|lower|another) )"
            f"{any_name}{NO_PATH_BEHIND}"
        ),
        as_subject=re.compile(rf"^{any_name}(?= (?:has \w+ values?|must be|and --))"),
    )


def _outside_quotes(pattern: str) -> re.Pattern[str]:
    """Make a pattern that finds what is in quotes before the other one can look into it."""
    return re.compile(f"{QUOTED}|{pattern}")
