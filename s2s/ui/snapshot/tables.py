"""The tables of a page as HTML: the numbers in the format in which the page shows them."""

from __future__ import annotations

import contextlib
import json
import math
import numbers
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from s2s.reports import document
from s2s.ui.streamlit_parts import ArrowData, Dataframe, Table

MOST_ROWS = 500  # of a table; the rest is counted


def dataframe(proto: Dataframe) -> str:
    """The columns that are not hidden, in order."""
    frame = _frame(proto.arrow_data)
    config: Mapping[str, Mapping[str, Any]] = json.loads(proto.columns or "{}")
    order = [name for name in proto.column_order if name in frame.columns] or list(frame.columns)
    shown = [name for name in order if not config.get(str(name), {}).get("hidden")]
    has_index = not config.get("_index", {}).get("hidden")
    head = [str(frame.index.name or "")] * has_index
    head += [str(config.get(str(name), {}).get("label") or name) for name in shown]
    formats = [_format(config.get(str(name), {})) for name in shown]
    rows = [
        [
            *([_cell(label, "")] if has_index else []),
            *(_cell(value, form) for value, form in zip(row, formats, strict=True)),
        ]
        for label, row in zip(
            frame.index[:MOST_ROWS],
            frame[shown].head(MOST_ROWS).itertuples(index=False, name=None),
            strict=True,
        )
    ]
    return document.table(head, rows, proto.alt) + _left_out(len(frame))


def table(proto: Table) -> str:
    frame = _frame(proto.arrow_data)
    shown = frame if proto.hide_index else frame.reset_index()
    rows = [
        [_cell(value, "") for value in row] for row in shown.head(MOST_ROWS).itertuples(index=False)
    ]
    return document.table([str(name) for name in shown.columns], rows) + _left_out(len(frame))


def _frame(data: ArrowData) -> pd.DataFrame:
    content = data.styler.display_values or data.data
    if not content:
        return pd.DataFrame()
    return pa.ipc.open_stream(pa.BufferReader(content)).read_all().to_pandas()


def _left_out(n_rows: int) -> str:
    left = n_rows - MOST_ROWS
    return (
        document.paragraph(f"{left:,} more rows are not in this file.", "note") if left > 0 else ""
    )


def _format(config: Mapping[str, Any]) -> str:
    return str((config.get("type_config") or {}).get("format") or "")


def _cell(value: Any, form: str) -> str:
    """`%.2f`, `localized` and `percent` are formats of Streamlit's columns."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return str(value)
    if "%" in form:
        with contextlib.suppress(TypeError, ValueError):
            return str(form % value)
    if form == "percent":
        return f"{100 * float(value):.2f}%"
    if isinstance(value, numbers.Integral):
        return f"{int(value):,}"
    return f"{float(value):,.6g}"
