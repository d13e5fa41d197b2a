"""Tables with whole texts, on the screen and as files to download."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from s2s.data import one_line
from s2s.files import csv_cell


def frame_csv(frame: pd.DataFrame, *, index: bool = False) -> str:
    """CSV in which no cell, column or row name is a formula."""
    safe = frame.map(csv_cell).rename(columns=csv_cell)
    return str(safe.rename(index=csv_cell).to_csv() if index else safe.to_csv(index=False))


def frame_latex(frame: pd.DataFrame, notes: Iterable[str] = ()) -> str:
    """A LaTeX table (booktabs) in which every cell is text, after comments of one line each."""
    cells = frame.map(lambda cell: "" if pd.isna(cell) else one_line(str(cell)))
    body = cells.rename(columns=str).to_latex(index=False, escape=True)
    return "".join(f"% {one_line(note)}\n" for note in notes) + str(body)
