"""Every plot is one function and one row: it is on the face under its key, and says how to read it."""

import inspect

import numpy as np
import plotly.graph_objects as go

from s2s import plots
from s2s.plots import PLOTS, Plot


def empty_arguments(plot: Plot) -> dict[str, object]:
    """Empty data, and an empty text for each label, for every argument without a default."""
    required = [
        each
        for each in inspect.signature(plot.draw).parameters.values()
        if each.default is inspect.Parameter.empty
    ]
    return {each.name: EMPTY.get(each.name, _empty(str(each.annotation))) for each in required}


EMPTY = {"others": (0, 0.0), "trained": (1, 2), "axes": ("", "")}


def _empty(annotation: str) -> object:
    if annotation == "str":
        return ""
    if annotation in ("int", "float"):
        return 0
    if annotation.startswith("Mapping"):
        return {}
    if annotation.startswith(("Sequence", "tuple")):
        return ()
    return np.zeros((0, 0), np.float32)


def test_a_plot_of_nothing_says_why_it_is_empty() -> None:
    for name in PLOTS:
        figure = PLOTS[name].draw(**empty_arguments(PLOTS[name]))
        assert isinstance(figure, go.Figure)
        assert not figure.data
        (note,) = figure.layout.annotations
        assert note.text.endswith(".")
        assert figure.layout.dragmode is False  # it does not catch the page's scrolling


def test_a_row_is_on_the_face_and_says_how_to_read_it() -> None:
    for name in PLOTS:
        assert PLOTS[name].caption.endswith(".")
        assert getattr(plots, "heatmap" if name == "attention" else name) is PLOTS[name].draw
