"""Word alignment from cross-attention: links over the heatmap, compared with the gold alignment of the dataset."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots, share
from s2s.analysis import (
    LINK_METHODS,
    AttentionMap,
    GoldLinks,
    HeadSelection,
    LinkMethod,
    Links,
    alignable_words,
    by_share,
    reduced,
    score_links,
    to_pharaoh,
)
from s2s.config import nfc
from s2s.data import has_words
from s2s.files import csv_writer
from s2s.plots import mark_alignment, svg
from s2s.questions import Targets
from s2s.ui.attention import export, simplify
from s2s.ui.attention.lines import share_slider
from s2s.ui.attention.request import AttentionRequest, select
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import captions, chart, gold_alignment, plain, show_pair
from s2s.ui.shell import page_link

MAX_EXAMPLES = 12  # sentences with a gold alignment that are offered
EXAMPLE = "attention gold example"


class Alignment(NamedTuple):
    """Links between the words of a map, and the gold links; None where these are not known."""

    picture: AttentionMap
    links: Links
    gold: Links | None


def show(request: AttentionRequest) -> None:
    """The method, the map, scores against the gold alignment, and downloads."""
    if request.which.kind != "cross":
        st.info("Only cross-attention links words of the source with words of the target.")
        st.button("Show cross-attention", on_click=_show_cross, icon=":material/swap_horiz:")
        return
    gold_alignment.show_lessons_run(request.run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = _method()
    gold = gold_alignment.of(request.run)
    picture = _word_map(request, request.which)
    found = Alignment(picture, method.extract(picture.weights), gold_links(request))
    st.caption(f"{method.about} ({method.source})")
    _heatmap(request, found, method.label.lower())
    _scores(found)
    _best_head(request, found, method)
    _examples(request, found, gold)
    page_link(
        "heads",
        "Alignment error over many sentences",
        set=share.pack({"view": "alignment", "links": STATE.now.links}),
    )
    _downloads(request, found)


def _method() -> LinkMethod:
    """How links are extracted; one method needs a share."""
    labels = {slug: row.label for slug, row in LINK_METHODS.items()}
    chosen = STATE.choice("links", "Links", labels, width=210)
    method = LINK_METHODS[chosen]
    if chosen != "share":
        return method
    return method._replace(extract=partial(by_share, share=share_slider()))


def _word_map(request: AttentionRequest, which: HeadSelection) -> AttentionMap:
    """Words by words, whatever the switches above hide: links are between words."""
    rows_whole, keys_whole = (
        simplify.has_word_tokens(tokenizer)
        for tokenizer in simplify.tokenizers(request.run, "cross")
    )
    picture = request.reduced
    if which != request.which:
        picture = reduced(request.attention, which, request.reduction)
    return alignable_words(picture, rows_whole=rows_whole, keys_whole=keys_whole)


def gold_links(request: AttentionRequest) -> Links | None:
    """The gold links of exactly this pair, if its words are those of the map."""
    n_tgt, n_src = _word_map(request, request.which).weights.shape
    if not (has_words(request.text, n_src) and has_words(request.target, n_tgt)):
        return None
    pairs = gold_alignment.of(request.run).get(nfc(request.text), ())
    return next((pair.links for pair in pairs if pair.tgt == nfc(request.target)), None)


def _heatmap(request: AttentionRequest, found: Alignment, method: str) -> None:
    picture = found.picture
    # two lines: on a phone a title is no wider than the run's name
    title = captions.heatmap_title(request.run, "cross", f"{picture.name}\nlinks: {method}")
    figure = plots.heatmap(
        picture.weights, picture.keys, picture.rows, title=title, verb=picture.verb
    )
    links = sorted(found.links, key=lambda link: link[1])
    pairs = ", ".join(f"{picture.rows[tgt]} with {picture.keys[src]}" for src, tgt in links)
    with st.container(key="aligned", gap=None):
        chart(
            mark_alignment(figure, found.links, found.gold or ()),
            alt=f"Heatmap of {title.replace(chr(10), ', ')}; linked: {pairs or 'nothing'}",
            file_name=captions.file_name(title),
        )
    diamond = "" if found.gold is None else " Diamond: correct link."
    st.caption(
        f"Frame: predicted link.{diamond} Tokens are merged into words, and `</s>` is left out."
    )


def _scores(found: Alignment) -> None:
    """Precision, recall and error of this sentence, where its gold links are known."""
    if found.gold is None:
        return
    scores = score_links(found.links, GoldLinks(found.gold))
    n_right = len(found.links & found.gold)
    metrics = (
        ("Precision", scores.precision, f"{n_right} of {len(found.links)} links are correct."),
        ("Recall", scores.recall, f"{n_right} of {len(found.gold)} correct links are found."),
        (
            "Alignment error",
            scores.error,
            "Alignment error rate: 1 − 2 · correct / (predicted + gold); 0 is best (Och & Ney 2003).",
        ),
    )
    with st.container(horizontal=True):
        for label, value, help in metrics:
            st.metric(label, "–" if value is None else f"{value:.2f}", help=help, width=150)


def _best_head(request: AttentionRequest, found: Alignment, method: LinkMethod) -> None:
    """The head whose links match the gold alignment best."""
    if not found.gold:
        return
    errors = np.empty(request.view.weights.shape[:2])  # (layers, heads)
    for layer, head in np.ndindex(errors.shape):
        weights = _word_map(request, HeadSelection("cross", layer, head)).weights
        errors[layer, head] = score_links(method.extract(weights), GoldLinks(found.gold)).error
    layer, head = (int(index) for index in np.unravel_index(errors.argmin(), errors.shape))
    n_best = int((errors == errors.min()).sum())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(best_head_sentence(layer, head, n_best, float(errors.min())), width="content")
        if (request.which.layer, request.which.head) != (layer, head):
            st.button(
                "Show that head",
                on_click=select,
                args=(layer, head),
                icon=":material/center_focus_strong:",
            )


def best_head_sentence(layer: int, head: int, n_best: int, error: float) -> str:
    """Which of the heads (0-based) match the gold alignment best; `n_best` of them do equally well."""
    name = f"head {head + 1} of layer {layer + 1}"
    how = "exactly" if error == 0 else f"best, with an alignment error of {error:.2f}"
    if n_best == 1:
        return f"{name.capitalize()} matches the gold alignment {how}."
    return f"{n_best} heads match the gold alignment {how}, for example {name}."


def _examples(request: AttentionRequest, found: Alignment, gold: Targets) -> None:
    """Offer sentences with a gold alignment."""
    if not gold:
        st.caption(
            "This run's dataset has no gold alignment to compare with; `builtin:en-fr` and `builtin:en-es` do."
        )
        return
    if found.gold is None and (targets := gold.get(request.text)):
        st.caption(
            f"There is a gold alignment of this source with another target: *{plain(targets[0].tgt)}*"
        )
        st.button(
            "Show that target",
            on_click=show_pair,
            args=(request.run.key, request.text, targets[0].tgt),
            icon=":material/edit_note:",
        )

    def picked() -> None:
        if src := st.session_state[EXAMPLE]:
            show_pair(request.run.key, src, gold[src][0].tgt)

    sources = list(gold)[:MAX_EXAMPLES]
    is_example = request.text in sources and found.gold is not None
    st.session_state[EXAMPLE] = request.text if is_example else None
    st.selectbox(
        "A sentence with a gold alignment",
        sources,
        key=EXAMPLE,
        placeholder="Choose one",
        on_change=picked,
    )


def _downloads(request: AttentionRequest, found: Alignment) -> None:
    """The links as a table and as files."""
    picture = found.picture
    columns = ("source position", "target position", "source", "target", "weight", "correct")
    rows = [
        (
            src,
            tgt,
            picture.keys[src],
            picture.rows[tgt],
            float(picture.weights[tgt, src]),
            _correctness(found, (src, tgt)),
        )
        for src, tgt in sorted(found.links, key=lambda link: (link[1], link[0]))
    ]
    name = captions.file_name(f"links {request.run.folder.id} {request.text}")[:80]
    with st.expander("Links as a table", icon=":material/table:"):
        st.dataframe(pd.DataFrame(rows, columns=list(columns)), hide_index=True, height="content")
        st.caption("Positions are counted from 0.")
    with st.container(horizontal=True, vertical_alignment="center"):
        drawn = [(tgt, src, float(picture.weights[tgt, src])) for src, tgt in sorted(found.links)]
        export.save_button(
            replace(request, note=""),
            partial(svg.lines, {"links": drawn}, picture.keys, picture.rows, verb=picture.verb),
            {request.which: picture},
            note="Lines join linked words.",
        )
        st.download_button(
            "Links (CSV)",
            partial(links_csv, columns, rows),
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
            help="One line of source-target positions from 0, as alignment tools read and write it.",
        )


def _correctness(found: Alignment, link: tuple[int, int]) -> str:
    if found.gold is None:
        return ""
    return "yes" if link in found.gold else "no"


def links_csv(columns: tuple[str, ...], rows: list[tuple[int, int, str, str, float, str]]) -> str:
    """The table of links as CSV."""
    out = io.StringIO()
    table = csv_writer(out)
    table.writerow(columns)
    for src, tgt, source, target, weight, correct in rows:
        words = [source, target]
        table.writerow([src, tgt, *words, weight, correct])
    return out.getvalue()


def _show_cross() -> None:
    st.session_state["kind"] = "cross"
