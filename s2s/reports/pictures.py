"""Pictures as HTML: in a file of their own, in a notebook, in a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from s2s.plots import (
    AllHeads,
    ComparedRows,
    ComparedTexts,
    Diagram,
    DrawnFigure,
    LinkedTokens,
    Picture,
    TokenRows,
    svg,
    svg_heads,
)
from s2s.questions import Table
from s2s.reports import charts, differences, document
from s2s.reports.text_tables import compared_rows, token_rows
from s2s.versions import NAME

MOST_ROWS = 500  # of a table; the rest is counted


def page(
    title: str,
    pictures: Sequence[Picture],
    *,
    about: str = "",
    link: str = "",
    drawn_at: datetime | None = None,
) -> str:
    """Pictures as one HTML file. `about` is a line below the title; `link` opens the view on its server, or is empty;
    `drawn_at` is when it was drawn.

    Raises UserError for pictures that would make the file too large.
    """
    head = document.header(title, about, document.made_at(drawn_at), link)
    return charts.page(f"{title} · {NAME}", head + "".join(map(fragment, pictures)))


def fragment(picture: Picture) -> str:
    """One picture as HTML: finding, figure, caption and its folded numbers."""
    finding = document.paragraph(picture.finding, "finding") if picture.finding else ""
    caption = document.paragraph(picture.caption, "note") if picture.caption else ""
    numbers, figure = _table(picture.table), picture.figure
    if picture.vector is None and (figure is None or isinstance(figure, Table)):
        shown = numbers if figure is None else _table(figure)
        return f"<section><h2>{document.text(picture.one_line)}</h2>{finding}{shown}{caption}</section>"
    folded = document.folded("As a table", numbers)
    return f"<section>{finding}{_figure(picture)}{caption}{folded}</section>"


def embedded(title: str, pictures: Sequence[Picture]) -> str:
    """Pictures as one element of another page, such as a notebook, with its own style: the HTML file of `page`."""
    fit = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
    file = page(title, pictures)
    return (
        f'<iframe srcdoc="{escape(file)}" title="{document.text(title)}" onload="{fit}"'
        ' style="width: 100%; height: 40rem; border: 0"></iframe>'
    )


def _figure(picture: Picture) -> str:
    if drawn := _vector(picture):
        return document.figure(drawn)
    figure = picture.figure
    if isinstance(figure, ComparedTexts | ComparedRows | TokenRows):
        return _texts(figure)
    if figure is None or isinstance(figure, LinkedTokens | AllHeads | Diagram | Table):
        return ""
    if isinstance(figure, Mapping):
        return charts.chart(DrawnFigure(figure).to_dict(), picture.alt)
    return charts.chart(json.loads(str(figure.to_json())), picture.alt)


def _texts(figure: ComparedTexts | ComparedRows | TokenRows) -> str:
    if isinstance(figure, ComparedRows):
        return compared_rows(figure)
    if isinstance(figure, TokenRows):
        return token_rows(figure)
    texts, nouns = figure
    first = next(iter(texts.values()), "")
    shown = "".join(
        f"{document.paragraph(caption, 'note')}<p dir='auto'>{differences.highlighted(text, first)[0]}</p>"
        for caption, text in texts.items()
    )
    return shown + (differences.legend(*nouns) if len({*texts.values()}) > 1 else "")


def _vector(picture: Picture) -> str:
    title, figure = picture.one_line, picture.figure
    if picture.vector:
        return picture.vector(title=title, caption="")
    if isinstance(figure, LinkedTokens):
        links, keys, rows, verb = figure
        return svg.lines(links, keys, rows, title=title, verb=verb)
    if isinstance(figure, AllHeads):
        return svg_heads.heads(figure.weights, figure.roles, title=title, per_row=figure.per_row)
    return ""


def _table(table: Table) -> str:
    left = len(table.rows) - MOST_ROWS
    more = f"{left:,} more rows are not in this file." if left > 0 else ""
    shown = document.table(table.columns, Table(table.columns, table.rows[:MOST_ROWS]).texts())
    return shown + (document.paragraph(more, "note") if more else "")
