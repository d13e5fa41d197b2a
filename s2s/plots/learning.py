"""Heads during training: entropy, alignment error and roles by step, and the heatmap as an animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.animation import CONTROLS, buttons, slider
from s2s.plots.attention import Weights, heatmap

MAX_LINES = 12  # up to this many heads get a line each; beyond, a line and a band per layer
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "x", "triangle-up", "star", "cross", "triangle-down")

Values = npt.NDArray[np.float32]
Chosen = tuple[int, int] | None
ENTROPY = (
    "0: all attention on one token; dotted: uniform attention. Where a line falls, that head gets sharper. L2 H3 is"
    " head 3 of layer 2."
)
ALIGNMENT_ERROR = (
    "Lower is better: at 0, each predicted token attends most to the word it translates."
)
ROLE_STRENGTHS = (
    "One line per head. Where one rises while the loss falls, the head takes on its role."
)


def entropy(
    steps: npt.ArrayLike,
    values: Values,
    *,
    title: str,
    uniform: Values | None = None,
    chosen: Chosen = None,
) -> go.Figure:
    """Entropy curves of all heads, `values` (n, layers, heads) in nats. `uniform` (n,): that of uniform attention;
    `chosen` is drawn thicker.
    """
    figure = _figure(steps, values, title, "entropy (nats)", chosen)
    if figure.data and uniform is not None:
        line = {"color": "#888888", "width": 1, "dash": "dot"}
        figure.add_trace(
            go.Scatter(
                x=_numbers(steps),
                y=_numbers(uniform),
                name="uniform attention",
                mode="lines",
                line=line,
            )
        )
    return figure


def alignment_error(
    steps: npt.ArrayLike,
    values: Values,
    *,
    title: str,
    mean: Values | None = None,
    chosen: Chosen = None,
) -> go.Figure:
    """Curves of all heads' alignment error, `values` (n, layers, heads) from 0 to 1. `mean` (n, layers): the error of
    the mean of a layer's heads.
    """
    figure = _figure(steps, values, title, "alignment error rate", chosen)
    if figure.data:
        figure.update_yaxes(range=[0, 1])
        if mean is not None and values.shape[2] > 1:
            figure.add_traces([_of_mean(steps, layer, row) for layer, row in enumerate(mean.T)])
    return figure


def role_strengths(
    steps: npt.ArrayLike,
    values: Values,
    *,
    title: str,
    loss: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    chosen: Chosen = None,
) -> go.Figure:
    """Curves of a role's strength in all heads, `values` (n, layers, heads) from 0 to 1. `loss`: steps and nats per
    token, on an axis of its own at the right.
    """
    figure = _figure(steps, values, title, "strength", chosen)
    if not figure.data:
        return figure
    figure.update_yaxes(range=[0, 1], tickformat=".0%")
    if loss is not None:
        at, nats = loss
        line = {"color": "#888888", "width": 2, "dash": "dot"}
        hover = "validation loss at step %{x:,}: %{y:.2f}<extra></extra>"
        trace = go.Scatter(x=_numbers(at), y=_numbers(nats), name="validation loss", mode="lines")
        figure.add_trace(trace.update(line=line, yaxis="y2", hovertemplate=hover))
        axis = {"title": {"text": "loss (nats per token)"}, "rangemode": "tozero"}
        quiet = {"showgrid": False, "fixedrange": True, "tickfont": {"size": theme.SMALLEST}}
        figure.update_layout(
            yaxis2={**axis, **quiet, "overlaying": "y", "side": "right"},
            height=440,  # a long legend takes half of it on a phone
            margin={"r": 60, "t": 48 + 18 * title.count("\n")},
        )
    return figure


def attention_animation(
    pictures: Mapping[int, Weights],
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    verb: str = "predicts",
) -> go.Figure:
    """An animation of a heatmap (rows, keys) per step, with a slider and buttons to play and pause.

    The step is added to the first line of the title.
    """
    if not pictures:
        return theme.empty("No step has been recorded yet.")
    first, *rest = title.split("\n")
    named = {step: "\n".join([f"{first} · step {step:,}", *rest]) for step in pictures}
    figures = {
        step: heatmap(weights, keys, rows, title=named[step], verb=verb)
        for step, weights in pictures.items()
    }
    figure = next(iter(figures.values()))
    figure.frames = [_frame(step, figure_at) for step, figure_at in figures.items()]
    below = {
        "height": figure.layout.height + CONTROLS,
        "margin": {"b": figure.layout.margin.b + CONTROLS},
    }
    return figure.update_layout(sliders=[slider([*pictures])], updatemenus=[buttons()], **below)


def _figure(
    steps: npt.ArrayLike, values: Values, title: str, y_label: str, chosen: Chosen
) -> go.Figure:
    if not np.size(steps) or not np.isfinite(values).any():
        return theme.empty("The curves start with the first checkpoint.")
    _, n_layers, n_heads = values.shape
    if n_layers * n_heads <= MAX_LINES:
        traces = [
            _head(steps, values, layer, head, chosen)
            for layer in range(n_layers)
            for head in range(n_heads)
        ]
    else:
        traces = [
            trace for layer in range(n_layers) for trace in _band(steps, values[:, layer], layer)
        ]
        traces += [_head(steps, values, *chosen, chosen)] if chosen else []
    layout = theme.layout(title, 360, "step", y_label) | {"hovermode": "closest"}
    layout["legend"] |= {"y": -0.32}  # a long one leaves less height, and must not cover the axis
    return go.Figure(traces, layout)


def _head(
    steps: npt.ArrayLike, values: Values, layer: int, head: int, chosen: Chosen
) -> go.Scatter:
    is_chosen = chosen == (layer, head)
    line = {**_line(layer), "width": 4 if is_chosen else 1.5}
    marker = {"symbol": SYMBOLS[head % len(SYMBOLS)], "size": 9 if is_chosen else 6}
    name = f"L{layer + 1} H{head + 1}{' (chosen)' if is_chosen else ''}"
    hover = f"layer {layer + 1}, head {head + 1} at step %{{x:,}}: %{{y:.2f}}<extra></extra>"
    style: dict[str, Any] = {
        "mode": "lines+markers",
        "line": line,
        "marker": marker,
        "hovertemplate": hover,
    }
    return go.Scatter(x=_numbers(steps), y=_numbers(values[:, layer, head]), name=name, **style)


def _band(steps: npt.ArrayLike, values: Values, layer: int) -> list[go.Scatter]:
    x = _numbers(steps)
    group = f"layer {layer + 1}"
    quiet: dict[str, Any] = {
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": group,
    }
    fill = {"fill": "tonexty", "fillcolor": _faint(_line(layer)["color"])}
    marker = {"symbol": SYMBOLS[layer % len(SYMBOLS)], "size": 6}
    hover = f"{group}, mean of {values.shape[1]} heads, at step %{{x:,}}: %{{y:.2f}}<extra></extra>"
    style: dict[str, Any] = {
        "mode": "lines+markers",
        "line": {**_line(layer), "width": 2},
        "marker": marker,
        "hovertemplate": hover,
    }
    return [
        go.Scatter(x=x, y=_numbers(values.min(1)), **quiet),
        go.Scatter(x=x, y=_numbers(values.max(1)), **quiet, **fill),
        go.Scatter(x=x, y=_numbers(values.mean(1)), name=group, legendgroup=group, **style),
    ]


def _of_mean(steps: npt.ArrayLike, layer: int, values: Values) -> go.Scatter:
    hover = f"layer {layer + 1}, heads averaged first, at step %{{x:,}}: %{{y:.2f}}<extra></extra>"
    line = {**_line(layer), "width": 3}
    return go.Scatter(
        x=_numbers(steps),
        y=_numbers(values),
        name=f"L{layer + 1} mean",
        mode="lines",
        line=line,
        hovertemplate=hover,
    )


def _line(layer: int) -> dict[str, Any]:
    return {
        "color": theme.CATEGORICAL[layer % len(theme.CATEGORICAL)],
        "dash": DASHES[layer % len(DASHES)],
    }


def _faint(color: str) -> str:
    """A color at an opacity of 0.2, from `#0072B2`."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.2)"


def _numbers(values: npt.ArrayLike) -> Values:
    return np.asarray(values, np.float32)


def _frame(step: int, figure: go.Figure) -> go.Frame:
    changes: list[Any] = [go.Heatmap(z=figure.data[0].z)]
    changes += [go.Scatter(text=trace.text, textfont=trace.textfont) for trace in figure.data[1:]]
    title = {"title": {"text": f"<b>{figure.layout.title.text}</b>"}}
    return go.Frame(name=str(step), data=changes, traces=list(range(len(changes))), layout=title)
