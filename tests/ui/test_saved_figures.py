"""Every figure can be saved as a picture, and its numbers as a table."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "s2s" / "ui"
DRAWN = ("chart", "clickable_chart")
SAVED = ("download_button", "_download", "downloads", "save_button", "_downloads", "_button")


def called(path: Path) -> set[str]:
    """The names of all functions that a module calls."""

    def names() -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func).rpartition(".")[2]

    return set(names())


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=str(path.relative_to(UI)))
        for path in sorted(UI.rglob("*.py"))
        if called(path) & set(DRAWN)
    ],
)
def test_a_module_that_draws_a_figure_offers_its_data(path: Path) -> None:
    assert called(path) & set(SAVED), "it draws a figure and offers no data as CSV"
    assert "CSV" in path.read_text(
        encoding="utf-8"
    ) or "captions.download_button" in path.read_text(encoding="utf-8")


def test_figures_are_drawn_by_the_kit_alone() -> None:
    """Whose camera button opens the dialog with format, size and font."""
    drawn = [path for path in UI.rglob("*.py") if "plotly_chart" in called(path)]
    assert drawn == [UI / "kit" / "charts.py"]
