"""A search as a tree: steps across, what was kept, let go and finished below each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

# pixels
STEP_WIDTH = 92
ROW_HEIGHT = 52
BELOW = 0.27  # rows between a node and its number
TOKEN_LENGTH = 12  # characters that fit over a node
BEST = theme.CATEGORICAL[0]
REST = "#868b94"


class TreeNode(NamedTuple):
    """One node. Its parent stands before it; the root is its own step 0 and has no parent (-1)."""

    number: int
    parent: int
    step: int
    token: str
    total: str  # what stands below it
    state: str  # one of STATES
    order: int  # among its step, the smallest first
    place: int | None  # among the finished ones, 1 the best
    is_best: bool
    said: tuple[str, ...] = ()  # the lines that hovering shows


class NodeStyle(NamedTuple):
    """How a state is drawn, and its name for people."""

    label: str
    symbol: str
    size: int


STATES: Mapping[str, NodeStyle] = MappingProxyType(
    {
        "kept": NodeStyle("kept", "circle", 10),
        "finished": NodeStyle("finished", "square", 12),
        "truncated": NodeStyle("truncated at the limit", "diamond", 13),
        "pruned": NodeStyle("let go (pruned)", "x", 8),
    }
)


def visible_nodes(
    twigs: Sequence[TreeNode], n_kept: int, n_pruned: int, *, also: int = 0
) -> list[TreeNode]:
    """Of each step the best n_kept and n_pruned, of what ended the best n_kept; the best path, `also`, and every ancestor stay."""
    wanted = {also} | {
        twig.number
        for twig in twigs
        if twig.is_best or (twig.place is not None and twig.place <= n_kept)
    }
    for states, most in ((("kept",), n_kept), (("pruned",), n_pruned)):
        taken: dict[int, int] = {}
        for twig in sorted(
            (twig for twig in twigs if twig.state in states), key=lambda twig: twig.order
        ):
            taken[twig.step] = taken.get(twig.step, 0) + 1
            if taken[twig.step] <= most:
                wanted.add(twig.number)
    for twig in reversed(twigs):
        if twig.number in wanted:
            wanted.add(twig.parent)
    return [twig for twig in twigs if twig.number in wanted]


def node_rows(twigs: Sequence[TreeNode]) -> dict[int, int]:
    """The row of each node: the best path in row 0, children in the order of their parents, so that no two lines cross."""
    found: dict[int, int] = {}
    for step in sorted({twig.step for twig in twigs}):
        here = [twig for twig in twigs if twig.step == step]
        here.sort(key=lambda twig: (found.get(twig.parent, 0), not twig.is_best, twig.order))
        found |= {twig.number: row for row, twig in enumerate(here)}
    return found


def tree(twigs: Sequence[TreeNode], *, title: str, chosen: int | None = None) -> go.Figure:
    """A point a node, whose `customdata` is its number; one is ringed as chosen."""
    if len(twigs) < 2:
        return theme.empty("There is no search to show: nothing was written.")
    places = node_rows(twigs)
    n_steps = max(twig.step for twig in twigs)
    n_rows = max(places.values()) + 1
    edges = [_edges(twigs, places, which) for which in EDGES]
    nodes = [
        _nodes([twig for twig in twigs if twig.state == state], places, look)
        for state, look in STATES.items()
    ]
    ring = _ring([twig for twig in twigs if twig.number == chosen], places)
    across = {
        "title": {"text": "step"},
        "tickvals": list(range(1, n_steps + 1)),
        "range": [-0.35, n_steps + 0.5],
        "showgrid": False,
    }
    layout = {
        "title": theme.heading(title),
        "width": tree_width(n_steps),
        "height": 132 + n_rows * ROW_HEIGHT,
        "margin": {"l": 8, "r": 8, "t": 92, "b": 40},
        "xaxis": across | {"fixedrange": True, "zeroline": False},
        "yaxis": {"visible": False, "range": [n_rows - 0.4, -0.6], "fixedrange": True},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
    }
    return go.Figure([*edges, *ring, *nodes, _totals(twigs, places)], layout)


def tree_width(n_steps: int) -> int:
    """Pixels of a tree with so many steps."""
    return max(330, 60 + round((n_steps + 0.85) * STEP_WIDTH))


# Which lines look alike: from a twig to whether it is one of them, then their style.
EDGES: Sequence[tuple[Callable[[TreeNode], bool], Mapping[str, object]]] = (
    (
        lambda twig: twig.state == "pruned",
        MappingProxyType({"color": REST, "width": 1, "dash": "dot"}),
    ),
    (
        lambda twig: twig.state != "pruned" and not twig.is_best,
        MappingProxyType({"color": REST, "width": 1.5}),
    ),
    (lambda twig: twig.is_best, MappingProxyType({"color": BEST, "width": 5})),
)


def _edges(
    twigs: Sequence[TreeNode],
    places: Mapping[int, int],
    which: tuple[Callable[[TreeNode], bool], Mapping[str, object]],
) -> go.Scatter:
    """Level beside both nodes and aslant between, so that the words over the nodes stay free."""
    wanted, line = which
    x: list[float | None] = []
    y: list[float | None] = []
    for twig in twigs:
        if twig.parent in places and wanted(twig):
            before = places[twig.parent]
            own = places[twig.number]
            x += [twig.step - 1, twig.step - 0.62, twig.step - 0.38, twig.step, None]
            y += [before, before, own, own, None]
    return go.Scatter(x=x, y=y, mode="lines", line=dict(line), hoverinfo="skip", showlegend=False)


def _nodes(twigs: Sequence[TreeNode], places: Mapping[int, int], look: NodeStyle) -> go.Scatter:
    return go.Scatter(
        x=[twig.step for twig in twigs],
        y=[places[twig.number] for twig in twigs],
        mode="markers+text",
        marker={
            "symbol": look.symbol,
            "size": look.size,
            "color": [BEST if twig.is_best else REST for twig in twigs],
        },
        text=[_label(twig) for twig in twigs],
        textposition="top center",
        textfont={"size": 13},
        cliponaxis=False,
        customdata=[twig.number for twig in twigs],
        hovertext=["<br>".join(map(theme.escaped, twig.said)) for twig in twigs],
        hovertemplate="%{hovertext}<extra></extra>",
        name=look.label,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        showlegend=bool(twigs),
    )


def _label(twig: TreeNode) -> str:
    word = theme.escaped(theme.shortened(twig.token, TOKEN_LENGTH))
    return f"<b>{word}</b>" if twig.is_best else word


def _totals(twigs: Sequence[TreeNode], places: Mapping[int, int]) -> go.Scatter:
    """The sums below the nodes."""
    return go.Scatter(
        x=[twig.step for twig in twigs],
        y=[places[twig.number] + BELOW for twig in twigs],
        mode="text",
        text=[twig.total for twig in twigs],
        textfont={"size": 11},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _ring(twigs: Sequence[TreeNode], places: Mapping[int, int]) -> list[go.Scatter]:
    marker = {
        "symbol": "circle-open",
        "size": 18,
        "color": theme.CATEGORICAL[3],
        "line": {"width": 3},
    }
    return [
        go.Scatter(
            x=[twig.step],
            y=[places[twig.number]],
            mode="markers",
            marker=marker,
            hoverinfo="skip",
            name="chosen",
        )
        for twig in twigs
    ]
