"""Who may import whom: the arrows of the design, as code."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEAVES = {"config", "files", "words"}
ENGINE = {
    "config",
    "settings",
    "scores",
    "files",
    "hub",
    "data",
    "tokenizers",
    "model",
    "train",
    "decode",
    "analysis",
    "runs",
    "jobs",
    "sizing",
}
MAY = {
    "config": {"words"},
    "files": {"config"},
    "settings": LEAVES,
    "hub": LEAVES | {"settings"},
    "scores": LEAVES,
    "tokenizers": LEAVES,
    "model": LEAVES,
    "sizing": LEAVES,
    "words": set(),
    "data": LEAVES | {"settings", "hub", "tokenizers"},
    "decode": LEAVES | {"scores"},
    "train": LEAVES | {"data", "tokenizers", "model", "sizing", "decode", "scores"},
    "analysis": LEAVES | {"model", "decode", "tokenizers", "scores"},
    "runs": LEAVES | {"settings", "model", "tokenizers", "decode", "analysis", "scores"},
    "jobs": ENGINE,
    "demo": ENGINE,
    "plots": LEAVES,
    "share": LEAVES,
    "ui": ENGINE | {"plots", "share", "demo"},
    "cli": ENGINE,
    "__init__": ENGINE,
    "__main__": {"cli"},
}
NO_TORCH = {
    "words",
    "sizing",
    "config",
    "settings",
    "files",
    "scores",
    "hub",
    "data",
    "tokenizers",
    "plots",
    "share",
}
NOT_HERE = {"streamlit": set(MAY) - {"ui"}, "torch": NO_TORCH}


def imports(path: Path) -> list[str]:
    """Every module a file names in an import, wherever in the file it stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module == "s2s"
                else [str(node.module)]
            )
    return found


def part(path: Path) -> str:
    """`s2s/model/size.py` -> `model`."""
    return path.relative_to(ROOT / "s2s").parts[0].removesuffix(".py")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "s2s").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_arrows_point_one_way(path: Path) -> None:
    own = part(path)
    for name in imports(path):
        package, _, rest = name.partition(".")
        if package == "s2s" and rest:
            other = rest.split(".")[0]
            assert other == own or other in MAY[own], f"{own} may not import {other}"
        assert own not in NOT_HERE.get(package, set()), f"{own} may not import {package}"


def test_importing_s2s_and_asking_for_help_costs_no_torch() -> None:
    light = ("s2s.config", "s2s.cli.progress", "s2s.cli.reading")
    for path in (ROOT / "s2s" / "__init__.py", *(ROOT / "s2s" / "cli").glob("*.py")):
        top = ast.Module(
            [
                node
                for node in ast.parse(path.read_text()).body
                if isinstance(node, (ast.Import, ast.ImportFrom))
            ],
            [],
        )
        names = {node.module for node in ast.walk(top) if isinstance(node, ast.ImportFrom)}
        assert not {
            name for name in names if name and name.startswith("s2s.") and name not in light
        }


@pytest.mark.parametrize("folder", ["s2s", "pages"])
def test_files_and_functions_stay_readable(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text()
        assert text.count("\n") <= (80 if folder == "pages" else 500), f"{path} is too long"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                doc = ast.get_docstring(node, clean=False)
                lines = (
                    (node.end_lineno or 0) - node.lineno + 1 - (doc.count("\n") + 1 if doc else 0)
                )
                assert lines <= 60, f"{path}:{node.lineno} {node.name} is too long"
