"""What positions do in a trained model: two words change places, and a position is added to a word's vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import positions as engine
from s2s.analysis import word_indices
from s2s.analysis.positions import PositionEffect, ReorderingEffect
from s2s.plots import csv_cell
from s2s.runs import Run
from s2s.ui.kit import cached, sentence, vocabulary
from s2s.ui.kit.text import plain
from s2s.ui.positions import request
from s2s.ui.positions.pictures import drawn
from s2s.ui.positions.request import NAMES, PREFIX

SWAP = PREFIX + "swap"
WITH = PREFIX + "with"
EXACT = 1e-4  # of the size of the encoder's output: below it, a difference is rounding


def show() -> None:
    """The sentence, which words change places, and what came of it."""
    run = request.run()
    facts = vocabulary.of(run)
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
    sentence.example_chips(facts)
    words = text.split()
    if len(words) < 2:
        request.hold({})
        st.info(
            "Type a sentence of two words or more above, or press an example.",
            icon=":material/edit:",
        )
        return
    chosen = _chosen(words)
    request.hold({"swap": str(chosen[0] + 1), "with": str(chosen[1] + 1)})
    run.check_lengths([text])
    ids = [*run.src_tokenizer.encode(text), run.recipe.model.ids.eos]
    tokens = run.src_tokenizer.tokens(ids)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        _swap(run, tokens, ids, chosen)
    with right, st.container(border=True):
        _moves(run, tokens, ids)


def _chosen(words: Sequence[str]) -> tuple[int, int]:
    """Two different places, from 0; the first and the last unless chosen."""
    n = len(words)
    options = [str(place + 1) for place in range(n)]
    for key, usual in ((SWAP, options[0]), (WITH, options[-1])):
        if st.session_state.get(key) not in options:
            st.session_state[key] = usual
    names = {
        option: f"{option} · {plain(word)}" for option, word in zip(options, words, strict=True)
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first, second = (
            st.selectbox(
                label,
                options,
                format_func=names.__getitem__,
                key=key,
                persist_state="session",
                width=200,
            )
            for label, key in (("Swap word", SWAP), ("with word", WITH))
        )
    return int(first or 1) - 1, int(second or n) - 1


def order(tokens: Sequence[str], chosen: tuple[int, int], *, is_whole: bool) -> list[int]:
    """The places of the tokens when two words change theirs, all pieces of a word together."""
    words = word_indices(tokens, is_whole=is_whole)
    a, b = sorted(chosen)
    pieces = [[int(place) for place in np.flatnonzero(words == word)] for word in (a, b)]
    if a == b or not all(pieces):
        return list(range(len(tokens)))
    (first, last), (start, end) = ((piece[0], piece[-1] + 1) for piece in pieces)
    every = list(range(len(tokens)))
    return [*every[:first], *every[start:end], *every[last:start], *every[first:last], *every[end:]]


def _swap(run: Run, tokens: Sequence[str], ids: Sequence[int], chosen: tuple[int, int]) -> None:
    st.subheader("Two words change places", anchor=False)
    found = engine.reordering_effect(
        run.model, ids, order(tokens, chosen, is_whole=run.src_tokenizer.kind == "word")
    )
    kind = NAMES[run.recipe.model.positions.kind]
    with st.container(horizontal=True):
        st.metric(f"With its positions ({kind})", f"{found.with_positions.max():.2g}", border=True)
        st.metric("With them taken away", f"{found.without_positions.max():.1e}", border=True)
    _swapped_figure(run, tokens, found)
    st.caption(
        "Each word's encoder output in the one order and in the other, word beside the same word: the largest difference of any number."
        f" A usual number of that output is {found.size:.2g}. {_verdict(found)}"
    )


def _verdict(found: ReorderingEffect) -> str:
    """What the numbers say, where they do."""
    without = "Without positions the encoder only sees which words there are: they come out the same, but for rounding"
    if found.without_positions.max() > EXACT * found.size:
        return "Without positions the difference should be rounding, and here it is more."
    if found.with_positions.max() <= EXACT * found.size:
        return f"{without}. With positions nothing changed either: the words are the same, or this model has none."
    return f"{without}. With them every word feels the change. The weights are the same; a model trained without would have others."


def _swapped_figure(run: Run, tokens: Sequence[str], found: ReorderingEffect) -> None:
    title = f"{cached.title(run.folder.id)} · how far each word's output moves"
    figure = plots.paired_bars(
        tokens,
        {"with positions": found.with_positions, "without": found.without_positions},
        title=title,
        up="largest difference",
    )
    named: dict[str, Sequence[object]] = {"token": [*map(csv_cell, tokens)]}
    named |= {
        "with positions": found.with_positions.tolist(),
        "without positions": found.without_positions.tolist(),
    }
    drawn(
        figure,
        title,
        f"Bars: {title}, with and without positions",
        lambda: plots.columns_csv(named),
    )


def _moves(run: Run, tokens: Sequence[str], ids: Sequence[int]) -> None:
    st.subheader("A position added to a word", anchor=False)
    found = engine.position_effect(run.model, ids)
    if found is None:
        kind = NAMES[run.recipe.model.positions.kind]
        st.info(
            f"This run's positions are {kind}: nothing is added to the words' vectors.",
            icon=":material/do_not_disturb_on:",
        )
        return
    frame = _frame(run, tokens, found)
    alt = "How far the position moves each word's vector, and its nearest words before and after"
    st.dataframe(frame, hide_index=True, placeholder="", alt=alt)
    same = int((found.nearest_after == np.asarray(ids)).sum())
    st.caption(
        f"The angle between a word's vector and the same with its position added. After it, {same} of {len(tokens)} are still nearest"
        " to themselves among all words. A wide angle does not say that the word is lost: both may lie in different directions."
    )
    st.download_button(
        "Numbers (CSV)",
        lambda: plots.columns_csv(
            {
                name: [
                    csv_cell(value) if isinstance(value, str) else value for value in frame[name]
                ]
                for name in frame
            }
        ),
        "position-added.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _frame(run: Run, tokens: Sequence[str], found: PositionEffect) -> pd.DataFrame:
    name = run.src_tokenizer.tokens
    return pd.DataFrame(
        {
            "position": range(len(tokens)),
            "word": list(tokens),
            "turned by (°)": found.angles.round(1),
            "length ×": found.ratios.round(3),
            "nearest other word": name([int(token) for token in found.nearest_before]),
            "nearest with position": name([int(token) for token in found.nearest_after]),
        }
    )
