"""Alignment links drawn over an attention heatmap: a frame marks a predicted link, a diamond a correct one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.plots import theme

CORNER = 0.34  # from the middle of a cell, where its number stands
Links = Collection[tuple[int, int]]


def mark_alignment(figure: Mapping[str, Any], predicted: Links, correct: Links) -> dict[str, Any]:
    """The data of `heatmap_data` with (column, row) links; hover names them."""
    cells, *others = figure["data"]
    texts = np.array(cells["customdata"], dtype=object)
    marked = cells | {"customdata": _hover_text(texts, predicted, correct)}
    shapes = [
        _frame(link, color, width) for color, width in theme.FRAME for link in sorted(predicted)
    ]
    layout = {**figure["layout"], "shapes": shapes}
    return {"data": [marked, *others, _diamonds(correct)], "layout": layout}


def _hover_text(
    texts: npt.NDArray[np.object_], predicted: Links, correct: Links
) -> npt.NDArray[np.object_]:
    for column, row in predicted:
        texts[row, column] += ", <b>linked</b>"
    for column, row in correct:
        texts[row, column] += ", correct link"
    return texts


def _frame(link: tuple[int, int], color: str, width: int) -> dict[str, object]:
    column, row = link
    reach = 0.5 - theme.INSET
    edges = {"x0": column - reach, "x1": column + reach, "y0": row - reach, "y1": row + reach}
    return {
        "type": "rect",
        "xref": "x",
        "yref": "y",
        **edges,
        "line": {"color": color, "width": width},
        "layer": "above",
    }


def _diamonds(correct: Links) -> dict[str, Any]:
    columns, rows = zip(*sorted(correct), strict=True) if correct else ((), ())
    return {
        "type": "scatter",
        "x": [column + CORNER for column in columns],
        "y": [row - CORNER for row in rows],
        "mode": "markers",
        "marker": {
            "symbol": "diamond",
            "size": 8,
            "color": "#ffffff",
            "line": {"color": "#000000", "width": 2},
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
