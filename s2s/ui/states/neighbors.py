"""Nearest neighbors: the words or sentences of the pool whose states have the highest cosine with a chosen one."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from s2s.analysis import WordStates
from s2s.files import csv_writer
from s2s.questions import partner, shared_word
from s2s.runs import states as run_states
from s2s.ui.kit import file_name, plain
from s2s.ui.states import pool as pools
from s2s.ui.states.pool import Pool, PoolIndex
from s2s.ui.states.request import StatesRequest
from s2s.ui.states.view_state import STATE

N_NEIGHBORS = 15
WHOLE = "sentence"
COLUMNS = ("cosine", "word", "position", "sentence", "from")
EXPLANATION = (
    "A word's state is the mean over its tokens, a sentence's the mean over its words. At the embeddings only the word"
    " and its position count; the deeper the layer, the more a neighbor shares the context, too. Near means that this"
    " model treats them alike, not that they mean the same."
)
ORIGINS = "`dataset`: trained on. `held out`: never trained on. `probe`: translated repeatedly during training."


class NeighborRow(NamedTuple):
    """One neighbor; for whole sentences the word is empty and its position 0."""

    cosine: float
    word: str
    position: int  # in its sentence, from 1
    sentence: str
    origin: str


def show(request: StatesRequest) -> None:
    """Choose a word or the sentence; its neighbors after the chosen layer."""
    words = run_states.words_of(request.run, request.states)
    if not words.words:
        st.info("The sentence has no word to look up.", icon=":material/edit:")
        return
    unit = _unit_picker(request, words)
    pool = pools.pool(request.run)
    index = pools.pool_index(request.run)
    rows = nearest(request, words, unit, pool, index.states)
    if not rows:
        st.info(
            "There are no other sentences of this run's dataset to search.",
            icon=":material/search_off:",
        )
        return
    is_word = unit != WHOLE
    name = words.words[int(unit) - 1] if is_word else "the sentence"
    title = f"{request.name} · {request.layer_name} · nearest to {name}"
    st.markdown(f"**{plain(title)}**")
    st.markdown(_summary(rows, name, is_word=is_word))
    _table(rows, title, is_word=is_word)
    st.caption(f"{_searched(pool, index)} {EXPLANATION}")
    st.download_button(
        "Download data (CSV)",
        partial(neighbors_csv, rows),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _unit_picker(request: StatesRequest, words: WordStates) -> str:
    """`sentence`, or the position of a word from 1; by default the word that the two-sentences view compares."""
    options = {WHOLE: "the whole sentence"}
    options |= {str(number): f"{number} · {word}" for number, word in enumerate(words.words, 1)}
    default = _shared_position(request, words)
    return STATE.choice("unit", "Neighbors of", options, default=default, width=260)


def chosen_unit(request: StatesRequest, words: WordStates) -> str:
    """What the view shows the neighbors of: `sentence`, or the position of a word from 1."""
    return STATE.now.unit or _shared_position(request, words)


def _shared_position(request: StatesRequest, words: WordStates) -> str:
    other = STATE.now.second or partner(request.run, request.text)
    return str(shared_word(words.words, other.split())[0] + 1)


def nearest(
    request: StatesRequest, words: WordStates, unit: str, pool: Pool, index: run_states.StateIndex
) -> list[NeighborRow]:
    """The nearest first; the sentence itself is left out."""
    if not index.numbers:
        return []
    texts = [pool.texts[number] for number in index.numbers]
    own = texts.index(request.text) if request.text in texts else None
    states = words.vectors[request.layer]  # (words, d_model)

    def row(cosine: float, text: int, position: int = 0, word: str = "") -> NeighborRow:
        return NeighborRow(cosine, word, position, texts[text], pool.origin(index.numbers[text]))

    if unit == WHOLE:
        sentences = index.sentences[request.layer]
        found = sentences.nearest(states.mean(0), N_NEIGHBORS, without=own)
        return [row(hit.cosine, hit.row) for hit in found]
    layer = index.words[request.layer]
    rows = []
    for hit in layer.nearest(states[int(unit) - 1], N_NEIGHBORS, without=own):
        position, word = index.positions[hit.row]
        rows.append(row(hit.cosine, int(layer.texts[hit.row]), position + 1, word))
    return rows


def _summary(rows: Sequence[NeighborRow], name: str, *, is_word: bool) -> str:
    """The table in a sentence or two."""
    span = f"Cosine {rows[0].cosine:.2f} for the nearest, {rows[-1].cosine:.2f} for the last of these {len(rows)}."
    if not is_word:
        return span
    n_same = sum(row.word == name for row in rows)
    others = list(dict.fromkeys(row.word for row in rows if row.word != name))[:4]
    rest = f"; the others: {', '.join(f'*{plain(word)}*' for word in others)}" if others else ""
    return f"{n_same} of the {len(rows)} nearest are *{plain(name)}* itself, in other sentences{rest}. {span}"


def _searched(pool: Pool, index: PoolIndex) -> str:
    numbers = index.states.numbers
    n_words = len(index.states.positions)
    n_sentences = len(numbers)
    n_own = sum(number < pool.n_own for number in numbers)
    n_others = n_sentences - n_own
    others = f" and {n_others:,} others ({pool.others})" if n_others else ""
    return (
        f"Searched {n_sentences:,} sentences with {n_words:,} words: {n_own:,} of the dataset that this"
        f" run was trained on{others}. Reading them took {index.seconds:.1f} s, once for all layers."
    )


def _table(rows: Sequence[NeighborRow], title: str, *, is_word: bool) -> None:
    columns = COLUMNS if is_word else ("cosine", "sentence", "from")
    st.dataframe(
        [dict(zip(COLUMNS, row, strict=True)) for row in rows],
        hide_index=True,
        column_order=columns,
        column_config={
            "cosine": st.column_config.NumberColumn(
                format="%.3f", width=70, help="1: the same direction."
            ),
            "position": st.column_config.NumberColumn(width=60, help="In its sentence, from 1."),
            "sentence": st.column_config.TextColumn(width="large"),
            "from": st.column_config.TextColumn(width=90, help=ORIGINS),
        },
        key="neighbors table",
        alt=title,
    )


def neighbors_csv(rows: Sequence[NeighborRow]) -> str:
    """As CSV, the nearest first."""
    out = io.StringIO()
    lines = csv_writer(out)
    lines.writerow(COLUMNS)
    for row in rows:
        word = row.word
        sentence = row.sentence
        lines.writerow([row.cosine, word, row.position or "", sentence, row.origin])
    return out.getvalue()
