"""The view Alignment: how well the links of every cross-attention head match gold links, or each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import LINK_METHODS, REDUCTIONS
from s2s.links import share
from s2s.plots import NumberGrid
from s2s.runs import Sentences
from s2s.ui.heads import alignment_files
from s2s.ui.heads.experiment_panel import measured_of
from s2s.ui.heads.request import HeadsRequest, sentences
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import chart, file_name, gold_alignment
from s2s.ui.kit.glossary import definitions
from s2s.ui.kit.tables import frame_csv
from s2s.ui.shell import page_link

Numbers = npt.NDArray[np.float64]
SCORES = ("error", "low", "high", "precision", "recall")


def show(request: HeadsRequest) -> None:
    """AER of every head where gold links are known, else how far each two heads agree."""
    gold_alignment.show_lessons_run(request.run)
    place = st.container()
    uploaded = alignment_files.uploaded()
    if uploaded is None:  # why is said there; no other sentences are measured in their place
        return
    with place:
        if uploaded:
            st.caption(
                f"Measured over your own {len(uploaded):,} sentences; remove the files to choose a dataset. They stay"
                " in this visit only, and no link has them."
            )
            sample = Sentences("uploaded", n=len(uploaded))
        else:
            sample = sentences(request.run.folder.id)
    found = measured_of(request, "alignment", sample, uploaded=uploaded)
    if found is None:
        return
    method = STATE.choice(
        "links",
        "Links",
        {slug: row.label for slug, row in LINK_METHODS.items()},
        width=230,
        help=definitions("symmetrization", "sure and possible links"),
    )
    row = LINK_METHODS[method]
    st.caption(f"{row.about} ({row.source})")
    _say_left_out(found)
    if found["gold"]:
        _show_errors(request, found, method, sample.name)
        _attention_link(request, found, is_uploaded=bool(uploaded))
    else:
        _show_agreement(request, found, method, sample.name)


def _say_left_out(found: Mapping[str, Any]) -> None:
    if found["left_out"]:
        why = "; ".join(f"{n:,} {reason}" for reason, n in found["left_out"].items())
        st.caption(f"Left out: {why}.")


def _show_errors(request: HeadsRequest, found: Mapping[str, Any], method: str, name: str) -> None:
    """A grid per reduction, the best cells of all, and the data."""
    scores = {
        key: np.array(found[key], float) for key in SCORES
    }  # (reductions, methods, layers, heads)
    at = found["methods"].index(method)
    of_method = {key: values[:, at] for key, values in scores.items()}
    title = (
        f"AER of every head, links: {LINK_METHODS[method].label.lower()}\n{request.title}\n"
        f"{found['n']:,} sentences, {name}"
    )
    figure = plots.number_grids(
        [_error_grid(slug, of_method, r) for r, slug in enumerate(found["reductions"])],
        title=title,
        axes=("layer", "head"),
        scale="AER",
        low_is_bright=True,
    )
    table = cells(found, scores)
    best = table.iloc[0]
    alt = f"Grids of {title.replace(chr(10), ', ')}; best: {best_sentence(best)}"
    chart(figure, alt=alt, file_name=file_name(title))
    st.caption(
        "AER is 0 where a head's links are the gold links, 1 where none is; brighter is lower. Frame: the best head of"
        " its grid. Hover or tap for the 95 % interval over sentences.",
        help=definitions("AER", "bootstrap interval"),
    )
    st.markdown(
        f"{best_sentence(best)} It was chosen as the best of {len(table):,} cells, which the interval does not"
        " count: cells whose intervals overlap may be as good."
    )
    st.dataframe(
        best_cells(table),
        hide_index=True,
        alt=f"Best head by reduction and links. {title}",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f")
            for name in ("AER", "from", "to", "Precision", "Recall")
        },
    )
    _save(table, title)


def _error_grid(slug: str, scores: Mapping[str, Numbers], at: int) -> NumberGrid:
    error, low, high, precision, recall = (scores[key][at] for key in SCORES)
    hovers = [
        [
            f"layer {layer + 1}, head {head + 1}: AER {error[layer, head]:.3f}"
            f" ({low[layer, head]:.3f} to {high[layer, head]:.3f}), precision {precision[layer, head]:.3f}, recall"
            f" {recall[layer, head]:.3f}"
            for head in range(error.shape[1])
        ]
        for layer in range(error.shape[0])
    ]
    layer, head = np.unravel_index(int(np.nanargmin(error)), error.shape)
    return NumberGrid(REDUCTIONS[slug].label, error, hovers, (int(layer), int(head)))


def cells(found: Mapping[str, Any], scores: Mapping[str, Numbers]) -> pd.DataFrame:
    """One row per reduction, link method and head; lowest AER first."""
    shape = scores["error"].shape
    reductions, methods, layers, heads = np.indices(shape).reshape(4, -1)
    table = pd.DataFrame(
        {
            "Reduction": [REDUCTIONS[found["reductions"][i]].label for i in reductions],
            "Links": [LINK_METHODS[found["methods"][i]].label for i in methods],
            "Layer": layers + 1,
            "Head": heads + 1,
            "AER": scores["error"].ravel(),
            "from": scores["low"].ravel(),
            "to": scores["high"].ravel(),
            "Precision": scores["precision"].ravel(),
            "Recall": scores["recall"].ravel(),
        }
    )
    return table.sort_values("AER", kind="stable", ignore_index=True)


def best_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The best head of each reduction and link method, lowest AER first."""
    return table.drop_duplicates(["Reduction", "Links"], ignore_index=True)


def best_sentence(best: pd.Series[Any]) -> str:
    """The best of all cells, from a row of `cells`."""
    return (
        f"Best: head {best['Head']} of layer {best['Layer']}, {best['Reduction'].lower()},"
        f" {best['Links'].lower()}: AER {best['AER']:.3f} (95 % interval {best['from']:.3f} to {best['to']:.3f}),"
        f" precision {best['Precision']:.3f}, recall {best['Recall']:.3f}."
    )


def _attention_link(request: HeadsRequest, found: Mapping[str, Any], *, is_uploaded: bool) -> None:
    """Attention with the best cell, on a sentence with gold links where there is one that is not the visitor's own."""
    error = np.array(found["error"], float)
    r, m, layer, head = np.unravel_index(int(np.nanargmin(error)), error.shape)
    known = gold_alignment.of(request.run)
    pair = {}
    if known and not is_uploaded:
        src = next(iter(known))
        pair = {"src": src, "tgt": known[src][0].tgt}
    page_link(
        "attention",
        "Its links in a sentence",
        step=str(request.run.step),
        kind="cross",
        layer=str(layer + 1),
        head=str(head + 1),
        reduce=found["reductions"][r],
        set=share.pack({"view": "alignment", "links": found["methods"][m]}),
        **pair,
    )


def _show_agreement(
    request: HeadsRequest, found: Mapping[str, Any], method: str, name: str
) -> None:
    """F1 of each two heads' links, by reduction."""
    st.info(
        "These sentences have no gold links, so nothing says which links are right: shown is how far the heads"
        " agree. Upload an alignment above to measure the error.",
        icon=":material/info:",
    )
    at = found["methods"].index(method)
    with_others = np.array(found["with_others"], float)[:, at]  # (reductions, layers, heads)
    pairs = None if found["f1"] is None else np.array(found["f1"], float)[:, at]
    layers, heads = np.indices(with_others.shape[1:]).reshape(2, -1) + 1
    labels = [f"{layer}.{head}" for layer, head in zip(layers, heads, strict=True)]
    what = "each head with all others (mean F1)" if pairs is None else "each two heads (F1)"
    title = (
        f"Agreement of {what}, links: {LINK_METHODS[method].label.lower()}\n{request.title}\n"
        f"{found['n']:,} sentences, {name}"
    )
    drawn = with_others if pairs is None else pairs
    figure = plots.number_grids(
        [_f1_grid(slug, drawn[r], labels) for r, slug in enumerate(found["reductions"])],
        title=title,
        axes=("layer", "head") if pairs is None else ("layer.head", "layer.head"),
        scale="F1",
        ticks=() if pairs is None else labels,
    )
    chart(figure, alt=f"Grids of {title.replace(chr(10), ', ')}", file_name=file_name(title))
    st.caption(
        "1: two heads make the same links; 0: they share none. F1 is 1 − AER with either of the two as gold."
        " Agreement does not show that links are correct."
    )
    _save(agreements(found["reductions"], labels, with_others, pairs), title)


def agreements(
    reductions: Sequence[str], labels: Sequence[str], with_others: Numbers, pairs: Numbers | None
) -> pd.DataFrame:
    """One row per head: its mean F1 with all others, by reduction, and with each, where these are known."""
    columns = {"Layer.head": [*labels]} | {
        REDUCTIONS[slug].label: with_others[r].ravel() for r, slug in enumerate(reductions)
    }
    if pairs is not None:
        columns |= {
            f"{REDUCTIONS[slug].label}, with {label}": pairs[r, :, other]
            for r, slug in enumerate(reductions)
            for other, label in enumerate(labels)
        }
    return pd.DataFrame(columns)


def _f1_grid(slug: str, f1: Numbers, labels: Sequence[str]) -> NumberGrid:
    """Of each two heads, (heads, heads), or of each head with all others, (layers, heads)."""
    texts = [f"{label} with all others" for label in labels]
    if f1.size > len(labels):
        texts = [f"{one} and {other}" for one in labels for other in labels]
    hovers = [f"{text}: F1 {value:.3f}" for text, value in zip(texts, f1.ravel(), strict=True)]
    n_columns = f1.shape[1]
    rows = [hovers[start : start + n_columns] for start in range(0, len(hovers), n_columns)]
    return NumberGrid(REDUCTIONS[slug].label, f1, rows)


def _save(table: pd.DataFrame, title: str) -> None:
    st.download_button(
        "Download data (CSV)",
        partial(frame_csv, table),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
