"""What visitors of States share: states of a sentence, and those of many sentences to compare them with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from s2s.analysis import Floats, Index, LogitLens, States, Vectors, baseline_cosines, cosines
from s2s.config import UserError
from s2s.data import LONGEST_CELL, parse_spec, two_files
from s2s.runs import Run
from s2s.runs import states as many
from s2s.ui.kit import cached, vocabulary

MOST = 1000  # sentences that are looked through
MOST_NUMBERS = 12_000_000  # in the vectors kept of all layers, 48 MB; a large model looks through fewer sentences
LARGEST = 4_000_000  # bytes of a file that is read for its sentences
SOME = 200  # sentences whose words stand for any words
LIKES = 40  # sentences with the same word after the same word


@dataclass(frozen=True)
class Pool:
    """Sentences to look through: the first `n_own` are of the text that the run was trained on, `others` says what the rest is."""

    texts: tuple[str, ...]
    n_own: int
    others: str

    def origin(self, number: int) -> str:
        """Of one sentence, in a word or two."""
        return "its text" if number < self.n_own else self.others


@dataclass(frozen=True)
class Gathered:
    """States of a pool, an index a layer: of every word and of every sentence; and the seconds that this took."""

    words: Sequence[Index]
    sentences: Sequence[Index]
    places: Sequence[
        tuple[int, str]
    ]  # of each row of `words`: its place in the sentence, from 0, and the word
    numbers: Sequence[int]  # of each text of the two: its place in the pool
    seconds: float


def states(run: Run, text: str, target: str) -> States:
    """Of a sentence and what the model is made to write. Raises UserError where the model has no positions for it."""
    return _states(str(run.folder.path), run.step, text, target, run)


@st.cache_resource(
    max_entries=64, show_spinner=False
)  # arrays that nobody writes to: shared, not copied
def _states(folder: str, step: int, text: str, target: str, _run: Run) -> States:
    return _run.states(text, target)


def lens(run: Run, text: str, target: str) -> LogitLens:
    """What each layer would write."""
    return _lens(str(run.folder.path), run.step, text, target, run)


@st.cache_resource(max_entries=64, show_spinner=False)
def _lens(folder: str, step: int, text: str, target: str, _run: Run) -> LogitLens:
    return many.logit_lens(_run, states(_run, text, target), target)


def pool(run: Run) -> Pool:
    """The sentences that a run's states are compared with."""
    return _pool(str(run.folder.path), run)


@st.cache_resource(max_entries=8, show_spinner="Reading its text …")
def _pool(folder: str, _run: Run) -> Pool:
    source = str(_run.folder.about().get("source", ""))
    own = list(dict.fromkeys(_own(source)))[:MOST]
    others = [text for text in dict.fromkeys(vocabulary.of(_run).sentences) if text not in set(own)]
    return Pool(
        tuple([*own, *others][:MOST]),
        len(own),
        "held out" if source in vocabulary.EXAMPLES else "probe",
    )


def _own(spec: str) -> list[str]:
    """The first sources of a run's text, as far as it is here (still) and quickly read; those too long to be kept whole are left out."""
    try:
        source, place, _ = parse_spec(spec)
        if source in ("file", "text", "pasted"):
            paths = two_files(place) or (Path(place),)
            is_near = sum(path.stat().st_size for path in paths) <= LARGEST
        else:
            is_near = source != "hub"  # which may take minutes
        rows = cached.preview(spec).rows if is_near else ()
    except (UserError, OSError):
        rows = ()
    return [text for text, _ in rows if text.strip() and len(text) < LONGEST_CELL]


def gathered(run: Run) -> Gathered:
    """Every word and sentence of the pool, after every layer of the encoder."""
    return _gathered(str(run.folder.path), run.step, run)


@st.cache_resource(max_entries=4, show_spinner="Reading many sentences with this model …")
def _gathered(folder: str, step: int, _run: Run) -> Gathered:
    before = time.perf_counter()
    vectors: list[Vectors] = []
    numbers: list[int] = []
    places: list[tuple[int, str]] = []
    left = MOST_NUMBERS
    for number, words in many.sentence_states(_run, pool(_run).texts):
        vectors.append(words.vectors)
        numbers.append(number)
        places += enumerate(words.words)
        left -= words.vectors.size
        if left < 0:
            break
    layers = range(_run.recipe.model.encoder.n_layers + 1 if vectors else 0)
    of_words = [Index.of([text[layer] for text in vectors]) for layer in layers]
    of_sentences = [
        Index.of([text[layer].mean(0, keepdims=True) for text in vectors]) for layer in layers
    ]
    return Gathered(of_words, of_sentences, places, numbers, time.perf_counter() - before)


def usual(run: Run) -> Floats:
    """The mean cosine of any two words of different sentences, a layer: (n_layers + 1,); NaN without two sentences."""
    return _usual(str(run.folder.path), run.step, run)


@st.cache_resource(max_entries=32, show_spinner=False)
def _usual(folder: str, step: int, _run: Run) -> Floats:
    texts = pool(_run).texts
    found = [
        words.vectors
        for _, words in many.sentence_states(_run, texts[:: max(1, len(texts) // SOME)][:SOME])
    ]
    return (
        baseline_cosines(found)
        if found
        else np.full(_run.recipe.model.encoder.n_layers + 1, np.nan)
    )


@dataclass(frozen=True)
class Likes:
    """The mean cosine, a layer, of a word with the same word after the same word in `n` other sentences; NaN where there is none."""

    mean: Floats
    n: int


def likes(run: Run, text: str, place: int) -> Likes:
    """Of the word at a place, from 0, of a sentence that the model can read."""
    return _likes(str(run.folder.path), run.step, text, place, run)


@st.cache_resource(max_entries=64, show_spinner=False)
def _likes(folder: str, step: int, text: str, place: int, _run: Run) -> Likes:
    ((_, own),) = many.sentence_states(_run, [text])
    pair = _pair(own.words, place)
    sought = " ".join(pair).strip()
    texts = [other for other in pool(_run).texts if other != text and sought in other][: 4 * LIKES]
    found: dict[int, Vectors] = {}
    for number, words in many.sentence_states(_run, texts):
        where = next((at for at in range(len(words.words)) if _pair(words.words, at) == pair), None)
        if where is not None:
            found[number] = words.vectors[:, where]
    alike = [cosines(own.vectors[:, place], found[number]) for number in sorted(found)[:LIKES]]
    return Likes(np.mean(alike, 0) if alike else np.full(len(own.vectors), np.nan), len(alike))


def _pair(words: Sequence[str], place: int) -> tuple[str, str]:
    """A word and the one before it, none at the beginning."""
    return (words[place - 1] if place else "", words[place])
