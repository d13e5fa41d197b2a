"""What README and docs promise: the commands, the files they link to, and the tree exist."""

import re
import tomllib
from pathlib import Path

import pytest

from benchmarks.options import arguments, commands
from s2s import versions
from s2s.cli import main
from s2s.cli.parser import make_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCS = sorted((ROOT / "docs").glob("*.md"))
COMMANDS = (ROOT / "docs" / "command-line.md").read_text()
LINK = re.compile(r"\]\((?!https?://|\.\./\.\./actions/)([^)#]+)")


def test_the_two_commands_are_there_on_lines_of_their_own() -> None:
    lines = README.splitlines()
    assert "pip install -r requirements.txt && streamlit run streamlit_app.py" in lines
    assert "pip install -r requirements-dev.txt && python -m pytest" in lines


@pytest.mark.parametrize(
    "line", re.findall(r"^(?:echo.*\| )?python -m s2s (.*?)(?:   .*)?$", COMMANDS, re.MULTILINE)
)
def test_every_command_line_parses(line: str) -> None:
    make_parser().parse_args(line.split())


@pytest.mark.parametrize("command", commands())
def test_every_command_and_option_is_on_the_page(command: str) -> None:
    assert re.search(
        rf"^python -m s2s {command}\b|\| python -m s2s {command}\b", COMMANDS, re.MULTILINE
    )
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| ", COMMANDS, re.MULTILINE)
    named = {written for written, names in rows if f"`{command}`" in names.split(", ")}
    taken = {written.replace("|", "\\|") for written, _ in arguments(commands()[command])}
    assert named == taken


@pytest.mark.parametrize("command", commands())
def test_an_option_that_a_command_lacks_is_one_sentence(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--no-such-option"])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith("--help`.\n")


def test_the_tree_is_the_tree() -> None:
    named = set(
        re.findall(
            r"^  (\w+(?:\.py)?)/? ",
            CONTRIBUTING.split("## The way of a sentence")[1].split("\n## ")[0],
            re.MULTILINE,
        )
    )
    there = {path.name for path in (ROOT / "s2s").iterdir() if not path.name.startswith("_")} - {
        "cli",
        "py.typed",
    }
    assert named == there


def test_torch_is_pinned_to_one_build() -> None:
    assert re.search(r"^torch==2\.13\.0 ", (ROOT / "requirements.txt").read_text(), re.MULTILINE)


def test_readme_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 90
    assert README.startswith(f"# {versions.NAME}\n")
    picture = ROOT / "docs" / "pictures" / "home.webp"
    assert picture.relative_to(ROOT).as_posix() in README
    assert picture.stat().st_size <= 2_000_000


def test_badges_are_true() -> None:
    """They say what pyproject.toml says, and what a workflow that exists has found."""
    of = "Programming Language :: Python :: "
    pythons = [one.removeprefix(of) for one in PROJECT["classifiers"] if one.startswith(of + "3.")]
    shields = "https://img.shields.io/badge/"
    assert f"{shields}python-{'_|_'.join(pythons)}-blue" in README
    assert f"{shields}license-{PROJECT['license'].replace('-', '--')}-blue" in README
    for workflow in re.findall(r"/actions/workflows/([\w.]+)", README):
        assert (ROOT / ".github" / "workflows" / workflow).exists()


def test_the_address_of_a_public_copy_is_in_one_place() -> None:
    (copy,) = re.findall(r"^\[copy\]: (https?://[^/]+)/attention\?", README, re.MULTILINE)
    assert README.count(copy) == README.count("][copy]") == 1
    assert "localhost" not in README.replace(copy, "")


@pytest.mark.parametrize("path", [ROOT / "README.md", *DOCS], ids=lambda path: path.name)
def test_linked_files_exist(path: Path) -> None:
    for target in LINK.findall(path.read_text()):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize(("name", "most"), [("pages", 120), ("results", 150), ("scale", 80)])
def test_a_page_for_readers_is_short(name: str, most: int) -> None:
    lines = (ROOT / "docs" / f"{name}.md").read_text().splitlines()
    assert len(lines) <= most
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
