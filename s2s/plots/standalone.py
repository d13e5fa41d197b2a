"""An attention figure as one HTML file that opens with a double-click, loads nothing else and includes its data."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from s2s.plots.attention import Weights
from s2s.plots.svg_sheet import visible_controls


class WeightsTable(NamedTuple):
    """The weights of one attention map."""

    name: str
    weights: Weights  # (rows, keys)
    rows: Sequence[str]
    keys: Sequence[str]


def page(
    picture: str, tables: Sequence[WeightsTable], *, title: str, verb: str, link: str = ""
) -> str:
    """`picture` is an SVG of ours with title and caption; `link` is the address that opens the view, or empty."""
    view = (
        f'<p><a href="{escape(link)}">Open this view</a>, where that server can be reached.</p>'
        if link
        else ""
    )
    data = "".join(_table(one_table, verb) for one_table in tables)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escape(visible_controls(title))}</title><style>{STYLE}</style></head>
<body><main><figure>{picture}</figure>{view}<details><summary>Data</summary>{data}</details></main>
<script>{SCRIPT}</script></body></html>
"""


def _table(table: WeightsTable, verb: str) -> str:
    head = "".join(_heading(key) for key in table.keys)
    body = "".join(
        f"<tr>{_heading(row)}{''.join(f'<td>{weight:.4f}</td>' for weight in weights)}</tr>"
        for row, weights in zip(table.rows, table.weights, strict=True)
    )
    caption = escape(visible_controls(table.name))
    head = f"<tr><th>{escape(verb)}</th>{head}</tr>"
    return f"<div><table><caption>{caption}</caption>{head}{body}</table></div>"


def _heading(token: str) -> str:
    return f"<th><bdi>{escape(visible_controls(token))}</bdi></th>"


POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #0C131D; background: #fff; margin: 0; }
main { max-width: 1100px; margin: 0 auto; padding: 1rem 1.5rem; }
figure { margin: 0 0 1rem; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
text[data-key], text[data-row] { cursor: pointer; }
.one g[data-row]:not(.own) { opacity: 0; }
summary { cursor: pointer; }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: start; font-weight: 600; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid #dde2e9; text-align: end; white-space: nowrap; }
"""
# Hovering or tapping a token keeps only its lines. A heatmap has no such tokens: its cells show their weights.
SCRIPT = """
const picture = document.querySelector('figure svg'), lines = [...picture.querySelectorAll('g[data-row]')];
const keep = (side, at) => {
  picture.classList.toggle('one', at !== undefined);
  for (const line of lines) line.classList.toggle('own', line.dataset[side] === at);
};
for (const token of picture.querySelectorAll('text[data-row], text[data-key]')) {
  const side = 'row' in token.dataset ? 'row' : 'key';
  token.onpointerenter = () => keep(side, token.dataset[side]);
  token.onpointerleave = () => keep(side);
}
"""
