"""Colors, sizes and the empty figure, the same for every plot."""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.colors import sample_colorscale, unlabel_rgb

SEQUENTIAL = "Cividis"  # Nuñez et al. 2018: reads the same with and without color vision
# of numbers with a sign: 0 and above as in SEQUENTIAL, below 0 blues that are as bright as its yellows
BELOW_ZERO = ("#A5E1FF", "#59B4E6", "#2D80BA", "#1B4F86", "#00224E")
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
FRAME = (
    ("#000000", 5),
    ("#ffffff", 2),
)  # black around white is visible on every color of the scale
INSET = 0.05  # of a cell, from its edge to its frame
ON_PAGE = "rgb(128, 132, 149)"  # of text beside cells: style.css gives it that of the page's text
SMALLEST = 12  # pixels, of text; Streamlit's theme takes less where a figure says nothing
MOST_DECADES = 8  # labeled on a log axis
FEWEST_TICKS = 3
ROOM = 1.2  # around the data, as a factor
TICK_LENGTH = 14  # characters of a token on an axis
NUMBERED = re.compile(r"(\d+ )?(.*)", re.DOTALL)
ISOLATE = "\u2068"  # text in the direction of its first letter, until ...
END_OF_ISOLATE = "\u2069"


def shortened(token: str, length: int = TICK_LENGTH) -> str:
    """A token truncated to `length`: `"incomprehensibility"` -> `"incomprehensi…"`."""
    return token if len(token) <= length else token[: length - 1] + "…"


def escaped(text: str) -> str:
    """Text that Plotly draws literally, although it reads `<b>`, `<br>` and `&amp;` as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def label(token: str, length: int = TICK_LENGTH) -> str:
    """A token, with its number or not, as a tick or cell that Plotly draws.

    A token of a right-to-left script is in its own direction, so that its `▁` is on its right: browsers would take the
    direction of the page.
    """
    written = escaped(shortened(token, length))
    if not any(unicodedata.bidirectional(character) in ("R", "AL") for character in written):
        return written
    number, word = NUMBERED.findall(written)[0]
    return f"{number}{ISOLATE}{word}{END_OF_ISOLATE}"


@functools.cache
def palette() -> npt.NDArray[np.uint8]:
    """The colors of the sequential scale: (256, 3) RGB."""
    colors = sample_colorscale(SEQUENTIAL, np.linspace(0, 1, 256).tolist())
    return np.array([unlabel_rgb(color) for color in colors]).round().astype(np.uint8)


def around_zero(limit: float) -> dict[str, Any]:
    """The colors of a heatmap of numbers with a sign, of which the largest has the size `limit`."""
    above = sample_colorscale(SEQUENTIAL, np.linspace(0, 1, 9).tolist())
    colors = [*BELOW_ZERO, *above[1:]]
    places = [*np.linspace(0, 0.5, len(BELOW_ZERO)), *np.linspace(0.5, 1, len(above))[1:]]
    scale = [[float(place), color] for place, color in zip(places, colors, strict=True)]
    return {"colorscale": scale, "zmin": -limit, "zmax": limit}


def shades(values: npt.NDArray[np.float32]) -> list[str]:
    """The color of each value in 0 to 1, one of the 256 of `palette`."""
    numbers = (np.clip(values, 0, 1).ravel() * 255).round().astype(int)
    return [_hex_palette()[number] for number in numbers]


@functools.cache
def _hex_palette() -> list[str]:
    return ["#" + bytes(rgb).hex() for rgb in palette()]


def text_colors(values: npt.NDArray[np.float32]) -> list[str]:
    """Black or white for each value in 0 to 1, whichever has more contrast with its color (at least 4.58:1, WCAG 2)."""
    return ["#000000" if value > _bright_from() else "#ffffff" for value in values.ravel()]


@functools.cache
def _bright_from() -> float:
    dark, bright = 0.0, 1.0
    while bright - dark > 1e-9:
        middle = (dark + bright) / 2
        (color,) = sample_colorscale(SEQUENTIAL, [middle])
        if luminance(unlabel_rgb(color)) > 0.179:
            bright = middle
        else:
            dark = middle
    return bright


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
    """The layout that figures with two ordinary axes share, as one dict: Plotly validates every update of a figure."""
    return {
        "title": heading(title),
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 48, "b": 8},
        "xaxis": _axis(x_label),
        "yaxis": _axis(y_label),
        "legend": {"orientation": "h", "y": -0.25, "x": 0, "font": {"size": SMALLEST}},
        "dragmode": False,
    }


def _axis(label: str) -> dict[str, Any]:
    return {
        "title": {"text": escaped(label)},
        "tickfont": {"size": SMALLEST},
        "rangemode": "tozero",
        "fixedrange": True,
    }


def log_axis(low: float, high: float) -> dict[str, Any]:
    """A logarithmic axis from `low` to `high`, both above 0, whose every label is a whole number of its own.

    Plotly alone writes the 2 and 5 between two decades without their power of ten.
    """
    ticks = log_ticks(low, high)
    return {
        "type": "log",
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [_power(tick) for tick in ticks],
    }


def log_ticks(low: float, high: float) -> list[float]:
    """The ticks of a log axis: `1, 2, 5, 10 ...` over up to three decades, decades over more; rounder ones where these
    are too far apart.

    They reach a little beyond both ends: Plotly leaves room around the data.
    """
    low, high = max(low, 1e-30), max(high, 1e-30)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    n_decades = math.log10(high / low)
    if n_decades < 1e-6:
        return [low]
    if n_decades > MOST_DECADES:
        stride = math.ceil(n_decades / MOST_DECADES)
        return [10.0**power for power in range(first - first % stride, last + 1, stride)]
    for factors in ((1, 2, 5) if n_decades <= 3 else (1,), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        ticks = [
            float(f"{factor}e{power}")
            for power in range(first - 1, last + 1)
            for factor in factors
            if low / ROOM <= float(f"{factor}e{power}") <= high * ROOM
        ]
        if sum(low <= tick <= high for tick in ticks) >= FEWEST_TICKS:
            return ticks
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9 * high)))
    return [
        float(f"{step * i:.12g}") for i in range(round(low / step), round(high / step) + 2) if i
    ]


def _power(value: float) -> str:
    if 1e-3 <= value < 1e6:
        return f"{value:,.10g}"
    digits, power = f"{value:.10e}".split("e")
    factor = f"{float(digits):g}"
    return f"{'' if factor == '1' else factor + '·'}10<sup>{int(power)}</sup>"


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
