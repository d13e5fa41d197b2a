"""The sentences that a sentence's states are compared with, their index, and baselines; shared between visitors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from s2s import access
from s2s.analysis import Floats, Index, Vectors, baseline_cosines, cosines
from s2s.config import UserError
from s2s.data import LONGEST_CELL, parse_spec, two_files
from s2s.demo import EXAMPLES
from s2s.runs import Run, RunKey
from s2s.runs import states as run_states
from s2s.ui.kit import cached, vocabulary

MAX_SENTENCES = 1000
# In the vectors of all layers, 48 MB; a large model searches fewer sentences.
MAX_NUMBERS = 12_000_000
MAX_BYTES = 4_000_000  # of a file that is read for its sentences
BASELINE_SENTENCES = 200  # their words stand for any words
MAX_OCCURRENCES = 40  # sentences with the same word after the same word


@dataclass(frozen=True)
class Pool:
    """Sentences to search: the first `n_own` are of the run's dataset, the rest are `others`."""

    texts: tuple[str, ...]
    n_own: int
    others: str  # held out, probe

    def origin(self, number: int) -> str:
        """Where a sentence is from: `dataset`, `held out` or `probe`."""
        return "dataset" if number < self.n_own else self.others


@dataclass(frozen=True)
class PoolIndex:
    """The encoder's states of a pool, one index per layer: of every word and of every sentence."""

    words: Sequence[Index]
    sentences: Sequence[Index]
    positions: Sequence[tuple[int, str]]  # per row of `words`: position in its sentence, and word
    numbers: Sequence[int]  # per text of both indices: its index in the pool
    seconds: float  # that building it took


def pool(run: Run) -> Pool:
    """The sentences that a run's states are compared with."""
    return _pool(str(run.folder.path), _may_see(run), run)


@st.cache_resource(max_entries=8, show_spinner="Reading its dataset …")
def _pool(folder: str, may_see: bool, _run: Run) -> Pool:
    source = str(_run.folder.about().get("source", ""))
    own: list[str] = []
    if may_see:
        with access.reading_data_of(_run.folder.path):
            own = list(dict.fromkeys(_dataset_sentences(source)))[:MAX_SENTENCES]
    known = set(own)
    others = [text for text in dict.fromkeys(vocabulary.of(_run).sentences) if text not in known]
    texts = tuple([*own, *others][:MAX_SENTENCES])
    return Pool(texts, len(own), "held out" if source in EXAMPLES else "probe")


def _may_see(run: Run) -> bool:
    """Whether this visitor may see a run's dataset: others share what is computed of its probe sentences."""
    return access.may_see_data(run.folder.path)


def _dataset_sentences(spec: str) -> list[str]:
    """The first sources of a dataset that is here and quick to read; truncated ones are left out."""
    try:
        rows = cached.preview(spec).rows if _is_quick(spec) else ()
    except (UserError, OSError):
        return []
    return [text for text, _ in rows if text.strip() and len(text) < LONGEST_CELL]


def _is_quick(spec: str) -> bool:
    kind, name, _ = parse_spec(spec)
    if kind not in ("file", "text", "pasted"):
        return kind != "hub"  # which may take minutes
    paths = two_files(name) or (Path(name),)
    return sum(path.stat().st_size for path in paths) <= MAX_BYTES


def pool_index(run: Run) -> PoolIndex:
    """Every word and sentence of the pool, after every layer of the encoder."""
    return _pool_index(run.key, _may_see(run), run)


@st.cache_resource(max_entries=4, show_spinner="Reading many sentences with this model …")
def _pool_index(key: RunKey, may_see: bool, _run: Run) -> PoolIndex:
    start = time.perf_counter()
    vectors: list[Vectors] = []  # per text: (n_layers + 1, words, d_model)
    numbers: list[int] = []
    positions: list[tuple[int, str]] = []
    n_left = MAX_NUMBERS
    for number, words in run_states.sentence_states(_run, pool(_run).texts):
        vectors.append(words.vectors)
        numbers.append(number)
        positions += enumerate(words.words)
        n_left -= words.vectors.size
        if n_left < 0:
            break
    layers = range(_run.recipe.model.encoder.n_layers + 1 if vectors else 0)
    return PoolIndex(
        words=[Index.of([text[layer] for text in vectors]) for layer in layers],
        sentences=[
            Index.of([text[layer].mean(0, keepdims=True) for text in vectors]) for layer in layers
        ],
        positions=positions,
        numbers=numbers,
        seconds=time.perf_counter() - start,
    )


def baseline(run: Run) -> Floats:
    """Mean cosine of any two words of different sentences, (n_layers + 1,); NaN without two sentences."""
    return _baseline(run.key, _may_see(run), run)


@st.cache_resource(max_entries=32, show_spinner=False)
def _baseline(key: RunKey, may_see: bool, _run: Run) -> Floats:
    texts = pool(_run).texts
    some = texts[:: max(1, len(texts) // BASELINE_SENTENCES)][:BASELINE_SENTENCES]
    vectors = [words.vectors for _, words in run_states.sentence_states(_run, some)]
    if not vectors:
        return np.full(_run.recipe.model.encoder.n_layers + 1, np.nan)
    return baseline_cosines(vectors)


@dataclass(frozen=True)
class SameContext:
    """A word compared with the same word after the same word in other sentences."""

    mean: Floats  # (n_layers + 1,) mean cosine; NaN without such a sentence
    n: int  # such sentences


def same_context(run: Run, text: str, position: int) -> SameContext:
    """For the word at a position, from 0, of a sentence that the model can read."""
    return _same_context(run.key, _may_see(run), text, position, run)


@st.cache_resource(max_entries=64, show_spinner=False)
def _same_context(key: RunKey, may_see: bool, text: str, position: int, _run: Run) -> SameContext:
    ((_, own),) = run_states.sentence_states(_run, [text])
    bigram = _bigram(own.words, position)
    wanted = " ".join(bigram).strip()
    texts = [other for other in pool(_run).texts if other != text and wanted in other]
    found: dict[int, Vectors] = {}
    for number, words in run_states.sentence_states(_run, texts[: 4 * MAX_OCCURRENCES]):
        positions = range(len(words.words))
        same = next((at for at in positions if _bigram(words.words, at) == bigram), None)
        if same is not None:
            found[number] = words.vectors[:, same]
    similar = [
        cosines(own.vectors[:, position], found[number])
        for number in sorted(found)[:MAX_OCCURRENCES]
    ]
    mean = np.mean(similar, 0) if similar else np.full(len(own.vectors), np.nan)
    return SameContext(mean, len(similar))


def _bigram(words: Sequence[str], position: int) -> tuple[str, str]:
    """The word before it, empty at the beginning, and the word."""
    return (words[position - 1] if position else "", words[position])
