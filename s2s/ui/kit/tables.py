"""Tables with whole texts, on the screen and as files to download."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from s2s.config import shortened
from s2s.data import one_line
from s2s.files import csv_cell
from s2s.questions import Table

MOST_LETTERS = 90  # of a text that isn't folded


def frame_csv(frame: pd.DataFrame, *, index: bool = False) -> str:
    """CSV in which no cell, column or row name is a formula."""
    safe = frame.map(csv_cell).rename(columns=csv_cell)
    return str(safe.rename(index=csv_cell).to_csv() if index else safe.to_csv(index=False))


def frame_latex(frame: pd.DataFrame, notes: Iterable[str] = ()) -> str:
    """A LaTeX table (booktabs) in which every cell is text, after comments of one line each."""
    cells = frame.map(lambda cell: "" if pd.isna(cell) else one_line(str(cell)))
    body = cells.rename(columns=str).to_latex(index=False, escape=True)
    return "".join(f"% {one_line(note)}\n" for note in notes) + str(body)


class TableColumn(NamedTuple):
    """A column of an HTML table."""

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


def texts_table(table: Table) -> str:
    """Texts that wrap; a long one ends in an ellipsis, and opens. Numbers have narrow columns."""
    cells = [*zip(*table.rows, strict=True)]
    are_numbers = [all(isinstance(cell, int) for cell in column) for column in cells]
    columns = [
        TableColumn(name, "4.5rem" if is_number else "")
        for name, is_number in zip(table.columns, are_numbers, strict=False)
    ]
    return html_table(columns, [[_openable(str(cell)) for cell in row] for row in table.rows])


def _openable(text: str) -> str:
    if len(text) <= MOST_LETTERS:
        return html.escape(text)
    short = html.escape(shortened(text, MOST_LETTERS))
    return f"<details><summary>{short}</summary>{html.escape(text)}</details>"


def _head(column: TableColumn) -> str:
    width = f' style="width: {column.width}"' if column.width else ""
    return f'<th scope="col"{width}>{html.escape(column.name)}</th>'


def _cell(column: TableColumn, cell: str) -> str:
    return f'<td dir="auto" data-of="{html.escape(column.name)}">{cell}</td>'
