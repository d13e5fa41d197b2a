"""Tables of texts, and texts as tokens, as HTML: cells wrap, and a phone has them one below the other."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

from s2s.plots import ComparedRows, TokenRows
from s2s.reports.differences import highlighted, legend
from s2s.words import percent

COLOR = "#0072B2"


class TableColumn(NamedTuple):
    name: str
    width: str = ""  # as CSS has it; empty: an equal share of the rest


def html_table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], *, has_numbers: bool = False
) -> str:
    """A table whose texts wrap, or, if it `has_numbers`, scrolls sideways where these do not fit; `rows` are HTML.

    Each cell names its column: a phone has the cells of a row one below the other.
    """
    head = "".join(_head(column) for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, columns, row))}</tr>" for row in rows)
    kind = "samples numbers" if has_numbers else "samples"
    return f'<div class="{kind}"><table><tr>{head}</tr>{body}</table></div>'


def _head(column: TableColumn) -> str:
    width = f' style="width: {column.width}"' if column.width else ""
    return f'<th scope="col"{width}>{html.escape(column.name)}</th>'


def _cell(column: TableColumn, cell: str) -> str:
    return f'<td dir="auto" data-of="{html.escape(column.name)}">{cell}</td>'


def compared_rows(figure: ComparedRows) -> str:
    """A table of texts with their differences marked, and a legend."""
    is_marked = False
    rows = []
    shares = figure.shares or [math.nan] * len(figure.rows)
    for row, other, share in zip(figure.rows, figure.other, shares, strict=True):
        cells = []
        for name, cell in zip(figure.columns, row, strict=True):
            shown = _lines(cell)
            if name in figure.of:
                shown, found = highlighted(cell, other)
                shown = shown if cell else f"(nothing) {shown}".rstrip()
                is_marked |= bool(found and not found.is_empty)
            elif name == figure.bars:
                shown = _bar(cell, share)
            cells.append(shown)
        rows.append(cells)
    table = html_table([TableColumn(name) for name in figure.columns], rows, has_numbers=True)
    return table + (legend(*figure.nouns) if is_marked else "")


def _lines(cell: str) -> str:
    first, *more = map(html.escape, cell.split("\n"))
    return first + "".join(f"<br><small>{line}</small>" for line in more)


def _bar(cell: str, share: float) -> str:
    if math.isnan(share):
        return html.escape(cell)
    filled = f"{COLOR} {100 * share:.0f}%"
    ground = f"linear-gradient(to right, {filled}, transparent 0) no-repeat bottom / 100% .25rem"
    style = f"display: inline-block; min-width: 6rem; padding-bottom: .3rem; background: {ground}"
    return f'<span style="{style}">{html.escape(cell)}</span>'


def token_rows(figure: TokenRows) -> str:
    """Each text's caption, and below it its tokens in a row."""
    return "".join(
        f"<p dir='auto' style='margin: .6rem 0 .2rem'><small>{html.escape(caption)}</small></p>"
        f'<div class="tokens">{"".join(map(_token, tokens, log_probs))}</div>'
        for caption, tokens, log_probs in zip(*figure, strict=True)
    )


def _token(token: str, log_prob: float) -> str:
    share = math.exp(log_prob)
    ground = f"color-mix(in srgb, {COLOR} {round(45 * share)}%, transparent)"
    content = f"<b><bdi>{html.escape(token)}</bdi></b> <small>{percent(share)}</small>"
    return f'<span style="background: {ground}">{content}</span>'
