"""Tables with whole texts, on the screen and as files to download."""

from __future__ import annotations

import html

import pandas as pd

from s2s.files import csv_cell
from s2s.questions import Table
from s2s.reports import TableColumn, html_table

MOST_LETTERS = 90  # of a text that isn't folded


def frame_csv(frame: pd.DataFrame, *, index: bool = False) -> str:
    """CSV in which no cell, column or row name is a formula."""
    safe = frame.map(csv_cell).rename(columns=csv_cell)
    return str(safe.rename(index=csv_cell).to_csv() if index else safe.to_csv(index=False))


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
    end = text.rfind(" ", 1, MOST_LETTERS)
    end = end if end > 0 else MOST_LETTERS
    first, rest = html.escape(text[:end]), html.escape(text[end:].lstrip())
    return f"<details><summary>{first} …</summary>… {rest}</details>"
