"""Plotly figures in one HTML file: their data, and the library that draws them, packed. Knows nothing of pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from s2s.config import UserError
from s2s.plots import theme
from s2s.reports import document, library

MOST_BYTES = 6_000_000
HEIGHT = 450  # pixels of a figure that names none
FIGURE = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
SCRIPT = (
    Path(__file__)
    .with_name("charts.js")
    .read_text(encoding="utf-8")
    .replace("CATEGORICAL", json.dumps(theme.CATEGORICAL))
)

LINES = Path(__file__).with_name("lines.js").read_text(encoding="utf-8")


def chart(figure: Mapping[str, Any], alt: str) -> str:
    """An empty container with the data of a figure, which the file's own script hands to Plotly.

    `figure` is Plotly's JSON, whose template gives way to the colors of the file.
    """
    layout = {name: value for name, value in figure["layout"].items() if name != "template"}
    drawn = {"data": figure["data"], "layout": layout}
    data = json.dumps(drawn, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    height = float(layout.get("height") or HEIGHT)
    size = f"height:{height:.0f}px"
    return (
        f'<div class="scroll"><div class="chart" role="img" aria-label="{document.text(alt)}" style="{size}">'
        f'<script type="application/json">{data}</script></div></div>'
    )


def page(title: str, body: str) -> str:
    """The whole HTML file, with the library if a `chart` is in the body.

    Raises UserError for data that would make the file larger than MOST_BYTES.
    """
    scripts = [LINES] if '<g data-row="' in body else []
    hidden = []
    if '<div class="chart"' in body:
        traces = (trace for data in FIGURE.findall(body) for trace in json.loads(data)["data"])
        kinds = frozenset(trace.get("type", library.BASIC) for trace in traces)
        packed = library.packed(kinds)
        body += f'<script type="application/octet-stream" id="plotly">{packed}</script>'
        scripts.append(SCRIPT)
        hidden.append(library.source(kinds))
    file = document.page(title, body, scripts=scripts, allowed=hidden)
    if len(file.encode()) > MOST_BYTES:
        raise UserError(
            f"The data of this page make a file of more than {MOST_BYTES / 1e6:g} MB; show less on the page, such as"
            " a shorter sentence."
        )
    return file
