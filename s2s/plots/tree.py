"""A search tree: steps from left to right; kept, pruned and finished prefixes below each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

CAPTION = (
    "From left to right, token by token: the thick line is the chosen output, a cross marks a pruned prefix, the ring"
    " the token that is inspected below. Below each token: log-probability of everything so far, as the strategy counts"
    " it, in nats; below a finished hypothesis: its score. Higher is better."
)
# pixels
STEP_WIDTH = 92
LEAST_STEP_WIDTH = 64  # for the number below a token
LETTER = 7.4  # of a token
ROOM = 1010  # that a page has for a tree
BESIDE = 60  # a tree's first and last step
ABOVE, BELOW_AXIS = 92, 40
LEGEND_ENTRY, LEGEND_ROW = 115, 20
ROW_HEIGHT = 52
BELOW = 0.27  # rows between a node and its log-probability
TOKEN_LENGTH = 12  # characters that fit over a node
BEST = theme.CATEGORICAL[0]
GREEDY = theme.CATEGORICAL[2]
REST = "#868b94"
GREEDY_LINE = MappingProxyType({"color": GREEDY, "width": 2.5, "dash": "dash"})

Trace = dict[str, Any]  # of a figure; as a dictionary Plotly checks it once


class TreeNode(NamedTuple):
    """A node of the search tree. Parents come before their children; the root is step 0 with parent -1."""

    number: int
    parent: int
    step: int
    token: str
    total: str  # the text below it
    state: str  # one of STATES
    order: int  # within its step, the smallest first
    rank: int | None  # among the finished hypotheses, from 1
    is_best: bool
    hover: tuple[str, ...] = ()  # lines
    is_greedy: bool = False  # on the path of greedy search, beside another one that is the best


class NodeStyle(NamedTuple):
    """How nodes of one state are drawn: symbol, size, and label in the legend."""

    label: str
    symbol: str
    size: int


STATES: Mapping[str, NodeStyle] = MappingProxyType(
    {
        "kept": NodeStyle("kept", "circle", 10),
        "finished": NodeStyle("finished", "square", 12),
        "truncated": NodeStyle("truncated at the limit", "diamond", 13),
        "pruned": NodeStyle("pruned", "x", 8),
    }
)


def visible_nodes(
    nodes: Sequence[TreeNode], n_kept: int, n_pruned: int, *, also: int = 0
) -> list[TreeNode]:
    """Nodes to draw: the best n_kept and n_pruned of each step, n_kept finished ones, both paths, `also`, all
    ancestors.
    """
    shown = {also} | {
        node.number
        for node in nodes
        if node.is_best or node.is_greedy or (node.rank is not None and node.rank <= n_kept)
    }
    for state, limit in (("kept", n_kept), ("pruned", n_pruned)):
        counts: Counter[int] = Counter()
        for node in sorted(nodes, key=lambda node: node.order):
            counts[node.step] += node.state == state
            if node.state == state and counts[node.step] <= limit:
                shown.add(node.number)
    for node in reversed(nodes):
        if node.number in shown:
            shown.add(node.parent)
    return [node for node in nodes if node.number in shown]


def node_rows(nodes: Sequence[TreeNode]) -> dict[int, int]:
    """The row of each node: the best path is row 0, children follow their parents' order, so that no lines cross."""
    found: dict[int, int] = {}
    for step in sorted({node.step for node in nodes}):
        here = [node for node in nodes if node.step == step]
        here.sort(key=lambda node: (found.get(node.parent, 0), not node.is_best, node.order))
        found |= {node.number: row for row, node in enumerate(here)}
    return found


def tree(nodes: Sequence[TreeNode], *, title: str, inspected: int | None = None) -> go.Figure:
    """A figure of the tree with one point per node, whose `customdata` is its number; a ring marks the inspected one.

    It begins with the first step of its nodes, whether that is the search's or a later one.
    """
    if len(nodes) < 2:
        return theme.empty("There is no search to show: the output is empty.")
    row_of = node_rows(nodes)
    start = min(node.step for node in nodes)
    n_steps = max(node.step for node in nodes)
    n_rows = max(row_of.values()) + 1
    edges = [*_stubs(nodes, row_of), *(_edges(nodes, row_of, which) for which in EDGES)]
    markers = [
        _markers([node for node in nodes if node.state == state], row_of, style)
        for state, style in STATES.items()
    ]
    ring = _ring([node for node in nodes if node.number == inspected], row_of)
    x_axis = {
        "title": {"text": "step"},
        "tickvals": list(range(start + 1, n_steps + 1)),
        "range": [start - 0.35, n_steps + 0.5],
        "showgrid": False,
    }
    has_greedy = any(node.is_greedy for node in nodes)
    legend = _legend({node.state for node in nodes}, has_greedy=has_greedy)
    width = tree_width(n_steps - start, step_width(nodes))
    top = ABOVE + LEGEND_ROW * (len([*legend, *ring]) * LEGEND_ENTRY // width)
    layout = {
        "title": theme.heading(title),
        "width": width,
        "height": top + BELOW_AXIS + n_rows * ROW_HEIGHT,
        "margin": {"l": 8, "r": 8, "t": top, "b": BELOW_AXIS},
        "xaxis": x_axis | {"fixedrange": True, "zeroline": False},
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
    drawn = [*edges, *ring, *markers, _totals(nodes, row_of)]
    return go.Figure([*drawn, *legend], layout)


def step_width(nodes: Sequence[TreeNode]) -> float:
    """The width of a step in pixels: as many as the page has for each, but at least what the longest token takes."""
    n_steps = max(node.step for node in nodes) - min(node.step for node in nodes)
    longest = max(min(len(node.token), TOKEN_LENGTH) for node in nodes)
    least = min(STEP_WIDTH, max(LEAST_STEP_WIDTH, LETTER * longest))
    return min(STEP_WIDTH, max(least, (ROOM - BESIDE) / (n_steps + 0.85)))


def tree_width(n_steps: int, width_of_step: float = STEP_WIDTH) -> int:
    """The width in pixels of a tree with this many steps."""
    return max(330, BESIDE + round((n_steps + 0.85) * width_of_step))


def fits(nodes: Sequence[TreeNode]) -> bool:
    """Whether the tree is narrow enough for the page."""
    n_steps = max(node.step for node in nodes) - min(node.step for node in nodes)
    return tree_width(n_steps, step_width(nodes)) <= ROOM


# The styles of edges: which nodes a style applies to, then its line.
EDGES: Sequence[tuple[Callable[[TreeNode], bool], Mapping[str, object]]] = (
    (
        lambda node: node.state == "pruned",
        MappingProxyType({"color": REST, "width": 1, "dash": "dot"}),
    ),
    (
        lambda node: node.state != "pruned" and not node.is_best,
        MappingProxyType({"color": REST, "width": 1.5}),
    ),
    (lambda node: node.is_best, MappingProxyType({"color": BEST, "width": 5})),
    (lambda node: node.is_greedy, GREEDY_LINE),
)


def _scatter(**trace: Any) -> Trace:
    return {"type": "scatter", "hoverinfo": "skip", "showlegend": False} | trace


def _stubs(nodes: Sequence[TreeNode], row_of: Mapping[int, int]) -> list[Trace]:
    start = min(node.step for node in nodes)
    if not start:
        return []
    x: list[float | None] = []
    y: list[float | None] = []
    for node in nodes:
        if node.step == start:
            x += [start - 0.35, start, None]
            y += [row_of[node.number], row_of[node.number], None]
    line = {"color": REST, "width": 1.5, "dash": "dot"}
    return [_scatter(x=x, y=y, mode="lines", line=line)]


def _edges(
    nodes: Sequence[TreeNode],
    row_of: Mapping[int, int],
    which: tuple[Callable[[TreeNode], bool], Mapping[str, object]],
) -> Trace:
    """Edges, level at both nodes and slanted in between, so that lines do not cross the tokens above the nodes."""
    shown, line = which
    x: list[float | None] = []
    y: list[float | None] = []
    for node in nodes:
        if node.parent in row_of and shown(node):
            before = row_of[node.parent]
            own = row_of[node.number]
            x += [node.step - 1, node.step - 0.62, node.step - 0.38, node.step, None]
            y += [before, before, own, own, None]
    return _scatter(x=x, y=y, mode="lines", line=dict(line))


def _markers(nodes: Sequence[TreeNode], row_of: Mapping[int, int], style: NodeStyle) -> Trace:
    return _scatter(
        x=[node.step for node in nodes],
        y=[row_of[node.number] for node in nodes],
        mode="markers+text",
        marker={
            "symbol": style.symbol,
            "size": style.size,
            "color": [BEST if node.is_best else REST for node in nodes],
        },
        text=[_label(node) for node in nodes],
        textposition="top center",
        textfont={"size": 13},
        cliponaxis=False,
        customdata=[node.number for node in nodes],
        hovertext=["<br>".join(map(theme.escaped, node.hover)) for node in nodes],
        hovertemplate="%{hovertext}<extra></extra>",
        name=style.label,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hoverinfo="all",
    )


def _legend(states: Collection[str], *, has_greedy: bool) -> list[Trace]:
    best = {"symbol": "circle", "size": 10, "color": BEST}
    samples = [_sample("chosen: the output", best, {"color": BEST, "width": 5})]
    if has_greedy:
        samples.append(_sample("greedy's path", None, GREEDY_LINE))
    samples += [
        _sample(style.label, {"symbol": style.symbol, "size": style.size, "color": REST}, None)
        for state, style in STATES.items()
        if state in states
    ]
    return samples


def _sample(
    name: str, marker: Mapping[str, object] | None, line: Mapping[str, object] | None
) -> Trace:
    modes = [*(["lines"] if line else []), *(["markers"] if marker else [])]
    return _scatter(
        x=[None],
        y=[None],
        mode="+".join(modes),
        marker=dict(marker or {}),
        line=dict(line or {}),
        name=name,
        showlegend=True,
    )


def _label(node: TreeNode) -> str:
    word = theme.escaped(theme.shortened(node.token, TOKEN_LENGTH))
    return f"<b>{word}</b>" if node.is_best else word


def _totals(nodes: Sequence[TreeNode], row_of: Mapping[int, int]) -> Trace:
    return _scatter(
        x=[node.step for node in nodes],
        y=[row_of[node.number] + BELOW for node in nodes],
        mode="text",
        text=[node.total for node in nodes],
        textfont={"size": 12},
        cliponaxis=False,
    )


def _ring(nodes: Sequence[TreeNode], row_of: Mapping[int, int]) -> list[Trace]:
    marker = {
        "symbol": "circle-open",
        "size": 18,
        "color": theme.CATEGORICAL[3],
        "line": {"width": 3},
    }
    return [
        _scatter(
            x=[node.step],
            y=[row_of[node.number]],
            mode="markers",
            marker=marker,
            name="inspected",
            showlegend=True,
        )
        for node in nodes
    ]
