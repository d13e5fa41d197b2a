"""A figure that is a dictionary already, for whoever takes Plotly's figures."""

from __future__ import annotations

import base64
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.io
from plotly.basedatatypes import BaseFigure


class DrawnFigure(BaseFigure):  # type: ignore[misc]
    """Has what a program that draws figures asks for, and validates nothing: the tests do, once."""

    def __init__(self, figure: Mapping[str, Any]) -> None:
        object.__setattr__(self, "figure", figure)

    def to_dict(self) -> dict[str, Any]:
        layout = {"template": _template(), **self.figure["layout"]}
        return {"data": [_packed(trace) for trace in self.figure["data"]], "layout": layout}


@functools.cache
def _template() -> dict[str, Any]:
    found: dict[str, Any] = plotly.io.templates[plotly.io.templates.default].to_plotly_json()
    return found


def _packed(trace: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in trace.items()}


def _value(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype != np.float32:
        return value.tolist()
    data = base64.b64encode(value.tobytes()).decode()
    shape = {"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {}
    return {"dtype": "f4", "bdata": data, **shape}
