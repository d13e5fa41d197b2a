"""Tables as files to download."""

from __future__ import annotations

import pandas as pd

from s2s.files import csv_cell


def frame_csv(frame: pd.DataFrame, *, index: bool = False) -> str:
    """CSV in which no cell, column or row name is a formula."""
    safe = frame.map(csv_cell).rename(columns=csv_cell)
    return str(safe.rename(index=csv_cell).to_csv() if index else safe.to_csv(index=False))
