"""Every head of one kind of attention at once: a canvas to click, and a table that says the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from s2s.analysis import ROLES, SELF, HeadSummary, LabeledWeights, summarize_heads
from s2s.ui.attention import request
from s2s.ui.attention.request import Asked
from s2s.ui.canvas.heads import block, heads_canvas, packed
from s2s.ui.kit import captions, pickers
from s2s.ui.kit.text import plain

KEY = request.OWN + "grid"
DISTANCE = MappingProxyType(
    {
        True: "how many tokens away from its own place a row looks.",
        False: "how many source tokens off the straight way from first to last.",
    }
)
COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "Role": "a rule of thumb. One sentence is little: by chance a head may keep a rule.",
        "Entropy": "in nats, mean of the rows. 0: each row looks at one token; the more, the wider it looks.",
        "Peak": "the largest weight of a row, mean of the rows. 1: each row looks at one token alone.",
        "Distance": "",
    }
)


def show(asked: Asked) -> None:
    """All heads; a click opens one."""
    st.subheader(f"All heads of {captions.KIND_NAMES[asked.which.kind]}", anchor=False)
    view = asked.view
    heads_canvas(
        _pixels(*_named(asked), view),
        ((asked.which.layer, asked.which.head), _alone(view)),
        per_row=request.value("scale") == "row",
        key=KEY,
        on_pick=partial(_pick, view.weights.shape),
        on_alone=partial(_isolate, view.weights.shape),
    )
    st.caption(_said(view))
    with st.expander("The same in numbers", icon=":material/table:"):
        _table(asked)


def _said(view: LabeledWeights) -> str:
    side = block(view.weights.shape)
    together = f" Each dot is the largest of {side} × {side} weights." if side > 1 else ""
    return f"Click a head to open it, double-click to see it alone; a number at the edge takes the mean.{together}"


def _named(asked: Asked) -> tuple[str, int, str, str, str]:
    """What tells these weights from all others."""
    return str(asked.run.folder.path), asked.run.step, asked.text, asked.target, asked.which.kind


@st.cache_resource(max_entries=16, show_spinner=False)  # at most 8 MB each
def _pixels(
    folder: str, step: int, text: str, target: str, kind: str, _view: LabeledWeights
) -> bytes:
    return packed(
        _view.weights,
        _view.rows,
        _view.keys,
        {"predicts": "predicting", "reads": "reading"}[_view.verb],
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _measured(
    folder: str, step: int, text: str, target: str, kind: str, _asked: Asked
) -> HeadSummary:
    return summarize_heads(_asked.seen, kind)


def _pick(shape: tuple[int, ...], layer: int | None, head: int | None) -> None:
    if (layer is None or 0 <= layer < shape[0]) and (head is None or 0 <= head < shape[1]):
        request.choose(layer, head)


def _isolate(shape: tuple[int, ...], layer: int | None, head: int | None) -> None:
    if layer is None or head is None:
        request.remember(alone="")
    elif 0 <= layer < shape[0] and 0 <= head < shape[1]:
        request.remember(alone=f"{layer + 1}.{head + 1}")
        request.choose(layer, head)


def _alone(view: LabeledWeights) -> tuple[int, int] | None:
    """The head that fills the canvas; one that the model doesn't have is said and forgotten."""
    if not (given := request.value("alone")):
        return None
    layer, _, head = given.partition(".")
    n_layers, n_heads = view.weights.shape[:2]
    if (
        layer.isdecimal()
        and head.isdecimal()
        and 1 <= int(layer) <= n_layers
        and 1 <= int(head) <= n_heads
    ):
        return int(layer) - 1, int(head) - 1
    pickers.notify(
        f"There is no head {given[:20]} to show alone: this model has {n_layers} layers of {n_heads} heads. All are shown instead."
    )
    request.remember(alone="")
    return None


def _table(asked: Asked) -> None:
    found = _measured(*_named(asked), asked)
    frame = numbers(found)
    helps = {**COLUMNS, "Distance": DISTANCE[asked.which.kind in SELF]}
    st.dataframe(
        frame,
        hide_index=True,
        column_config={name: _column(name, helps.get(name)) for name in frame},
        key=f"{KEY} table",
        on_select=partial(_open_row, frame),
        selection_mode="single-row",
        height=min(38 + 35 * len(frame), 318),
        alt=f"Entropy, peak, distance and role of {len(frame)} heads",
    )
    n_keys = len(asked.view.keys)
    helps["Entropy"] += f" At most {math.log(n_keys):.2f} for {n_keys} tokens."
    rules = {ROLES[slug].label: plain(ROLES[slug].rule) for slug in ROLES if slug in found.role}
    said = [f"- **{name}**: {about}" for name, about in (helps | rules).items()]
    st.caption("\n".join(["Tick a row to open its head.", "", *said]))
    name = captions.file_name(captions.heatmap_title(asked.run, asked.which.kind, "heads"))
    st.download_button(
        "Heads (CSV)",
        frame.to_csv(index=False),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"{KEY} csv",
    )


def _column(name: str, help: str | None) -> Any:
    if name == "Role":
        return st.column_config.TextColumn(help=help)
    return st.column_config.NumberColumn(
        help=help, format="%d" if help is None else "%.2f", width=None if help else 50
    )


def numbers(found: HeadSummary) -> pd.DataFrame:
    """A row for each head, counted from 1."""
    layers, heads = np.indices(found.entropy.shape).reshape(2, -1) + 1
    means = {
        "Entropy": found.entropy.ravel(),
        "Peak": found.peak.ravel(),
        "Distance": found.distance.ravel(),
    }
    roles = [ROLES[slug].label for slug in found.role.ravel()]
    return pd.DataFrame({"Layer": layers, "Head": heads, "Role": roles, **means})


def _open_row(frame: pd.DataFrame) -> None:
    for row in st.session_state[f"{KEY} table"].selection.rows:
        if 0 <= row < len(frame):
            request.choose(int(frame["Layer"][row]) - 1, int(frame["Head"][row]) - 1)
