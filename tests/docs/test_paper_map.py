"""docs/paper-map.md says where the paper's equations are in the code."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "src" / "sweeptree" / "reference"
KERNEL = ROOT / "cpp"
PAGE = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")


def rows():
    """Equations of each row, and the functions named in its two last columns."""
    for line in PAGE.splitlines():
        if re.match(r"\| (\d|section)", line):
            equations, _, reference, kernel = (cell.strip() for cell in line.strip("|").split("|"))
            yield equations, named_in(reference), named_in(kernel)


def named_in(cell):
    """Pairs of file and function: a file is named once for all functions up to the next."""
    found, file = [], None
    for name in re.findall(r"`([^`]+)`", cell):
        if name.endswith((".py", ".hpp")):
            file = name
        else:
            found.append((file, name))
    return found


def functions_of(path):
    """Docstrings of functions and methods by their names, `Class.method` of the latter."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for function in inner:
            if isinstance(function, ast.FunctionDef):
                yield prefix + function.name, ast.get_docstring(function) or ""


def cited():
    """Equation, file and function, wherever a docstring of the reference engine names one."""
    for path in sorted(REFERENCE.glob("*.py")):
        for name, docstring in functions_of(path):
            for equation in re.findall(r"Eq\. (\d+)", docstring):
                yield equation, path.name, name


def test_the_map_has_every_equation():
    mapped = {int(n) for equations, *_ in rows() for n in re.findall(r"\d+", equations)}
    assert mapped == set(range(1, 17))
    assert "Eq. 17" in PAGE


@pytest.mark.parametrize(
    ("reference", "kernel"),
    [pytest.param(*functions, id=equations) for equations, *functions in rows()],
)
def test_functions_of_the_map_exist_in_both_engines(reference, kernel):
    assert reference
    assert kernel
    for file, name in reference:
        assert name in dict(functions_of(REFERENCE / file))
    for file, name in kernel:
        source = (KERNEL / file).read_text(encoding="utf-8")
        assert re.search(rf"^ *(static |inline )*[\w:<>]+ {name}\(", source, re.MULTILINE)


def test_docstrings_that_name_an_equation_are_on_the_map():
    mapped = {
        (equation, *function)
        for equations, reference, _ in rows()
        for equation in re.findall(r"\d+", equations)
        for function in reference
    }
    assert len(list(cited())) > 10
    assert set(cited()) <= mapped


def test_comments_of_the_kernel_name_equations_only_where_the_map_has_them():
    mapped = {
        (equation, file)
        for equations, _, kernel in rows()
        for equation in re.findall(r"\d+", equations)
        for file, _ in kernel
    }
    settings_alone = {("15", "strategies.hpp")}
    cited = {
        (equation, path.name)
        for path in KERNEL.glob("*.hpp")
        for equation in re.findall(r"Eq\. (\d+)", path.read_text(encoding="utf-8"))
    }
    assert cited - settings_alone <= mapped


def test_every_file_of_the_reference_engine_has_its_twin_in_the_kernel():
    names = {path.stem for path in REFERENCE.glob("*.py")} - {"__init__"}
    assert names <= {path.stem for path in KERNEL.glob("*.hpp")}
