"""Attention as lines from each word to those it looks at: one picture, or several heads side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from s2s.analysis import AttentionMap, HeadSelection, strongest_cells
from s2s.plots import svg
from s2s.ui.attention import export
from s2s.ui.attention.request import OWN, Asked, remember, value
from s2s.ui.canvas import lines
from s2s.ui.kit import captions, pickers
from s2s.ui.kit.text import as_markdown

USUAL = 0.75  # of each row's weight is drawn
STEP = 0.05
MOST = 16_000  # lines of one picture: all between 126 tokens and 126
MOST_DASHED = 4_000  # of several heads, whose dashes take a browser far longer


def show(asked: Asked) -> None:
    """The two columns, which heads they show, and how much of their weight."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = _heads(asked)
        share = share_slider()
    pictures = _pictures(asked, heads)
    links, n_lines = _strongest(
        {
            export.short(which): strongest_cells(picture.weights, share)
            for which, picture in pictures.items()
        }
    )
    first = next(iter(pictures.values()))
    title = captions.heatmap_title(asked.run, asked.which.kind, export.place(pictures))
    said = _said(share, sum(map(len, links.values())), n_lines)
    st.caption(as_markdown(f"{asked.note} {said}"))
    lines.canvas(
        links,
        first.keys,
        first.rows,
        verb=first.verb,
        alt=f"Lines of {title.replace(chr(10), ', ')}",
        key="lines",
    )
    draw = partial(svg.lines, links, first.keys, first.rows, verb=first.verb)
    export.offer(asked, draw, pictures, note=said)


def _heads(asked: Asked) -> list[HeadSelection]:
    """Those to be shown beside each other; none: what is chosen above."""
    n_layers, n_heads = asked.view.weights.shape[:2]
    options = {
        f"{layer + 1}.{head + 1}": HeadSelection(asked.which.kind, layer, head)
        for layer in range(n_layers)
        for head in range(n_heads)
    }
    key = OWN + "heads"
    wanted = st.session_state.setdefault(key, value("heads").split())
    if lost := [name for name in wanted if name not in options]:
        pickers.notify(
            f"There is no head {lost[0][:20]} of {asked.which.kind} attention in this model; it is not drawn."
        )
        st.session_state[key] = [name for name in wanted if name in options]
    chosen = st.multiselect(
        "Heads, side by side",
        list(options),
        key=key,
        persist_state="session",
        placeholder="as chosen above",
        wrap=True,
        width=300,
        help="Layer and head: 2.3 is the third head of layer 2. With none, the picture is what is chosen above.",
    )
    remember(heads=" ".join(chosen))
    return [options[name] for name in chosen]


def share_slider() -> float:
    """How much of each row's weight is drawn."""
    key = OWN + "share"
    said = value("share")
    if key not in st.session_state:
        st.session_state[key] = _read(said) if said else USUAL
    share = st.slider(
        "Share of the weight drawn",
        STEP,
        1.0,
        step=STEP,
        key=key,
        format="percent",
        persist_state="session",
        width=220,
        help="Of each row the strongest lines, until they hold this share of its weight; at 100 % all are drawn.",
    )
    share = round(float(share), 2)
    remember(share="" if share == USUAL else str(share))
    return share


def _read(said: str) -> float:
    try:
        share = float(said)
    except ValueError:
        share = 0.0
    if not STEP <= share <= 1:
        pickers.notify(
            f"There is no share {said[:20]} of the weight; it goes from {STEP} to 1, and {USUAL} is drawn instead."
        )
        return USUAL
    return round(round(share / STEP) * STEP, 2)


def _pictures(asked: Asked, heads: list[HeadSelection]) -> dict[HeadSelection, AttentionMap]:
    """What is drawn; each head is reduced and tidied as the page's one picture is."""
    if not heads:
        return {asked.which: asked.shown}
    return {which: asked.pictured(which) for which in heads}


def _strongest(links: Mapping[str, svg.Links]) -> tuple[dict[str, svg.Links], int]:
    """At most so many lines as a browser draws at once, and how many there are."""
    weights = sorted((link[2] for each in links.values() for link in each), reverse=True)
    most = MOST if len(links) == 1 else MOST_DASHED
    if len(weights) <= most:
        return dict(links), len(weights)
    return {
        name: [link for link in each if link[2] > weights[most]] for name, each in links.items()
    }, len(weights)


def _said(share: float, n_drawn: int, n_lines: int) -> str:
    """What is drawn of all there is."""
    if n_drawn < n_lines:
        return f"Of {n_lines:,} lines the {n_drawn:,} strongest are drawn, as many as a browser can show at once."
    if share == 1:
        return "All lines are drawn."
    return f"Of each word the strongest lines are drawn, until they hold {share:.0%} of its weight."
