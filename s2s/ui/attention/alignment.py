"""HeadSelection words translate each other, going by attention: links over the heatmap, beside those that the corpus knows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import (
    LINK_METHODS,
    AttentionMap,
    HeadSelection,
    LinkMethod,
    Links,
    alignable_words,
    by_share,
    reduced,
    score_links,
    to_pharaoh,
)
from s2s.plots import mark_alignment, svg
from s2s.ui.attention import export, gold, request, tidy
from s2s.ui.attention.gold import Known
from s2s.ui.attention.lines import share_slider
from s2s.ui.attention.request import OWN, Asked, remember, value
from s2s.ui.kit import captions, pickers
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain

USUAL = "target"
OFFERED = 12  # sentences with known alignment
PICK = "look known"


class Found(NamedTuple):
    """The words that are linked, which links there are, and which ones are known to be right; None where that isn't known."""

    picture: AttentionMap
    links: Links
    known: Links | None


def show(asked: Asked) -> None:
    """The method, the picture, how far it is right, and the links to take away."""
    if asked.which.kind != "cross":
        st.info(
            "Links join words of the source with words of the target, and only cross-attention looks from one to the other."
        )
        st.button("Show cross-attention", on_click=_look_across, icon=":material/swap_horiz:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = _method()
    sentences = gold.of(asked.run)
    picture = _words(asked, asked.which)
    found = Found(picture, method.extract(picture.weights), _known(asked, picture, sentences))
    st.caption(f"{method.about} ({method.source})")
    _draw(asked, found, method.label.lower())
    _measured(found)
    _best(asked, found, method)
    _offer(asked, found, sentences)
    _take_away(asked, found)


def _method() -> LinkMethod:
    """How links are made; one of them asks for its share."""
    key = OWN + "links"
    if st.session_state.setdefault(key, value("links") or USUAL) not in LINK_METHODS:
        pickers.notify(
            f"There is no way {str(st.session_state[key])[:40]} to make links; {LINK_METHODS[USUAL].label.lower()} is shown instead."
        )
        st.session_state[key] = USUAL
    labels = {slug: row.label for slug, row in LINK_METHODS.items()}
    chosen = (
        st.selectbox(
            "Links",
            list(labels),
            format_func=labels.__getitem__,
            key=key,
            persist_state="session",
            width=210,
        )
        or USUAL
    )
    remember(links="" if chosen == USUAL else chosen)
    method = LINK_METHODS[chosen]
    return (
        method._replace(extract=partial(by_share, share=share_slider()))
        if chosen == "share"
        else method
    )


def _words(asked: Asked, which: HeadSelection) -> AttentionMap:
    """Words by words, whatever the switches above leave out: links are between words."""
    rows, keys = (tidy.is_whole(tokenizer) for tokenizer in tidy.sides(asked.run, "cross"))
    picture = asked.reduced if which == asked.which else reduced(asked.seen, which, asked.reduction)
    return alignable_words(picture, rows_whole=rows, keys_whole=keys)


def _known(
    asked: Asked, picture: AttentionMap, sentences: Mapping[str, tuple[Known, ...]]
) -> Links | None:
    """The corpus's links of exactly this pair, whose words must be those of the picture."""
    links = next(
        (known.links for known in sentences.get(asked.text, ()) if known.tgt == asked.target), None
    )
    n_tgt, n_src = picture.weights.shape
    return links if (n_src, n_tgt) == (len(asked.text.split()), len(asked.target.split())) else None


def _draw(asked: Asked, found: Found, label: str) -> None:
    picture = found.picture
    title = captions.heatmap_title(
        asked.run, "cross", f"{picture.name}\nlinks: {label}"
    )  # a phone is no wider than the name
    figure = plots.heatmap(
        picture.weights, picture.keys, picture.rows, title=title, verb=picture.verb
    )
    pairs = ", ".join(
        f"{picture.rows[tgt]} with {picture.keys[src]}"
        for src, tgt in sorted(found.links, key=lambda link: link[1])
    )
    with st.container(key="aligned", gap=None):
        alt = f"Heatmap of {title.replace(chr(10), ', ')}; linked: {pairs or 'nothing'}"
        chart(
            mark_alignment(figure, found.links, found.known or ()),
            alt=alt,
            file_name=captions.file_name(title),
        )
    known = (
        ""
        if found.known is None
        else " A diamond marks the links that the corpus knows to be right."
    )
    st.caption(
        f"Framed: linked.{known} Pieces are merged into words, and the end of the sentence plays no part."
    )


def _measured(found: Found) -> None:
    """Precision, recall and error of this sentence, where its links are known."""
    if found.known is None:
        return
    score = score_links(found.links, found.known)
    n_right = len(found.links & found.known)
    with st.container(horizontal=True):
        for label, number, about in (
            ("Precision", score.precision, f"{n_right} of {len(found.links)} links are right."),
            ("Recall", score.recall, f"{n_right} of {len(found.known)} known links are found."),
            (
                "Alignment error",
                score.error,
                "The rate: 1 − 2 · right / (linked + known); 0 is best (Och & Ney 2003).",
            ),
        ):
            st.metric(label, "–" if number is None else f"{number:.2f}", help=about, width=150)


def _best(asked: Asked, found: Found, method: LinkMethod) -> None:
    """The head whose links are nearest to the known ones."""
    if not found.known:
        return
    errors = np.empty(asked.view.weights.shape[:2])
    for layer, head in np.ndindex(errors.shape):
        weights = _words(asked, HeadSelection("cross", layer, head)).weights
        errors[layer, head] = score_links(method.extract(weights), found.known).error
    layer, head = (int(place) for place in np.unravel_index(errors.argmin(), errors.shape))
    with st.container(horizontal=True, vertical_alignment="center"):
        n_alike = int((errors == errors.min()).sum())
        come = f"and {n_alike - 1} more come" if n_alike > 1 else "comes"
        st.caption(
            f"Of single heads, head {head + 1} of layer {layer + 1} {come} nearest: error {errors.min():.2f}.",
            width="content",
        )
        if (asked.which.layer, asked.which.head) != (layer, head):
            st.button(
                "Show that head",
                on_click=request.choose,
                args=(layer, head),
                icon=":material/center_focus_strong:",
            )


def _offer(asked: Asked, found: Found, sentences: Mapping[str, tuple[Known, ...]]) -> None:
    """Sentences whose links are known."""
    if not sentences:
        st.caption(
            "This run's text has no known links to compare with; `builtin:en-fr` and `builtin:en-es` have."
        )
        return
    if found.known is None and (known := sentences.get(asked.text)):
        st.caption(
            f"The corpus knows the links of this source with another target: *{plain(known[0].tgt)}*"
        )
        st.button(
            "Look at that target",
            on_click=_look_at,
            args=(asked, asked.text, known[0].tgt),
            icon=":material/edit_note:",
        )

    def picked() -> None:
        if chosen := st.session_state[PICK]:
            _look_at(asked, chosen, sentences[chosen][0].tgt)

    offered = list(sentences)[:OFFERED]
    st.session_state[PICK] = (
        asked.text if asked.text in offered and found.known is not None else None
    )
    st.selectbox(
        "A sentence with known alignment",
        offered,
        key=PICK,
        placeholder="Choose one",
        on_change=picked,
    )


def _take_away(asked: Asked, found: Found) -> None:
    """The links as a table and as files."""
    picture = found.picture
    rows = [
        (
            src,
            tgt,
            picture.keys[src],
            picture.rows[tgt],
            float(picture.weights[tgt, src]),
            _sure(found, (src, tgt)),
        )
        for src, tgt in sorted(found.links, key=lambda link: (link[1], link[0]))
    ]
    names = ("source place", "target place", "source", "target", "weight", "known")
    name = captions.file_name(f"links {asked.run.folder.id} {asked.text}")[:80]
    with st.expander("Links as a table", icon=":material/table:"):
        st.dataframe(pd.DataFrame(rows, columns=list(names)), hide_index=True, height="content")
        st.caption("Places are counted from 0.")
    with st.container(horizontal=True, vertical_alignment="center"):
        joined = [(tgt, src, float(picture.weights[tgt, src])) for src, tgt in sorted(found.links)]
        draw = partial(svg.lines, {"links": joined}, picture.keys, picture.rows, verb=picture.verb)
        export.offer(
            replace(asked, note=""),
            draw,
            {asked.which: picture},
            note="Lines join the words that are linked.",
        )
        table = partial(_csv, names, rows)
        st.download_button(
            "Links (CSV)",
            table,
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
        )
        st.download_button(
            "Links (i-j)",
            f"{to_pharaoh(found.links)}\n",
            f"{name}.align",
            "text/plain",
            on_click="ignore",
            icon=":material/download:",
            help="One line of source-target places from 0, as alignment tools read and write it.",
        )


def _sure(found: Found, link: tuple[int, int]) -> str:
    """Whether a link is known to be right."""
    return "" if found.known is None else "yes" if link in found.known else "no"


def _csv(names: tuple[str, ...], rows: list[tuple[int, int, str, str, float, str]]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(names)
    for *places, source, target, weight, sure in rows:
        table.writerow(
            [*places, plots.csv_cell(source), plots.csv_cell(target), f"{weight:.6f}", sure]
        )
    return out.getvalue()


def _look_across() -> None:
    st.session_state["kind"] = "cross"


def _look_at(asked: Asked, src: str, tgt: str) -> None:
    """This pair, when the page is next drawn."""
    st.session_state["src"] = src
    st.session_state["tgt box"], st.session_state["tgt of"] = tgt, (asked.run.folder.id, src)
