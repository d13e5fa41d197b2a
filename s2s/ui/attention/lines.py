"""Attention as lines between two columns of tokens: one map, or several heads side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from s2s.analysis import HeadSelection, strongest_cells
from s2s.plots import svg
from s2s.ui.attention import export
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.attention.view_state import SHARE_STEP, STATE
from s2s.ui.canvas import attention_lines
from s2s.ui.kit import as_markdown, captions, pickers

MAX_LINES = 16_000  # of one map: all between 126 tokens and 126
MAX_DASHED_LINES = 4_000  # of several heads, whose dashes take a browser far longer


def show(request: AttentionRequest) -> None:
    """The two columns, the heads they show, and the share of their weight that is drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = _heads(request)
        share = share_slider()
    pictures = {which: request.map_of(which) for which in heads} or {request.which: request.shown}
    cells = {}
    for which, picture in pictures.items():
        cells[export.layer_head(which)] = strongest_cells(picture.weights, share)
    links, n_lines = _strongest(cells)
    n_drawn = sum(map(len, links.values()))
    note = _drawn_note(share, n_drawn, n_lines)
    first = next(iter(pictures.values()))
    title = captions.heatmap_title(request.run, request.which.kind, export.maps_name(pictures))
    st.caption(as_markdown(f"{request.note} {note}"))
    attention_lines(
        links,
        first.keys,
        first.rows,
        verb=first.verb,
        alt=f"Lines of {title.replace(chr(10), ', ')}",
        key="lines",
    )
    draw = partial(svg.lines, links, first.keys, first.rows, verb=first.verb)
    export.save_button(request, draw, pictures, note=note)


def _heads(request: AttentionRequest) -> list[HeadSelection]:
    """The heads to show side by side; none: the page's own selection."""
    kind = request.which.kind
    n_layers, n_heads = request.view.weights.shape[:2]
    options = {
        f"{layer + 1}.{head + 1}": HeadSelection(kind, layer, head)
        for layer in range(n_layers)
        for head in range(n_heads)
    }
    key = STATE.key("heads")
    wanted = st.session_state.setdefault(key, STATE.now.heads.split())
    if missing := [name for name in wanted if name not in options]:
        pickers.notify(
            f"There is no head {missing[0][:20]} of {kind} attention in this model; it is not drawn."
        )
        st.session_state[key] = [name for name in wanted if name in options]
    chosen = st.multiselect(
        "Heads, side by side",
        list(options),
        key=key,
        persist_state="session",
        placeholder="as selected above",
        select_all=False,
        wrap=True,
        width=300,
        help="Layer and head: 2.3 is the third head of layer 2. If you choose none, the selection above is shown.",
    )
    STATE.remember(heads=" ".join(chosen))
    return [options[name] for name in chosen]


def share_slider() -> float:
    """The share of each row's weight that is drawn."""
    key = STATE.key("share")
    if key not in st.session_state:
        st.session_state[key] = round(round(float(STATE.now.share) / SHARE_STEP) * SHARE_STEP, 2)
    share = st.slider(
        "Share of the weight drawn",
        SHARE_STEP,
        1.0,
        step=SHARE_STEP,
        key=key,
        format="percent",
        persist_state="session",
        width=220,
        help="For each row, the strongest lines are drawn until they cover this share of its weight; at 100 % all are"
        " drawn.",
    )
    share = round(float(share), 2)
    STATE.remember(share=str(share))
    return share


def _strongest(links: Mapping[str, svg.Links]) -> tuple[Mapping[str, svg.Links], int]:
    """At most as many lines as a browser can draw, and the number before that limit."""
    weights = [weight for of_head in links.values() for _, _, weight in of_head]
    most = MAX_LINES if len(links) == 1 else MAX_DASHED_LINES
    if len(weights) <= most:
        return links, len(weights)
    limit = sorted(weights, reverse=True)[most]
    strongest: dict[str, svg.Links] = {}
    for name, of_head in links.items():
        strongest[name] = [link for link in of_head if link[2] > limit]
    return strongest, len(weights)


def _drawn_note(share: float, n_drawn: int, n_lines: int) -> str:
    if n_drawn < n_lines:
        return f"Only the {n_drawn:,} strongest of {n_lines:,} lines are drawn, as many as a browser can show at once."
    if share == 1:
        return "All lines are drawn."
    return (
        f"For each word, the strongest lines are drawn until they cover {share:.0%} of its weight."
    )
