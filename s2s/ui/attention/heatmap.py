"""One attention map as a heatmap, how to read it, and its data."""

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
from s2s.ui.attention import export
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import as_markdown, captions
from s2s.ui.shell import page_link

MAX_SIDE = 40  # rows or keys that are drawn at a time; larger maps are shown in parts
SCALES = {"all": "Scale 0 to 1", "row": "One scale per row"}
ROUNDING = 1e-3  # of a sum of weights
FAINT = 0.2  # a largest weight below which the common scale shows little


def show(request: AttentionRequest) -> None:
    """The heatmap, captions and downloads."""
    sums = request.shown.weights.sum(1)
    is_whole = bool(np.allclose(sums, 1, atol=ROUNDING))
    with st.container(horizontal=True, vertical_alignment="center"):
        per_row = _scale() == "row"
        part, (first_row, first_key) = _part(request.shown)
    drawn = replace(
        part,
        rows=tuple(plots.numbered(part.rows, first_row)),
        keys=tuple(plots.numbered(part.keys, first_key)),
    )
    is_part = part.weights.shape != request.shown.weights.shape
    part_sums = sums[first_row - 1 : first_row - 1 + len(part.rows)]
    kind = request.which.kind
    captions.show_heatmap(
        request.run,
        kind,
        drawn,
        sums=part_sums if is_part or not is_whole else None,
        per_row=per_row,
    )
    notes = (request.note, _sums_note(sums, is_whole), _scale_note(part, per_row))
    for note in filter(None, notes):
        st.caption(as_markdown(note))
    fault = request.run.recipe.train.fault
    captions.reading_guide(kind, part, fault=fault, is_whole=is_whole, is_part=is_part)
    with st.container(horizontal=True, vertical_alignment="center"):
        draw = partial(
            svg.heatmap, part.weights, drawn.keys, drawn.rows, verb=part.verb, per_row=per_row
        )
        export.save_button(request, draw, note=part.name.rpartition("\n")[2] if is_part else "")
        page_link("compare", "How it was decoded", src=request.text)


def parts(n: int) -> list[slice]:
    """Split `n` tokens into as few parts of at most MAX_SIDE as possible, about equally long.

    >>> parts(90)
    [slice(0, 30, None), slice(30, 60, None), slice(60, 90, None)]
    """
    length = ceil(n / max(1, ceil(n / MAX_SIDE)))
    starts = range(0, n, max(1, length))
    return [slice(start, min(n, start + length)) for start in starts] or [slice(0, 0)]


def _scale() -> str:
    """One color scale for all cells, or one per row."""
    return STATE.choice("scale", "Color scale", SCALES, width=190, label_visibility="collapsed")


def _part(shown: AttentionMap) -> tuple[AttentionMap, tuple[int, int]]:
    """The part of a large map that is drawn, and the positions of its first row and key, from 1."""
    pairs = itertools.product(parts(len(shown.rows)), parts(len(shown.keys)))
    blocks = {f"{rows.start + 1}.{keys.start + 1}": (rows, keys) for rows, keys in pairs}
    if len(blocks) == 1:
        return shown, (1, 1)
    names = {}
    for slug, (rows, keys) in blocks.items():
        names[slug] = f"rows {_span(rows)} · columns {_span(keys)}"
    first = next(iter(blocks))
    chosen = STATE.choice(
        "part", "Part", names, default=first, width=270, label_visibility="collapsed"
    )
    rows, keys = blocks[chosen]
    name = f"{shown.name}\n{names[chosen]} of {len(shown.rows)} × {len(shown.keys)}"
    part = AttentionMap(
        shown.weights[rows, keys], shown.rows[rows], shown.keys[keys], shown.verb, name
    )
    return part, (rows.start + 1, keys.start + 1)


def _span(part: slice) -> str:
    return f"{part.start + 1} to {part.stop}"


def _sums_note(sums: Weights, is_whole: bool) -> str:
    if is_whole or not sums.size:
        return ""
    return f"Rows here sum to between {sums.min():.2f} and {sums.max():.2f}, not to 1; hover or tap to see each sum."


def _scale_note(part: AttentionMap, per_row: bool) -> str:
    if per_row:
        return "Each row has its own color scale: its brightest cell is its largest weight, however small."
    largest = part.weights.max(initial=0)
    if not 0 < largest < FAINT:
        return ""
    return f"No weight here is above {largest:.2f}: choose one scale per row to see differences."
