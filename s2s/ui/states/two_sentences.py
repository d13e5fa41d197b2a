"""The same word in two sentences: how alike its states are after each layer, beside what is usual there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import WordStates, cosines
from s2s.plots import CosineSeries, similarity_csv
from s2s.runs import states
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain, shortened
from s2s.ui.states import cached
from s2s.ui.states.cached import Likes
from s2s.ui.states.request import Asked, choice, short_names

CLEAR = 0.05  # of a cosine: less is no difference worth a sentence


def show(asked: Asked) -> None:
    """Two words to pick, the lines, and what was measured."""
    if asked.beside is None:
        st.info(
            "Type a second sentence above: the same word is looked up in both.",
            icon=":material/edit:",
        )
        return
    one = states.words_of(asked.run, asked.seen)
    other = states.words_of(asked.run, asked.beside)
    if not one.words or not other.words:
        st.info("One of the sentences has no word that could be compared.", icon=":material/edit:")
        return
    first, second = shared(one.words, other.words)
    with st.container(horizontal=True):
        here = _picked("word", "Word in the first sentence", one, first)
        there = _picked("word2", "Word in the second sentence", other, second)
    likes = (
        cached.likes(asked.run, asked.text, here),
        cached.likes(asked.run, asked.second, there),
    )
    rows = _rows(asked, (one, here), (other, there), likes)
    names = short_names(asked.seen.side("encoder").n_layers)
    words = f"“{shortened(one.words[here], 20)}” and “{shortened(other.words[there], 20)}”"
    title = f"{asked.name}\nencoder · cosine after each layer\n{words} in two sentences"
    figure = plots.PLOTS["similarity"].draw(rows, names, chosen=asked.layer, title=title)
    with st.container(key="points", gap=None):
        chart(
            figure,
            alt=f"Lines: {title.replace(chr(10), ', ')}; {_numbers(rows[0].cosines)}",
            file_name=file_name(title),
        )
    st.markdown(verdict(one.words[here], other.words[there], [row.cosines for row in rows]))
    st.caption(f"{plots.PLOTS['similarity'].caption} {EXPLAINED}")
    make = partial(similarity_csv, rows, names)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


EXPLAINED = (
    "Broken lines: the word of each sentence beside itself, after the same word, in so many other sentences; dotted: the mean of any two"
    " words of different sentences. A cosine of 1 means that two states point the same way, 0 that they have nothing in common. At the"
    " embeddings only the word and its position count, so the same word differs there by its position alone, where positions are added."
    " What a cosine cannot say: which of the differences the model uses."
)


def shared(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """The places of the longest word that stands in both, the first of equals; of the first words where none does.

    What both begin with counts last: the name of a task, say.

    >>> shared("say: the bank is open".split(), "say: we bank the coin".split())
    (2, 2)
    """
    begun = next(
        (at for at, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs),
        min(len(one), len(other)),
    )
    for start in (begun, 0):
        if both := [word for word in one[start:] if word in other[start:]]:
            word = max(both, key=len)
            return list(one).index(word, start), list(other).index(word, start)
    return 0, 0


def _picked(name: str, label: str, words: WordStates, usual: int) -> int:
    """A place, from 0; the address counts from 1."""
    options = {str(at): f"{at} · {word}" for at, word in enumerate(words.words, 1)}
    return int(choice(name, label, options, str(usual + 1), st.selectbox, width=240)) - 1


def _rows(
    asked: Asked,
    one: tuple[WordStates, int],
    other: tuple[WordStates, int],
    likes: tuple[Likes, Likes],
) -> list[CosineSeries]:
    """What is asked about, each word beside its likes where there are any, and any two words."""
    states_of = [words.vectors[:, at] for words, at in (one, other)]  # (n_layers + 1, d_model) each
    found = [CosineSeries("these two", cosines(*states_of).tolist())]
    for number, ((words, at), like) in enumerate(zip((one, other), likes, strict=True), 1):
        if not like.n:
            continue
        before = f"after “{shortened(words.words[at - 1], 12)}”" if at else "at the beginning"
        found.append(
            CosineSeries(
                f"“{shortened(words.words[at], 12)}” ({number}), elsewhere {before}: {like.n}×",
                like.mean.tolist(),
            )
        )
    return [*found, CosineSeries("any two words", cached.usual(asked.run).tolist())]


def verdict(one: str, other: str, rows: Sequence[Sequence[float]]) -> str:
    """What was measured, against the story that a word's senses drift apart layer by layer; `rows` as drawn."""
    asked, *likes, usual = rows
    first = asked[0]
    last = asked[-1]
    who = f"the two *{plain(one)}*" if one == other else f"*{plain(one)}* and *{plain(other)}*"
    said = [
        f"**Measured:** {who} have cosine {_said(first)} as they enter, {_said(last)} after the last layer."
    ]
    said += [_story(asked)] if one == other else []
    known = [line[-1] for line in likes if not math.isnan(line[-1])]
    if one == other and known:
        beside = " and ".join(map(_said, known))
        is_less = last < min(known) - CLEAR
        so = (
            "less alike than is usual"
            if is_less
            else "no less alike than is usual, so that no two senses show in it"
        )
        said.append(
            f"There it has {beside} with itself after the same word elsewhere: these two are {so}."
        )
    if not math.isnan(usual[-1]):
        said.append(f"Any two words of different sentences have {_said(usual[-1])} there.")
    return " ".join(said)


def _story(asked: Sequence[float]) -> str:
    """Whether the layers move them apart, and where they do the opposite."""
    gaps = [after - before for before, after in itertools.pairwise(asked)]
    closer = [layer for layer, gap in enumerate(gaps, 1) if gap > CLEAR]
    change = asked[-1] - asked[0]
    if change > CLEAR:
        return "That contradicts the story, by which layers move a word's senses apart: these end more alike."
    if change >= -CLEAR:
        return "By the story, layers move a word's senses apart; these two they leave about as alike as they were."
    if closer:
        places = ", ".join(map(str, closer))
        return f"They move apart, as the story has it, but not all the way: layer {places} brings them closer again."
    return "They move apart, as the story has it: each layer takes in more of what stands around the word."


def _said(cosine: float) -> str:
    return f"{cosine:.2f}".replace("-", "−")


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(map(_said, values))
