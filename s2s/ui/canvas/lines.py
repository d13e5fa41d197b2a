"""Two columns of tokens joined by lines: hover, tap or focus one to keep only its lines. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from s2s.plots import svg

MAX_WEIGHTS = 3  # beside a token; the line below says all
FILE = Path(__file__)


def attention_lines(
    heads: Mapping[str, svg.Links],
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    verb: str,
    alt: str,
    key: str,
) -> None:
    """Draw the links of each head, by its name, styled as in `svg.lines`. Visitors' text travels as data only."""
    step = svg.token_spacing(keys, rows)
    styles = svg.line_styles(len(heads), step)
    data = {
        "keys": [*keys],
        "rows": [*rows],
        "verb": verb,
        "alt": alt,
        "step": step,
        "heads": [
            {"name": name, "links": _rounded(links), **style._asdict()}
            for (name, links), style in zip(heads.items(), styles, strict=True)
        ],
        "max_marked": svg.MAX_MARKED,
        "max_weights": MAX_WEIGHTS,
        "faint": svg.FAINT,
        "thin": svg.THIN,
    }
    LINES(key=key, data=data)


def _rounded(links: svg.Links) -> list[list[float]]:
    return [[row, key, round(weight, 4)] for row, key, weight in links]


LINES = st.components.v2.component(
    "attention_lines",
    html="""<div class="lines">
<div class="field">
<small aria-hidden="true"></small><i></i><small aria-hidden="true"></small>
<div class="side" role="group"></div><div class="between"></div><div class="side" role="group"></div>
</div>
<div class="legend" role="group" aria-label="Heads"></div>
<p class="status" role="status"></p>
</div>
""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
