"""The file of a snapshot: a page's tree with the figures' library, packed, and the script that draws them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from s2s.config import UserError
from s2s.plots import theme
from s2s.reports import document
from s2s.ui.snapshot import library
from s2s.ui.snapshot.elements import Values, to_html
from s2s.ui.snapshot.record import Node
from s2s.versions import NAME

FILE = Path(__file__)
MOST_BYTES = 6_000_000
FIGURE = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
STYLE = FILE.with_name("snapshot.css").read_text(encoding="utf-8")
SCRIPT = (
    FILE.with_name("charts.js")
    .read_text(encoding="utf-8")
    .replace("CATEGORICAL", json.dumps(theme.CATEGORICAL))
)
RULES = (FILE.parents[1] / "shell" / "style.css").read_text(encoding="utf-8")


def snapshot(
    title: str,
    nodes: Sequence[Node],
    values: Values,
    *,
    link: str = "",
    drawn_at: datetime | None = None,
) -> str:
    """The page as one HTML file. `drawn_at` is when; `link` opens it on its server, or is empty.

    Raises UserError for a page whose data would make the file larger than MOST_BYTES.
    """
    page = to_html(nodes, values)
    made = document.made_at(drawn_at)
    where = (
        f' <a href="{document.text(link)}">Open this view</a>, where that server can be reached.'
        if link
        else ""
    )
    body = f'<div class="made"><small>{document.text(made)}.{where}</small></div>{page}'
    scripts = []
    hidden = []
    if '<div class="chart"' in page:
        traces = (trace for data in FIGURE.findall(page) for trace in json.loads(data)["data"])
        kinds = frozenset(trace.get("type", library.BASIC) for trace in traces)
        packed = library.packed(kinds)
        body += f'<script type="application/octet-stream" id="plotly">{packed}</script>'
        scripts.append(SCRIPT)
        hidden.append(library.source(kinds))
    file = document.page(
        f"{title} · {NAME}", body, scripts=scripts, allowed=hidden, style=RULES + STYLE
    )
    if len(file.encode()) > MOST_BYTES:
        raise UserError(
            f"The data of this page make a file of more than {MOST_BYTES / 1e6:g} MB; show less on the page, such as"
            " a shorter sentence."
        )
    return file
