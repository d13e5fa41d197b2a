"""Colors, sizes and the empty figure, the same for every plot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.colors import sample_colorscale, unlabel_rgb

SEQUENTIAL = "Cividis"  # Nuñez et al. 2018: reads the same with and without color vision
MARGIN = {"l": 8, "r": 8, "t": 102, "b": 8}
CATEGORICAL = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
)  # Okabe and Ito
TICK_LENGTH = 14  # characters of a token on an axis


def shortened(token: str, length: int = TICK_LENGTH) -> str:
    """`"incomprehensibility"` -> `"incomprehensi…"`."""
    return token if len(token) <= length else token[: length - 1] + "…"


def escaped(text: str) -> str:
    """Text that Plotly draws literally, although it reads `<b>`, `<br>` and `&amp;` as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text_colors(values: npt.NDArray[np.float32]) -> list[str]:
    """Black or white for each value in 0 to 1, whichever has more contrast with its color (at least 4.58:1, WCAG 2)."""
    colors = sample_colorscale(SEQUENTIAL, np.clip(values, 0, 1).ravel().astype(float))
    return ["#000000" if luminance(unlabel_rgb(color)) > 0.179 else "#ffffff" for color in colors]


def luminance(rgb: Iterable[float]) -> float:
    """The relative luminance of an sRGB color (0 to 255) by WCAG 2."""
    channels = (value / 255 for value in rgb)
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def heading(title: str) -> dict[str, Any]:
    """A title of one or more lines, top left, drawn literally."""
    text = escaped(title).replace("\n", "<br>")
    return {
        "text": text,
        "x": 0,
        "xref": "container",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 10},
        "font": {"size": 14},
    }


def layout(title: str, height: int, x_label: str, y_label: str) -> dict[str, Any]:
    """What figures with two ordinary axes share, as one dict: Plotly validates every update of a figure."""
    return {
        "title": heading(title),
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 48, "b": 8},
        "xaxis": {"title": {"text": x_label}, "rangemode": "tozero", "fixedrange": True},
        "yaxis": {"title": {"text": y_label}, "rangemode": "tozero", "fixedrange": True},
        "legend": {"orientation": "h", "y": -0.25, "x": 0},
        "dragmode": False,
    }


def empty(why: str) -> go.Figure:
    """A figure that says why it is empty."""
    figure = go.Figure()
    figure.add_annotation(
        text=escaped(why),
        showarrow=False,
        x=0.5,
        y=0.5,
        xref="paper",
        yref="paper",
        font={"size": 16},
    )
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    return figure.update_layout(margin=MARGIN, height=240, dragmode=False)
