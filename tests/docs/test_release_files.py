"""Files that a release needs agree with each other."""

import re
import tomllib

import pytest
import yaml
from tools import release_check

import sweeptree
from doc_pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GITHUB = ROOT / ".github"


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_is_of_this_version_and_names_the_paper():
    citation = read(ROOT / "CITATION.cff")
    (paper,) = citation["references"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] in PROJECT["project"]["license"]["text"]
    assert paper["title"] in readme
    assert all(author["family-names"] in readme for author in paper["authors"])


def test_the_installed_version_is_that_of_the_project():
    assert sweeptree.__version__ == PROJECT["project"]["version"]


def test_no_code_has_the_version_in_it():
    version = re.compile(rf"(?<![\d.]){re.escape(PROJECT['project']['version'])}(?![\d.])")
    code = [*(ROOT / "src").rglob("*.py"), *(ROOT / "cpp").rglob("*.?pp"), ROOT / "CMakeLists.txt"]
    assert [path for path in code if version.search(path.read_text(encoding="utf-8"))] == []


def test_wheels_are_built_and_checked_for_every_python_that_is_promised():
    promised = re.findall(r"Python :: 3\.(\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert PROJECT["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in promised]
    assert tuple(f"3.{minor}" for minor in promised) == release_check.PYTHONS
    assert PROJECT["project"]["requires-python"] == f">=3.{promised[0]}"


def test_tests_of_the_source_are_where_the_release_check_leaves_them_out():
    assert all((ROOT / "tests" / name).exists() for name in release_check.ABOUT_THE_SOURCE)


def test_only_a_tag_is_published_and_only_after_all_is_built():
    jobs = read(GITHUB / "workflows" / "wheels.yml")["jobs"]
    publish = jobs.pop("publish")
    assert set(publish["needs"]) == set(jobs)
    assert "refs/tags/v" in publish["if"]
    assert publish["permissions"] == {"id-token": "write"}
    assert not any("permissions" in job for job in jobs.values())


@pytest.mark.parametrize("name", ["bug", "question"])
def test_issue_forms_have_what_a_form_needs(name):
    form = read(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert form["name"]
    assert form["description"]
    assert len({part["id"] for part in form["body"]}) == len(form["body"])
    assert any(part.get("validations", {}).get("required") for part in form["body"])
