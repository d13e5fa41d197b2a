"""Which words or sentences have the states most like one: looked up among many sentences of the run."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from s2s import plots
from s2s.analysis import WordStates
from s2s.runs import states
from s2s.ui.kit import vocabulary
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.text import plain
from s2s.ui.states import cached
from s2s.ui.states.cached import Gathered, Pool
from s2s.ui.states.request import Asked, choice, partner, value
from s2s.ui.states.two_sentences import shared

MOST = 15
WHOLE = "sentence"


class Row(NamedTuple):
    """One neighbour; the word is empty, and its place 0, where a whole sentence is."""

    cosine: float
    word: str
    place: int  # in its sentence, from 1
    sentence: str
    origin: str


def show(asked: Asked) -> None:
    """A word or the sentence, and its neighbours after the chosen layer."""
    words = states.words_of(asked.run, asked.seen)
    if not words.words:
        st.info("The sentence has no word to look up.", icon=":material/edit:")
        return
    options = {WHOLE: "the whole sentence"} | {
        str(at): f"{at} · {word}" for at, word in enumerate(words.words, 1)
    }
    unit = choice(
        "unit", "Neighbours of", options, str(_telling(asked, words) + 1), st.selectbox, width=260
    )
    pool = cached.pool(asked.run)
    found = cached.gathered(asked.run)
    rows = neighbours(asked, words, unit, pool, found)
    if not rows:
        st.info(
            "No other sentence of this run's text is here to look through.",
            icon=":material/search_off:",
        )
        return
    what = "the sentence" if unit == WHOLE else words.words[int(unit) - 1]
    title = f"{asked.name} · {asked.layer_name} · nearest to {what}"
    st.markdown(f"**{plain(title)}**")
    st.markdown(_said(rows, what, is_word=unit != WHOLE))
    _table(rows, title, is_word=unit != WHOLE)
    st.caption(f"{_looked(pool, found)} {EXPLAINED}")
    make = partial(table, rows)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


EXPLAINED = (
    "A word's state is the mean over its pieces, a sentence's the mean over its words. At the embeddings only the word and its position"
    " count; the deeper the layer, the more a neighbour shares what stands around the word. Near is what this model treats alike,"
    " which need not be what means the same."
)


def neighbours(
    asked: Asked, words: WordStates, unit: str, pool: Pool, found: Gathered
) -> list[Row]:
    """The nearest first; the sentence itself is left out."""
    if not found.numbers:
        return []
    own = next(
        (row for row, number in enumerate(found.numbers) if pool.texts[number] == asked.text), None
    )
    layer = words.vectors[asked.layer]
    if unit == WHOLE:
        near = found.sentences[asked.layer].nearest(layer.mean(0), MOST, without=own)
        return [_row(pool, found, each.cosine, each.row, ("", -1)) for each in near]
    index = found.words[asked.layer]
    near = index.nearest(layer[int(unit) - 1], MOST, without=own)
    return [
        _row(pool, found, each.cosine, int(index.texts[each.row]), found.places[each.row][::-1])
        for each in near
    ]


def _row(pool: Pool, found: Gathered, cosine: float, text: int, word: tuple[str, int]) -> Row:
    number = found.numbers[text]
    return Row(cosine, word[0], word[1] + 1, pool.texts[number], pool.origin(number))


def _telling(asked: Asked, words: WordStates) -> int:
    """A word worth looking up: the one that the view of two sentences compares."""
    beside = value("second") or partner(asked.run, vocabulary.of(asked.run), asked.text)
    return shared(words.words, beside.split())[0]


def _said(rows: Sequence[Row], what: str, *, is_word: bool) -> str:
    """One sentence from the numbers."""
    reach = f"cosine {rows[0].cosine:.2f} for the nearest, {rows[-1].cosine:.2f} for the last of these {len(rows)}"
    if not is_word:
        return f"{reach.capitalize()}."
    same = sum(row.word == what for row in rows)
    others = list(dict.fromkeys(row.word for row in rows if row.word != what))[:4]
    beside = f"; the others: {', '.join(f'*{plain(word)}*' for word in others)}" if others else ""
    return f"{same} of the {len(rows)} nearest are *{plain(what)}* itself, in other sentences{beside}. {reach.capitalize()}."


def _looked(pool: Pool, found: Gathered) -> str:
    n_own = sum(number < pool.n_own for number in found.numbers)
    others = len(found.numbers) - n_own
    held = f" and {others:,} beside it ({pool.others})" if others else ""
    return (
        f"Looked through {len(found.numbers):,} sentences with {len(found.places):,} words: {n_own:,} of the text that this run was"
        f" trained on{held}. Reading them took {found.seconds:.1f} s, once for all layers."
    )


ORIGINS = "`its text`: what it was trained on. `held out`: never trained on. `probe`: translated again and again during training."


def _table(rows: Sequence[Row], title: str, *, is_word: bool) -> None:
    names = ["cosine", *(["word", "place"] if is_word else []), "sentence", "from"]
    shown = [
        {
            "cosine": row.cosine,
            "word": row.word,
            "place": row.place,
            "sentence": row.sentence,
            "from": row.origin,
        }
        for row in rows
    ]
    look = {
        "cosine": st.column_config.NumberColumn(
            format="%.3f", width=70, help="1: the same direction."
        ),
        "place": st.column_config.NumberColumn(width=60, help="In its sentence, from 1."),
        "sentence": st.column_config.TextColumn(width="large"),
        "from": st.column_config.TextColumn(width=90, help=ORIGINS),
    }
    st.dataframe(
        shown,
        hide_index=True,
        column_order=names,
        column_config=look,
        key="neighbours table",
        alt=title,
    )


def table(rows: Sequence[Row]) -> str:
    """As CSV, the nearest first."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["cosine", "word", "place", "sentence", "from"])
    lines.writerows(
        [
            f"{row.cosine:.6f}",
            plots.csv_cell(row.word),
            row.place or "",
            plots.csv_cell(row.sentence),
            row.origin,
        ]
        for row in rows
    )
    return out.getvalue()
