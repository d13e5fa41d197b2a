"""Every head of one kind of attention at once: a canvas to click, and the same as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from s2s.analysis import (
    ROLES,
    SELF,
    HeadSelection,
    HeadSummary,
    LabeledWeights,
    reduced,
    summarize_heads,
)
from s2s.plots import svg_heads
from s2s.runs import RunKey, Target
from s2s.ui.attention import export
from s2s.ui.attention.request import DEFAULT_REDUCTION, AttentionRequest, select
from s2s.ui.attention.view_state import STATE
from s2s.ui.canvas import heads_canvas, pack_heads, pooling
from s2s.ui.kit import cached, captions, pickers, plain
from s2s.ui.kit.tables import frame_csv

KEY = "attention grid"
DISTANCE = MappingProxyType(
    {
        True: "mean distance in tokens between a row's position and the tokens it attends to.",
        False: "mean distance in source tokens from the diagonal.",
    }
)
COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "Role": "a rule of thumb. In a single sentence a head may satisfy a rule by chance.",
        "Entropy": "in nats, mean of the rows. 0: each row attends to one token only; higher:"
        " it attends to more of them.",
        "Peak": "the largest weight of a row, mean of the rows. 1: each row attends to one token only.",
        "Distance": "",
    }
)


def show(request: AttentionRequest) -> None:
    """All heads; a click opens one."""
    st.subheader(f"All heads of {captions.KIND_NAMES[request.which.kind]}", anchor=False)
    view = request.view
    heads_canvas(
        _pixels(*_cache_key(request), request),
        (request.which.layer, request.which.head),
        _enlarged(view),
        per_row=STATE.now.scale == "row",
        key=KEY,
        on_pick=partial(_pick, view.weights.shape),
        on_enlarge=partial(_enlarge, view.weights.shape),
    )
    st.caption(_instructions(view))
    _save_button(request)
    rows = st.expander("As a table", icon=":material/table:", key=f"{KEY} rows", on_change="rerun")
    if rows.open:
        with rows:
            _table(request)


def _save_button(request: AttentionRequest) -> None:
    """The weights of every head as they are: the reduction and simplifications of the page concern its heatmap."""
    view = request.view
    n_layers, n_heads = view.weights.shape[:2]
    pictures = {}
    for layer, head in np.ndindex(n_layers, n_heads):
        which = HeadSelection(request.which.kind, layer, head)
        pictures[which] = reduced(request.attention, which)
    draw = partial(svg_heads.heads, view.weights, _roles(request), per_row=STATE.now.scale == "row")
    export.save_button(
        replace(request, reduction=DEFAULT_REDUCTION, note=""),
        draw,
        pictures,
        note=f"In each square, a row {view.verb} one token; columns are the tokens that it attends to. The first tokens"
        " are at the top left. Below a square: the head's role by a rule of thumb.",
        label="Save all heads",
        name=f"{n_layers} layer{'s' * (n_layers > 1)} of {n_heads} heads",
    )


def _instructions(view: LabeledWeights) -> str:
    side = pooling(view.weights.shape)
    pooled = f" Each dot is the largest of {side} × {side} weights." if side > 1 else ""
    can_average = max(view.weights.shape[:2]) > 1
    average = " Click or tap a row or column number to average it." if can_average else ""
    return (
        f"Click or tap a head to open it; a double click enlarges it.{average}"
        " Below each head: its role in this sentence, by a rule of thumb; the table has the rules. A *monotonic* head"
        f" is mostly diagonal, and single words may cross.{pooled}"
    )


def _cache_key(request: AttentionRequest) -> tuple[RunKey, str, Target, str]:
    """What distinguishes these weights from all others."""
    return request.run.key, request.text, request.forced, request.which.kind


@cached.by_sentence(16)  # at most 8 MB each
def _pixels(key: RunKey, text: str, target: Target, kind: str, _request: AttentionRequest) -> bytes:
    view = _request.view
    return pack_heads(view.weights, view.rows, view.keys, view.verb, roles=_roles(_request))


def _roles(request: AttentionRequest) -> list[list[str]]:
    """Their labels, by layer and head."""
    summary = _summary(*_cache_key(request), request)
    return [[ROLES[slug].label for slug in layer] for layer in summary.role]


@cached.by_sentence(64)
def _summary(
    key: RunKey, text: str, target: Target, kind: str, _request: AttentionRequest
) -> HeadSummary:
    return summarize_heads(_request.attention, kind)


def _pick(shape: tuple[int, ...], layer: int | None, head: int | None) -> None:
    if (layer is None or 0 <= layer < shape[0]) and (head is None or 0 <= head < shape[1]):
        select(layer, head)


def _enlarge(shape: tuple[int, ...], layer: int | None, head: int | None) -> None:
    if layer is None or head is None:
        STATE.remember(alone="")
    elif 0 <= layer < shape[0] and 0 <= head < shape[1]:
        STATE.remember(alone=f"{layer + 1}.{head + 1}")
        select(layer, head)


def _enlarged(view: LabeledWeights) -> tuple[int, int] | None:
    """The head that fills the canvas. One that the model doesn't have is reported and forgotten."""
    if not (given := STATE.now.alone):
        return None
    n_layers, n_heads = view.weights.shape[:2]
    for layer, head in np.ndindex(n_layers, n_heads):
        if given == f"{layer + 1}.{head + 1}":
            return layer, head
    pickers.notify(
        f"There is no head {given[:20]} to enlarge: this model has {n_layers} layers of {n_heads} heads."
    )
    STATE.remember(alone="")
    return None


def _table(request: AttentionRequest) -> None:
    kind = request.which.kind
    summary = _summary(*_cache_key(request), request)
    frame = table(summary)
    helps = {**COLUMNS, "Distance": DISTANCE[kind in SELF]}
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
    n_keys = len(request.view.keys)
    helps["Entropy"] += f" At most {math.log(n_keys):.2f} for {n_keys} tokens."
    rules = {ROLES[slug].label: plain(ROLES[slug].rule) for slug in ROLES if slug in summary.role}
    legend = [f"- **{name}**: {about}" for name, about in (helps | rules).items()]
    st.caption("\n".join(["Tick a row to open its head.", "", *legend]))
    name = captions.file_name(captions.heatmap_title(request.run, kind, "heads"))
    st.download_button(
        "Heads (CSV)",
        frame_csv(frame),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"{KEY} csv",
    )


def _column(name: str, help: str | None) -> Any:
    if name == "Role":
        return st.column_config.TextColumn(help=help)
    if help is None:  # the layer's or the head's number
        return st.column_config.NumberColumn(format="%d", width=50)
    return st.column_config.NumberColumn(help=help, format="%.2f")


def table(summary: HeadSummary) -> pd.DataFrame:
    """One row per head; layers and heads are counted from 1."""
    layers, heads = np.indices(summary.entropy.shape).reshape(2, -1) + 1
    return pd.DataFrame(
        {
            "Layer": layers,
            "Head": heads,
            "Role": [ROLES[slug].label for slug in summary.role.ravel()],
            "Entropy": summary.entropy.ravel(),
            "Peak": summary.peak.ravel(),
            "Distance": summary.distance.ravel(),
        }
    )


def _open_row(frame: pd.DataFrame) -> None:
    for row in st.session_state[f"{KEY} table"].selection.rows:
        if 0 <= row < len(frame):
            select(int(frame["Layer"][row]) - 1, int(frame["Head"][row]) - 1)
