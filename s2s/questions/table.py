"""Numbers with their names: what is downloaded beside a picture, and printed where none can be drawn."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.files import csv_writer

MOST_ROWS = 100  # of a notebook's table


class Table(NamedTuple):
    """Rows of texts and numbers below their columns' names; NaN is no value. `about` says what a column is."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    about: Mapping[str, str] = MappingProxyType({})

    def csv(self) -> str:
        """As CSV, every digit."""
        out = io.StringIO()
        lines = csv_writer(out)
        lines.writerow(self.columns)
        lines.writerows([_cell(value) for value in row] for row in self.rows)
        return out.getvalue()

    def html(self) -> str:
        """As an HTML table of at most MOST_ROWS rows, everything escaped."""
        head = "".join(f"<th>{escape(str(name))}</th>" for name in self.columns)
        rows = (
            "".join(f"<td>{escape(_shown(value))}</td>" for value in row)
            for row in self.rows[:MOST_ROWS]
        )
        body = "".join(f"<tr>{cells}</tr>" for cells in rows)
        more = f"<p>{len(self.rows) - MOST_ROWS:,} more rows</p>" if self.rows[MOST_ROWS:] else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> Any:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _shown(value: Any) -> str:
    return (
        f"{value:.4g}" if isinstance(value, float) and not math.isnan(value) else str(_cell(value))
    )
