"""Every figure can be saved as a picture, and its numbers as a table."""

import ast
from pathlib import Path

UI = Path(__file__).parents[2] / "s2s" / "ui"
DRAWN = {"chart", "clickable_chart"}
SAVED = {
    "download_button",
    "download",
    "_download",
    "downloads",
    "save_button",
    "_downloads",
    "_button",
}


def called(source: str) -> set[str]:
    """The names of all functions that a module calls."""
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    names = (getattr(function, "attr", getattr(function, "id", "")) for function in calls)
    return set(names)


def test_figures_are_drawn_by_the_kit_alone_and_a_module_that_draws_one_offers_its_data() -> None:
    """The kit's camera button opens the dialog with format, size and font."""
    texts = {path: path.read_text(encoding="utf-8") for path in UI.rglob("*.py")}
    # the others call none of them
    sources = {path: text for path, text in texts.items() if "chart(" in text}
    calls = {path: called(source) for path, source in sources.items()}
    assert [path for path in sources if "plotly_chart" in calls[path]] == [UI / "kit" / "charts.py"]
    drawing = [path for path in sources if calls[path] & DRAWN]
    assert drawing
    # what `show` draws so has its menu
    drawing = [
        path for path in drawing if "show(" not in sources[path] or "draw=" not in sources[path]
    ]
    without = [path for path in drawing if not calls[path] & SAVED or "CSV" not in sources[path]]
    assert without == [], "they draw a figure and offer no data as CSV"
