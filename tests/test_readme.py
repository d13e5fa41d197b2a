"""README's promises: its commands and its tree exist."""

import re
from pathlib import Path

import pytest

from s2s.cli.parser import make_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_two_commands_are_there_on_lines_of_their_own() -> None:
    lines = README.splitlines()
    assert "pip install -r requirements.txt && streamlit run streamlit_app.py" in lines
    assert "pip install -r requirements-dev.txt && python -m pytest" in lines


@pytest.mark.parametrize(
    "line", re.findall(r"^(?:echo.*\| )?python -m s2s (.*?)(?:   .*)?$", README, re.MULTILINE)
)
def test_every_command_line_parses(line: str) -> None:
    make_parser().parse_args(line.split())


def test_the_tree_is_the_tree() -> None:
    named = set(
        re.findall(
            r"^  (\w+(?:\.py)?)/? ", README.split("## The way of a sentence")[1], re.MULTILINE
        )
    )
    there = {path.name for path in (ROOT / "s2s").iterdir() if not path.name.startswith("_")} - {
        "cli"
    }
    assert named == there


def test_torch_is_pinned_to_one_build() -> None:
    assert re.search(r"^torch==2\.13\.0 ", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
