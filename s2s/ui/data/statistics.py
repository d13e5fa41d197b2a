"""Charts of a dataset: lengths, length ratio, vocabulary growth, frequent and rare words, validation coverage."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.data import Preview, Statistics, Vocabulary, ratio_edges
from s2s.ui.kit import chart, file_name, plain
from s2s.ui.kit.tables import frame_csv


def panel(statistics: Statistics, preview: Preview, name: str) -> None:
    """Two charts per row, each with a caption and its data."""
    with st.grid(2, min_column_width=340, border=True) as grid:
        with grid.cell():
            lengths(preview, name)
        with grid.cell():
            _ratio(statistics, name)
        with grid.cell():
            _growth(statistics, name)
        with grid.cell():
            _coverage(statistics, name)
        for side, vocabulary in (("source", statistics.src), ("target", statistics.tgt)):
            with grid.cell():
                _words(vocabulary, side, name)


def lengths(preview: Preview, name: str) -> None:
    """Words per source and per target."""
    title = f"{name} · lengths of {preview.n_pairs:,} pairs"
    alt = f"Median length in words: sources {preview.src_median:g}, targets {preview.tgt_median:g}"
    table = (
        pd.DataFrame(
            {"source": pd.Series(preview.src_counts), "target": pd.Series(preview.tgt_counts)}
        )
        .fillna(0)
        .astype(int)
    )
    _chart(
        "sentence_lengths",
        plots.sentence_lengths(preview.src_counts, preview.tgt_counts, title=title),
        title,
        alt,
        table.rename_axis("words"),
    )


def _ratio(statistics: Statistics, name: str) -> None:
    title = f"{name} · length ratio"
    bounds = ratio_edges()
    figure = plots.length_ratio(
        statistics.ratio_counts, bounds, statistics.ratio_median, title=title
    )
    alt = f"Target words per source word: median {statistics.ratio_median:.2f}"
    table = pd.DataFrame(
        {
            "from": (0.0, *bounds[1:-1]),
            "to": (*bounds[1:-1], math.inf),
            "pairs": statistics.ratio_counts,
        }
    ).set_index("from")
    _chart("length_ratio", figure, title, alt, table)


def _growth(statistics: Statistics, name: str) -> None:
    title = f"{name} · vocabulary growth"
    sides = {"source": statistics.src, "target": statistics.tgt}
    figure = plots.vocabulary_growth(statistics.src.growth, statistics.tgt.growth, title=title)
    alt = ", ".join(
        f"{side}: {words.n_distinct:,} distinct words of {words.n_running:,}"
        for side, words in sides.items()
    )
    table = pd.concat(
        [
            pd.DataFrame(words.growth, columns=["words", "distinct"]).assign(side=side)
            for side, words in sides.items()
        ]
    )
    powers = [
        f"{words.heaps:.2f} in the {side}s"
        for side, words in sides.items()
        if words.heaps is not None
    ]
    law = (
        f"Heaps' law: it grows as the number of words to the power of {' and '.join(powers)}."
        if powers
        else ""
    )
    _chart("vocabulary_growth", figure, title, alt, table.set_index("side"), more=law)


def _coverage(statistics: Statistics, name: str) -> None:
    src = statistics.src.covered
    tgt = statistics.tgt.covered
    title = f"{name} · words of {statistics.n_valid:,} validation pairs"
    alt = (
        "Words of the validation split that the training split contains:"
        f" sources {_share(statistics.src)}, targets {_share(statistics.tgt)}"
    )
    columns = ["at least", "word tokens", "distinct words"]
    table = pd.concat(
        [
            pd.DataFrame(rows, columns=columns).assign(side=side)
            for side, rows in (("source", src), ("target", tgt))
        ]
    )
    _chart("coverage", plots.coverage(src, tgt, title=title), title, alt, table.set_index("side"))


def _share(vocabulary: Vocabulary) -> str:
    return f"{vocabulary.covered[0].running:.1%}" if vocabulary.covered else "none"


def _words(vocabulary: Vocabulary, side: str, name: str) -> None:
    title = f"{name} · frequent words of the {side}s"
    alt = f"The {len(vocabulary.frequent)} most frequent words of the {side}s"
    table = pd.DataFrame(
        [(word, n) for word, n in vocabulary.frequent], columns=["word", "count"]
    ).set_index("word")
    some = f" Some of them: {plain(' · '.join(vocabulary.once))}" if vocabulary.once else ""
    rare = (
        f"{vocabulary.n_once:,} of {vocabulary.n_distinct:,} distinct words occur only once.{some}"
    )
    _chart(
        "word_frequencies",
        plots.word_frequencies(vocabulary.frequent, title=title),
        title,
        alt,
        table,
        more=rare,
    )


def _chart(
    plot: str, figure: go.Figure, title: str, alt: str, table: pd.DataFrame, *, more: str = ""
) -> None:
    """A chart with its caption, `more` (Markdown) after the caption, and its data."""
    chart(figure, alt=alt, file_name=file_name(title))
    st.caption(f"{plots.PLOTS[plot].caption} {more}")
    file = f"{file_name(title)}.csv"
    st.download_button(
        "Download data (CSV)",
        partial(frame_csv, table, index=True),
        file,
        "text/csv",
        key=title,
        on_click="ignore",
        icon=":material/download:",
    )
