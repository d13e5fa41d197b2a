"""The file of a snapshot: a page's tree as it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from s2s.reports import charts, document
from s2s.ui.snapshot.elements import Values, to_html
from s2s.ui.snapshot.record import Node
from s2s.versions import NAME

FILE = Path(__file__)
STYLE = FILE.with_name("snapshot.css").read_text(encoding="utf-8")
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

    Raises UserError for a page whose data would make the file too large.
    """
    made = f'<div class="made">{document.made_with(document.made_at(drawn_at), link)}</div>'
    body = made + to_html(nodes, values)
    return charts.page(f"{title} · {NAME}", body, style=RULES + STYLE)
