"""Numbers with their names: what is downloaded beside a picture, and printed where none can be drawn."""

from __future__ import annotations

import io
import math
import unicodedata
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.files import csv_writer

MOST_LETTERS = 60  # of a column in a terminal
MOST_ROWS = 100  # of a notebook's table


class Table(NamedTuple):
    """Rows of texts and numbers below their columns' names; NaN is no value. `about` says what a column is."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    about: Mapping[str, str] = MappingProxyType({})  # what columns mean
    shares: tuple[str, ...] = ()  # columns of probabilities or other shares of 1

    def csv(self) -> str:
        out = io.StringIO()
        lines = csv_writer(out)
        lines.writerow(self.columns)
        lines.writerows([_cell(value) for value in row] for row in self.rows)
        return out.getvalue()

    def texts(self) -> list[list[str]]:
        """The rows as text, as they are shown: four digits of a number."""
        return [[_shown(value) for value in row] for row in self.rows]

    def narrow(self) -> Table:
        """The table without the columns that no screen has room for, whose longest text has more than MOST_LETTERS
        letters, and those without a value; of a table without rows nothing.
        """
        if not self.rows:
            return self
        shown = self.texts()
        widths = [max(map(len, cells), default=0) for cells in zip(*shown, strict=True)]
        kept = [at for at, width in enumerate(widths) if 0 < width <= MOST_LETTERS]
        columns, *rows = ([row[at] for at in kept] for row in (self.columns, *self.rows))
        return Table(columns, rows)

    def text(self) -> str:
        """The table as text, aligned in columns for a terminal, numbers on the right; control characters as spaces."""
        lines = [[printable(cell) for cell in row] for row in (self.columns, *self.texts())]
        columns = [*zip(*lines, strict=True)]
        widths = [max(map(_width, column)) for column in columns]
        rows = ([*map(_is_number, row)] for row in self.rows)
        right = [all(column) for column in zip(*rows, strict=True)] or [False] * len(columns)
        return "\n".join("  ".join(map(_padded, line, widths, right)).rstrip() for line in lines)

    def html(self) -> str:
        head = "".join(f"<th>{escape(str(name))}</th>" for name in self.columns)
        shown = Table(self.columns, self.rows[:MOST_ROWS]).texts()
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in shown)
        body = "".join(f"<tr>{cells}</tr>" for cells in rows)
        more = f"<p>{len(self.rows) - MOST_ROWS:,} more rows</p>" if self.rows[MOST_ROWS:] else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> Any:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _shown(value: Any) -> str:
    return (
        f"{value:.4g}" if isinstance(value, float) and not math.isnan(value) else str(_cell(value))
    )


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def printable(text: str) -> str:
    """A text with control characters as spaces, lest they command a terminal."""
    return "".join(sign if unicodedata.category(sign) != "Cc" else " " for sign in str(text))


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _padded(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if is_right else text + space
