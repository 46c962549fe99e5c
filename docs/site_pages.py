"""What the site has beside the files in docs: a hook of mkdocs, which calls the functions `on_…`.

The pages of docs can be read as they are, so some of their links go to files beside docs. The site
gets copies of these. Its pages on the command line are made from the parser.
"""

import argparse
import re
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

from sweeptree.cli.parser import make_parser

ROOT = Path(__file__).parents[1]
COPIED = ("benchmarks/results/*.svg", "examples/*.py")
WIDTH_OF_HELP = 80
LINK = re.compile(r"(?<=\]\()\.\./[^)\s]+(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the changelog, the commands, and what pages link to outside docs."""
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    files.append(File.generated(config, "reference/commands.md", content=page_of_commands()))
    for pattern in COPIED:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links that leave docs go to the copies."""
    folders_up = len(PurePosixPath(page.file.src_uri).parent.parts)
    outside = "../" * (folders_up + 1)

    def copied(link: re.Match[str]) -> str:
        return link[0].removeprefix("../") if link[0].startswith(outside) else link[0]

    return LINK.sub(copied, markdown)


def page_of_commands() -> str:
    """All that the parser knows, a section for each command."""
    parser = make_parser()
    introduction = (
        "# Commands\n\n"
        "What `--help` says of each command, from the same source. "
        "[The command line](../command-line.md) says how to use them."
    )
    sections = [section("sweeptree", parser)]
    sections += [section(f"sweeptree {name}", sub) for name, sub in commands_of(parser).items()]
    return "\n\n".join([introduction, *sections]) + "\n"


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Commands by name, those inside of others after these."""
    found = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found[name] = command
                found |= {f"{name} {sub}": inner for sub, inner in commands_of(command).items()}
    return found


def section(name: str, parser: argparse.ArgumentParser) -> str:
    """One command's help, as wide as a page."""
    parser.formatter_class = partial(parser.formatter_class, width=WIDTH_OF_HELP)  # type: ignore
    return f"## {name}\n\n```text\n{parser.format_help().rstrip()}\n```"
