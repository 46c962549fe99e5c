"""`sweeptree tree`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sweeptree.cli.outputs import check_place, naming_output
from sweeptree.cli.showing import WrongCallError, as_json, note
from sweeptree.interpretation.tree import Tree
from sweeptree.loading import load
from sweeptree.writing import write_atomically

FORMS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".txt": "text", ".json": "json"}


def run(options: argparse.Namespace) -> None:
    """Show one tree of a model as text, a picture, Graphviz's language or JSON."""
    form = _form(options)
    if options.output:
        check_place(options.output, [options.model])
    tree = load(options.model).representative_tree(options.kind)
    text = _written(tree, form).rstrip("\n") + "\n"
    if options.output:
        with naming_output(options.output):
            write_atomically(Path(options.output), text)
    else:
        print(text, end="")
    note(options, f"{tree!r}{f', in {options.output}' if options.output else ''}.")


def _form(options: argparse.Namespace) -> str:
    if options.json:
        return "json"
    if options.form or not options.output:
        return options.form or "text"
    suffix = Path(options.output).suffix.lower()
    if suffix not in FORMS:
        raise WrongCallError(
            f"Cannot tell by its name what {options.output} is to be; end it in .svg, .dot or "
            ".txt, or say --svg, --dot or --text."
        )
    return FORMS[suffix]


def _written(tree: Tree, form: str) -> str:
    if form == "json":
        return as_json(tree.to_dict())
    return {"svg": tree.to_svg, "dot": tree.to_dot, "text": tree.to_text}[form]()
