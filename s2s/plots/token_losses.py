"""How hard each token of a reference is for a model, beside how sure it was of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

NAMES = 30  # tokens that are named under the axis; of more, every second, third, ...


class TokenLoss(NamedTuple):
    """One place of a target."""

    text: str
    loss: float  # nats
    about: str = ""  # what hover says beside


def token_losses(
    reference: Sequence[TokenLoss], own: Sequence[TokenLoss], parting: int | None, *, title: str
) -> go.Figure:
    """Bars: the reference, forced. Diamonds: what the model wrote by itself. `parting`: the first place, from 0, where they differ."""
    if not reference:
        return theme.empty("There is no reference to look at.")
    layout = theme.layout(title, 380, "", "loss (nats): 0 is certain")
    step = math.ceil(len(reference) / NAMES)
    places = [*range(0, len(reference), step)]
    names = [theme.escaped(theme.shortened(reference[place].text)) for place in places]
    longest = max(len(reference), len(own))
    layout["xaxis"] |= {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": names,
        "automargin": True,
        "zeroline": False,
    }
    del layout["xaxis"]["title"]
    layout["xaxis"] |= {"range": [-0.6, longest - 0.4], "rangemode": "normal", "showgrid": False}
    layout["legend"] = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    layout["margin"] |= {"t": 92}
    figure = go.Figure([_forced(reference), _free(own)], layout)
    return figure if parting is None else _parted(figure, parting)


def _forced(tokens: Sequence[TokenLoss]) -> go.Bar:
    return go.Bar(
        x=[*range(len(tokens))],
        y=[token.loss for token in tokens],
        name="reference, forced",
        marker={"color": theme.CATEGORICAL[0]},
        **_hover(tokens, "reference"),
    )


def _free(tokens: Sequence[TokenLoss]) -> go.Scatter:
    return go.Scatter(
        x=[*range(len(tokens))],
        y=[token.loss for token in tokens],
        name="the model's own, free",
        mode="lines+markers",
        line={"color": theme.CATEGORICAL[3], "dash": "dot", "width": 1.5},
        marker={"symbol": "diamond-open", "size": 9, "line": {"width": 2}},
        **_hover(tokens, "its own"),
    )


def _hover(tokens: Sequence[TokenLoss], whose: str) -> dict[str, Any]:
    said = [
        f"{at}. {theme.escaped(token.text)} ({whose}){theme.escaped(token.about)}"
        for at, token in enumerate(tokens, 1)
    ]
    return {
        "customdata": said,
        "hovertemplate": "%{customdata}<br>loss %{y:.2f} nats<extra></extra>",
    }


def _parted(figure: go.Figure, place: int) -> go.Figure:
    """A line and a word where they part."""
    figure.add_vline(x=place - 0.5, line={"color": "gray", "width": 2, "dash": "dash"})
    side = {
        "x": place - 0.5,
        "xanchor": "left" if place < 3 else "right",
        "xshift": 4 if place < 3 else -4,
    }
    return figure.add_annotation(
        text="they part here", y=1, yref="paper", yanchor="top", showarrow=False, **side
    )
