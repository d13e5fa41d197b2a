"""One picture of attention: the heatmap, how to read it, its numbers."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import AttentionMap, Weights
from s2s.plots import svg
from s2s.ui.attention import export, request
from s2s.ui.attention.request import OWN, Asked
from s2s.ui.kit import captions, pickers
from s2s.ui.kit.text import as_markdown
from s2s.ui.shell.pages import page_link

MOST = 40  # rows or keys that are drawn at a time; more are shown in parts
SCALES = {"all": "Scale 0 to 1", "row": "Each row its own"}
ROUNDING = 1e-3  # of a sum of weights
FAINT = 0.2  # a largest weight below which the common scale shows little


def show(asked: Asked) -> None:
    """The heatmap and what to make of it."""
    sums = asked.shown.weights.sum(1)
    is_whole = bool(np.allclose(sums, 1, atol=ROUNDING))
    with st.container(horizontal=True, vertical_alignment="center"):
        per_row = _scale() == "row"
        part, start = _part(asked.shown)
    drawn = replace(
        part,
        rows=tuple(plots.numbered(part.rows, start[0])),
        keys=tuple(plots.numbered(part.keys, start[1])),
    )
    is_part = part.weights.shape != asked.shown.weights.shape
    last = start[0] - 1 + len(part.rows)
    told = None if is_whole and not is_part else sums[start[0] - 1 : last]
    captions.show_heatmap(asked.run, asked.which.kind, drawn, sums=told, per_row=per_row)
    for sentence in filter(None, (asked.note, _of_sums(sums, is_whole), _of_scale(part, per_row))):
        st.caption(as_markdown(sentence))
    captions.reading_guide(asked.which.kind, part, is_whole=is_whole, is_part=is_part)
    with st.container(horizontal=True, vertical_alignment="center"):
        draw = partial(
            svg.heatmap, part.weights, drawn.keys, drawn.rows, verb=part.verb, per_row=per_row
        )
        export.offer(asked, draw, note=part.name.rpartition("\n")[2] if is_part else "")
        page_link("compare", "How it was decoded", src=asked.text)


def parts(n: int) -> list[slice]:
    """So many tokens in as few parts of at most MOST as it takes, about equally long.

    >>> parts(90)
    [slice(0, 30, None), slice(30, 60, None), slice(60, 90, None)]
    """
    each = ceil(n / max(1, ceil(n / MOST)))
    return [slice(start, min(n, start + each)) for start in range(0, n, max(1, each))] or [
        slice(0, 0)
    ]


def _scale() -> str:
    """One for all cells, or one for each row; `scale` of the address."""
    key = OWN + "scale"
    if st.session_state.setdefault(key, request.value("scale") or "all") not in SCALES:
        pickers.notify(
            f"There is no scale {str(st.session_state[key])[:20]}; that of all cells is shown instead."
        )
        st.session_state[key] = "all"
    chosen = st.selectbox(
        "Colours",
        list(SCALES),
        format_func=SCALES.__getitem__,
        key=key,
        persist_state="session",
        width=190,
        label_visibility="collapsed",
    )
    request.remember(scale="" if chosen == "all" else str(chosen))
    return str(chosen)


def _part(shown: AttentionMap) -> tuple[AttentionMap, tuple[int, int]]:
    """The part of a long picture that is drawn, and the places of its first row and key, from 1; `from` of the address."""
    pairs = itertools.product(parts(len(shown.rows)), parts(len(shown.keys)))
    blocks = {f"{down.start + 1}.{across.start + 1}": (down, across) for down, across in pairs}
    names = {
        slug: f"rows {_span(down)} · columns {_span(across)}"
        for slug, (down, across) in blocks.items()
    }
    first = next(iter(blocks))
    key = OWN + "from"
    if st.session_state.setdefault(key, request.value("from") or first) not in blocks:
        pickers.notify(
            f"This picture has no part that begins at {str(st.session_state[key])[:20]}; its first part is shown instead."
        )
        st.session_state[key] = first
    chosen = first
    if len(blocks) > 1:
        chosen = st.selectbox(
            "Part",
            list(blocks),
            format_func=names.__getitem__,
            key=key,
            persist_state="session",
            width=270,
            label_visibility="collapsed",
        )
    request.remember(**{"from": "" if chosen == first else chosen})
    if len(blocks) == 1:
        return shown, (1, 1)
    down, across = blocks[chosen]
    name = f"{shown.name}\n{names[chosen]} of {len(shown.rows)} × {len(shown.keys)}"
    part = AttentionMap(
        shown.weights[down, across], shown.rows[down], shown.keys[across], shown.verb, name
    )
    return part, (down.start + 1, across.start + 1)


def _span(part: slice) -> str:
    return f"{part.start + 1} to {part.stop}"


def _of_sums(sums: Weights, is_whole: bool) -> str:
    return (
        ""
        if is_whole or not sums.size
        else f"Rows sum to {sums.min():.2f} up to {sums.max():.2f} here, not to 1; hovering says each."
    )


def _of_scale(part: AttentionMap, per_row: bool) -> str:
    if per_row:
        return "Each row has a scale of its own: the brightest cell is its largest weight, however small. Numbers stay the weights."
    most = part.weights.max(initial=0)
    return (
        f"No weight here is above {most:.2f}: give each row its own scale to see differences."
        if 0 < most < FAINT
        else ""
    )
