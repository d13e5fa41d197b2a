"""Training curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from s2s.plots import theme

TRAIN, VALID = theme.CATEGORICAL[0], theme.CATEGORICAL[1]


def curves(steps: ArrayLike, loss: ArrayLike, valid_steps: ArrayLike, valid_loss: ArrayLike, *, title: str) -> go.Figure:
    """Loss in nats a target token by step: a line for the batches trained on, dots on dashes for the held-out pairs."""
    if not np.size(steps) and not np.size(valid_steps):
        return theme.empty("The curves start with the first step.")
    train = _trace("training", steps, loss, line={"color": TRAIN, "width": 2}, mode="lines")
    dots = {"mode": "lines+markers", "marker": {"size": 8, "symbol": "diamond"}, "cliponaxis": False}
    valid = _trace("validation", valid_steps, valid_loss, line={"color": VALID, "width": 2, "dash": "dash"}, **dots)
    layout = theme.layout(title, 340, "step", "loss (nats a token)") | {"hovermode": "x unified"}
    return go.Figure([train, valid], layout)


def _trace(name: str, x: ArrayLike, y: ArrayLike, **style: Any) -> go.Scatter:
    return go.Scatter(
        x=np.asarray(x, np.float32), y=np.asarray(y, np.float32), name=name, hovertemplate="%{y:.3f}", connectgaps=True, **style
    )
