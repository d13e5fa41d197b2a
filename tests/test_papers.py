"""CONTRIBUTING, SECURITY and CITATION name what is there."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.test_words import findings

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
PAPERS = ("CONTRIBUTING.md", "SECURITY.md", "docs/hosting.md")


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_names_files_that_exist_in_the_field_s_own_words(paper: str) -> None:
    text = (ROOT / paper).read_text()
    named = re.findall(r"`((?:s2s|tests|docs|pages|\.ci)/[\w./]*)`", text)
    named += [path for path in re.findall(r"\]\(([\w./]+)\)", text)]
    base = (ROOT / paper).parent
    missing = [path for path in named if not ((ROOT / path).exists() or (base / path).exists())]
    assert not missing
    assert not findings(ROOT / paper)


def test_what_is_promised_fits_a_page_and_each_promise_has_its_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert len(lines := text.splitlines()) <= 62
    assert max(map(len, lines)) <= 120
    promises = (
        text.partition("## What is promised")[2].partition("## What is not")[0].split("\n- ")[1:]
    )
    assert len(promises) > 12
    assert [one for one in promises if "`tests/" not in one] == []


def test_one_more_is_a_row_of_a_table_that_is_there() -> None:
    rows = re.findall(r"\| `([A-Z_]+)` in `(s2s/[\w/]+\.py)`", GUIDE)
    assert rows
    for table, path in rows:
        module = importlib.import_module(
            path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        )
        assert len(getattr(module, table)) > 1


def test_the_checks_by_hand_are_those_of_ci() -> None:
    steps = (ROOT / ".ci" / "run").read_text()
    for command in ("ruff check .", "ruff format --check .", "mypy"):
        assert f"\n{command}\n" in GUIDE
        assert f"\n{command}\n" in steps


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["cff-version"] == "1.2.0"
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["authors"]
    assert citation["title"].startswith(project["name"])
