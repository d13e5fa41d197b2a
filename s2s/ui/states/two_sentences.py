"""The same word in two sentences: the cosine of its states after each layer, beside baselines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from s2s import plots
from s2s.analysis import WordStates, cosines
from s2s.plots import CosineSeries, similarity_csv
from s2s.runs import states as run_states
from s2s.ui.kit import chart, file_name, plain, shortened
from s2s.ui.states import pool
from s2s.ui.states.request import StatesRequest, axis_names
from s2s.ui.states.view_state import STATE

CLEAR = 0.05  # of a cosine: a smaller difference is not worth a sentence
DASHED = (
    "Dashed lines: the word of each sentence compared with itself after the same word, averaged over the given number"
    " of other sentences."
)
EXPLANATION = (
    "Dotted: the mean of any two words of different sentences. A cosine of 1 means that two"
    " states point the same way, 0 that they have nothing in common. At the embeddings only the word and its position"
    " count, so the same word differs there by its position alone, if positions are added. A cosine cannot say which"
    " of the differences the model uses."
)


class ChosenWord(NamedTuple):
    """A word of a sentence, and its states."""

    text: str  # the sentence
    words: WordStates
    position: int  # from 0

    @property
    def word(self) -> str:
        """The word itself."""
        return self.words.words[self.position]


def show(request: StatesRequest) -> None:
    """Two words to choose, the lines, and what was measured."""
    if request.second_states is None:
        st.info(
            "Type a second sentence above: the same word is looked up in both.",
            icon=":material/edit:",
        )
        return
    one = run_states.words_of(request.run, request.states)
    other = run_states.words_of(request.run, request.second_states)
    if not one.words or not other.words:
        st.info("One of the sentences has no word to compare.", icon=":material/edit:")
        return
    first, second = shared_word(one.words, other.words)
    with st.container(horizontal=True):
        here = _word_picker("word", "Word in the first sentence", one, first)
        there = _word_picker("word2", "Word in the second sentence", other, second)
    chosen = (
        ChosenWord(request.text, one, here),
        ChosenWord(request.second, other, there),
    )
    rows = _rows(request, chosen)
    layers = axis_names(request.states.side("encoder").n_layers)
    words = " and ".join(f"“{shortened(choice.word, 20)}”" for choice in chosen)
    title = f"{request.name}\nencoder · cosine after each layer\n{words} in two sentences"
    lines = [row for row in rows if not all(map(math.isnan, row.cosines))]
    figure = plots.PLOTS["similarity"].draw(lines, layers, chosen=request.layer, title=title)
    values = ", ".join(map(_number, rows[0].cosines))
    with st.container(key="points", gap=None):
        chart(
            figure,
            alt=f"Lines: {title.replace(chr(10), ', ')}; {values}",
            file_name=file_name(title),
        )
    st.markdown(measured(chosen[0].word, chosen[1].word, [row.cosines for row in rows]))
    has_dashed = any(row in lines for row in rows[1:-1])
    dashed = f" {DASHED}" if has_dashed else ""
    st.caption(f"{plots.PLOTS['similarity'].caption}{dashed} {EXPLANATION}")
    st.download_button(
        "Download data (CSV)",
        partial(similarity_csv, lines, layers),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def shared_word(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """The positions of the longest word that is in both, the first of equals; of the first words where none is.

    A common beginning, such as the name of a task, counts last.

    >>> shared_word("say: the bank is open".split(), "say: we bank the coin".split())
    (2, 2)
    """
    pairs = enumerate(zip(one, other, strict=False))
    differing = (position for position, (ours, theirs) in pairs if ours != theirs)
    n_common = next(differing, min(len(one), len(other)))
    for start in (n_common, 0):
        if both := [word for word in one[start:] if word in other[start:]]:
            word = max(both, key=len)
            return list(one).index(word, start), list(other).index(word, start)
    return 0, 0


def _word_picker(field: str, label: str, words: WordStates, default: int) -> int:
    """A position, from 0; the address counts from 1."""
    options = {str(number): f"{number} · {word}" for number, word in enumerate(words.words, 1)}
    return int(STATE.choice(field, label, options, default=str(default + 1), width=240)) - 1


def _rows(request: StatesRequest, chosen: tuple[ChosenWord, ChosenWord]) -> list[CosineSeries]:
    """The two words, each word in the same context elsewhere (NaN where there is none), and any two words."""
    vectors = [
        choice.words.vectors[:, choice.position] for choice in chosen
    ]  # (n_layers + 1, d_model)
    rows = [CosineSeries("these two", cosines(*vectors).tolist())]
    for number, choice in enumerate(chosen, 1):
        same = pool.same_context(request.run, choice.text, choice.position)
        name = f"“{shortened(choice.word, 12)}” ({number}), elsewhere {_context(choice)}: {same.n}×"
        rows.append(CosineSeries(name, same.mean.tolist()))
    return [*rows, CosineSeries("any two words", pool.baseline(request.run).tolist())]


def _context(chosen: ChosenWord) -> str:
    if not chosen.position:
        return "at the beginning"
    return f"after “{shortened(chosen.words.words[chosen.position - 1], 12)}”"


def measured(one: str, other: str, rows: Sequence[Sequence[float]]) -> str:
    """The numbers in words; whether two senses are distinguished, each word's own contexts say.

    `rows` has the cosines of these two, of the first and of the second with itself, and of any two words.
    """
    these, first, second, baseline = rows
    is_same = one == other
    words = f"the two *{plain(one)}*" if is_same else f"*{plain(one)}* and *{plain(other)}*"
    sentences = [
        f"**Measured:** {words} have cosine {_number(these[0])} at the embeddings, {_number(these[-1])} after the last"
        " layer."
    ]
    if is_same:
        sentences += [_change(these), _against_own_contexts(these[-1], first[-1], second[-1])]
    if not math.isnan(baseline[-1]):
        sentences.append(
            f"Any two words of different sentences have {_number(baseline[-1])} there."
        )
    return " ".join(sentences)


def _against_own_contexts(these: float, first: float, second: float) -> str:
    """Whether the two words are less similar than each is to itself elsewhere; all after the last layer."""
    own = {"the first": first, "the second": second}
    known = {which: value for which, value in own.items() if not math.isnan(value)}
    if not known:
        return "No other sentence here has the word after the same word, so nothing says how similar it usually is."
    values = " and ".join(f"{which} has {_number(value)}" for which, value in known.items())
    said = f"In other sentences, after the same word, {values} with itself: these two are"
    apart = [which for which, value in known.items() if these < value - CLEAR]
    if apart and len(apart) < len(known):
        (like,) = known.keys() - apart
        return f"{said} less similar than {apart[0]}, but no less than {like}, whose other contexts differ as much."
    if apart:
        return f"{said} less similar, as if the word had two senses, which layers are said to separate."
    return f"{said} no less similar, so the cosine shows one sense; the translations may show two."


def _change(these: Sequence[float]) -> str:
    """What the layers do to the cosine. That it falls is no sign of two senses: it does for most words."""
    change = these[-1] - these[0]
    if change > CLEAR:
        return "They end more similar than they began."
    if change >= -CLEAR:
        return "They stay about as similar as they were."
    changes = enumerate(itertools.pairwise(these), 1)
    closer = [str(layer) for layer, (before, after) in changes if after - before > CLEAR]
    but = f", though layer {', '.join(closer)} brings them closer again" if closer else ""
    return f"They end less similar than they began{but}."


def _number(cosine: float) -> str:
    return f"{cosine:.2f}".replace("-", "−")
