"""The view In a model: what changes when two words are swapped, and what a position does to a token's embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import PositionEffect, ReorderingEffect, word_indices, word_texts
from s2s.analysis import positions as engine
from s2s.config import POSITION_KINDS
from s2s.runs import Run
from s2s.ui.kit import cached, sentence, vocabulary
from s2s.ui.positions import reproduce, request
from s2s.ui.positions.figures import show_figure
from s2s.ui.positions.request import STATE

ROUNDING = 1e-4  # of the size of the encoder's output: a smaller difference is rounding


def show() -> None:
    """The sentence, which words to swap, and what changes."""
    run = request.current_run()
    facts = vocabulary.of(run)
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
    sentence.example_chips(facts)
    ids = run.recipe.model.ids.source(run.src_tokenizer.encode(text))
    tokens = run.src_tokenizer.tokens(ids)
    is_whole = run.src_tokenizer.kind == "word"
    words = word_texts(tokens, word_indices(tokens, is_whole=is_whole))  # as the model reads them
    STATE.belongs_to("sentence", text)
    STATE.write_to_url({})
    if len(words) < 2:
        st.info(
            "Type a sentence of two words or more above, or choose an example.",
            icon=":material/edit:",
        )
        return
    swapped = _word_pickers(words)
    run.check_lengths([text])
    with st.container(key="side by side"):
        left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        _show_swap(run, tokens, ids, swapped)
    with right, st.container(border=True):
        _show_position_effect(run, tokens, ids)
    reproduce.in_a_model(run, text, swapped)


def _word_pickers(words: Sequence[str]) -> tuple[int, int]:
    """Two words by their indices, from 0; the first and the last by default."""
    names = {str(number): f"{number} · {word}" for number, word in enumerate(words, 1)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = STATE.choice("word", "Swap word", names, default="1", width=200)
        last = str(len(words))
        other = STATE.choice("other_word", "with word", names, default=last, width=200)
    return int(word) - 1, int(other) - 1


def _show_swap(
    run: Run, tokens: Sequence[str], ids: Sequence[int], swapped: tuple[int, int]
) -> None:
    st.subheader("Swap two words", anchor=False)
    order = engine.swapped_order(tokens, swapped, is_whole=run.src_tokenizer.kind == "word")
    effect = engine.reordering_effect(run.model, ids, order)
    kind = POSITION_KINDS[run.recipe.model.positions.kind].label
    with st.container(horizontal=True):
        _largest_change(f"With its positions ({kind})", effect.with_positions, effect.size)
        _largest_change("Without positions", effect.without_positions, effect.size)
    _show_effect(run, tokens, effect)
    st.caption(
        "Each word's encoder output in one order and in the other: the largest difference of any of its numbers."
        f" Typical outputs have a size of about {effect.size:.2g}."
    )
    with st.container(key="swap verdict"):  # a lesson hides it where it asks for this
        st.caption(_verdict(effect))


def _largest_change(of: str, changes: engine.Matrix, size: float) -> None:
    """Of all words, with what to compare it with."""
    largest = float(changes.max())
    is_rounding = largest <= ROUNDING * size
    st.metric(
        f"{of}: largest change",
        "0" if is_rounding else f"{largest:.2g}",
        f"up to rounding, {largest:.0e}" if is_rounding else f"{largest / size:.1f} × typical size",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="The largest difference of any number of a word's encoder output, which has no unit; so it is compared"
        " with the typical size of these numbers.",
    )


def _verdict(effect: ReorderingEffect) -> str:
    """What the numbers mean."""
    limit = ROUNDING * effect.size
    if effect.without_positions.max() > limit:
        return "Without positions, the difference should be rounding, and here it is larger."
    without = "Without positions, the encoder sees only which words there are: outputs are the same, up to rounding"
    if effect.with_positions.max() <= limit:
        return f"{without}. With positions, nothing changed either: the words are the same, or the model has none."
    return (
        f"{without}. With them, every word is affected. The weights are the same in both cases; a model trained"
        " without positions would have others."
    )


def _show_effect(run: Run, tokens: Sequence[str], effect: ReorderingEffect) -> None:
    title = f"{cached.title(run.folder.id)} · how much each word's output changes"
    both = {"with positions": effect.with_positions, "without": effect.without_positions}
    columns: dict[str, Sequence[object]] = {
        "token": [*tokens],
        "with positions": effect.with_positions.tolist(),
        "without positions": effect.without_positions.tolist(),
    }
    show_figure(
        plots.paired_bars(tokens, both, title=title, y_label="largest difference"),
        title,
        f"Bars: {title}, with and without positions",
        lambda: plots.columns_csv(columns),
    )


def _show_position_effect(run: Run, tokens: Sequence[str], ids: Sequence[int]) -> None:
    st.subheader("A position added to an embedding", anchor=False)
    effect = engine.position_effect(run.model, ids)
    if effect is None:
        kind = POSITION_KINDS[run.recipe.model.positions.kind].label
        st.info(
            f"This run's position encoding is {kind}: nothing is added to the embeddings.",
            icon=":material/do_not_disturb_on:",
        )
        return
    table = _table(run, tokens, effect)
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        alt="How much the position rotates each embedding, and its nearest tokens before and after",
    )
    same = int((effect.nearest_after == np.asarray(ids)).sum())
    st.caption(
        "The angle between a token's embedding and the same embedding with its position added. After the addition,"
        f" {same} of {len(tokens)} are still nearest to their own embedding, of all in the vocabulary. A wide angle"
        " does not mean that the word is lost: word and position may use different directions."
    )
    st.download_button(
        "Download data (CSV)",
        lambda: plots.columns_csv({name: _csv_column(table[name]) for name in table}),
        "position-added.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _csv_column(column: Sequence[object]) -> list[object]:
    return [*column]


def _table(run: Run, tokens: Sequence[str], effect: PositionEffect) -> pd.DataFrame:
    names = run.src_tokenizer.tokens
    return pd.DataFrame(
        {
            "position": range(len(tokens)),
            "token": list(tokens),
            "angle (°)": effect.angles.round(1),
            "length ×": effect.ratios.round(3),
            "nearest other token": names(effect.nearest_before.tolist()),
            "nearest with position": names(effect.nearest_after.tolist()),
        }
    )
