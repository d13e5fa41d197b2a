"""The loss of each token of a reference, next to the losses of the model's own translation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

CAPTION = "The taller a bar, the less the model expected that token of the reference. Diamonds: its own translation."
MAX_LABELS = 30  # tokens under the axis; of more, every second, third, ...


class TokenLoss(NamedTuple):
    """The loss of one token of a target."""

    text: str
    loss: float  # nats
    about: str = ""  # more text for hover


def token_losses(
    reference: Sequence[TokenLoss],
    own: Sequence[TokenLoss],
    first_difference: int | None,
    *,
    title: str,
) -> go.Figure:
    """A plot of losses. Bars: the reference, teacher-forced. Diamonds: the model's own tokens. `first_difference`: a
    0-based position.
    """
    if not reference:
        return theme.empty("There is no reference to show.")
    layout = theme.layout(title, 380, "", "loss (nats per token)")
    step = math.ceil(len(reference) / MAX_LABELS)
    positions = [*range(0, len(reference), step)]
    names = [theme.escaped(theme.shortened(reference[at].text)) for at in positions]
    longest = max(len(reference), len(own))
    layout["xaxis"] |= {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": names,
        "automargin": True,
        "zeroline": False,
    }
    del layout["xaxis"]["title"]
    layout["xaxis"] |= {"range": [-0.6, longest - 0.4], "rangemode": "normal", "showgrid": False}
    highest = max(token.loss for token in (*reference, *own))
    # room above for the label of the first difference, and below for a whole diamond at 0
    layout["yaxis"] |= {"range": [-0.05 * highest, 1.3 * highest], "rangemode": "normal"}
    layout["legend"] = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    layout["margin"] |= {"t": 92}
    figure = go.Figure([_forced(reference), _free(own)], layout)
    if first_difference is None:
        return figure
    return _mark_difference(figure, first_difference, own[first_difference : first_difference + 1])


def _forced(tokens: Sequence[TokenLoss]) -> go.Bar:
    return go.Bar(
        x=[*range(len(tokens))],
        y=[token.loss for token in tokens],
        name="reference (teacher forcing)",
        marker={"color": theme.CATEGORICAL[0]},
        **_hover(tokens, "reference"),
    )


def _free(tokens: Sequence[TokenLoss]) -> go.Scatter:
    return go.Scatter(
        x=[*range(len(tokens))],
        y=[token.loss for token in tokens],
        name="the model's own translation",
        mode="lines+markers",
        line={"color": theme.CATEGORICAL[3], "dash": "dot", "width": 1.5},
        marker={"symbol": "diamond-open", "size": 9, "line": {"width": 2}},
        **_hover(tokens, "own translation"),
    )


def _hover(tokens: Sequence[TokenLoss], whose: str) -> dict[str, Any]:
    texts = [
        f"{at}. {theme.escaped(token.text)} ({whose}){theme.escaped(token.about)}"
        for at, token in enumerate(tokens, 1)
    ]
    return {
        "customdata": texts,
        "hovertemplate": "%{customdata}<br>loss %{y:.2f} nats<extra></extra>",
    }


def _mark_difference(figure: go.Figure, position: int, own: Sequence[TokenLoss]) -> go.Figure:
    names = [f"◇ {theme.escaped(theme.shortened(token.text))}" for token in own]
    figure.add_vline(x=position - 0.5, line={"color": "gray", "width": 2, "dash": "dash"})
    side = {
        "x": position - 0.5,
        "xanchor": "left" if position < 3 else "right",
        "xshift": 4 if position < 3 else -4,
    }
    return figure.add_annotation(
        text="<br>".join(["they first differ here", *names]),
        y=1,
        yref="paper",
        yanchor="top",
        align="left",
        showarrow=False,
        **side,
    )
