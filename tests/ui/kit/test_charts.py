"""No text of a chart is smaller than what can be read on a phone."""

import numpy as np
import plotly.graph_objects as go
import pytest

from s2s import plots
from s2s.plots.positions import LineSeries, line_chart, matrix
from s2s.ui.kit.charts import _enlarge_small_text

WEIGHTS = np.full((3, 3), 1 / 3, np.float32)
TOKENS = ["a", "b", "c"]
LONG = ["a"] * 20
LINES = [LineSeries(name, [0, 1, 2], [1.0, 2.0, 3.0]) for name in ("one", "two")]
LABELS = {"title": "t", "x_label": "x", "y_label": "y"}


@pytest.mark.parametrize(
    "figure",
    [
        plots.heatmap(WEIGHTS, TOKENS, TOKENS, title="t"),
        plots.heatmap(np.full((20, 20), 0.05, np.float32), LONG, LONG, title="t"),
        matrix(WEIGHTS, **LABELS),
        line_chart(LINES, **LABELS),
        line_chart(LINES[:1], **LABELS),
        go.Figure(go.Pie(values=[1, 2], labels=["a", "b"])),
        go.Figure(go.Bar(x=[1], y=[2], text=["two"])),
    ],
)
def test_what_is_drawn_has_at_least_twelve_pixels(figure: go.Figure) -> None:
    _enlarge_small_text(figure)
    layout = figure.layout
    fonts = [axis.tickfont for axis in (*figure.select_xaxes(), *figure.select_yaxes())]
    fonts += [] if layout.showlegend is False else [layout.legend.font]
    for trace in figure.data:
        if trace.type == "heatmap" and trace.showscale is not False:
            fonts.append(trace.colorbar.tickfont)
        if trace.type in ("pie", "bar") or (
            trace.type == "scatter" and "text" in (trace.mode or "")
        ):
            fonts.append(trace.textfont)
    assert fonts
    assert all(font.size >= 12 for font in fonts)
