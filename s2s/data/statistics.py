"""Word statistics of a dataset: counts, frequencies, vocabulary growth, and coverage of the validation set.

Words are split on spaces. A few kilobytes of JSON for any dataset. Knows nothing of plots and screens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from s2s.config import nfc
from s2s.data.corpus import Corpus
from s2s.data.split import hold_out

SEED = 1  # of held-out pairs, if there is no validation set
N_POINTS = 60  # of the vocabulary growth
BLOCK = 10_000  # texts split at once
N_FREQUENT = 20
N_RARE = 10
LONGEST_WORD = 40  # characters of a displayed word
HEAPS_FROM = 100  # word tokens from which Heaps' law is fitted
MIN_COUNTS = (1, 2, 5, 10)  # occurrences in the training set from which a word counts as covered
MAX_LOG_RATIO = 3  # ratios are binned from 1/8 to 8 = 2 ** 3; the outer bins include the rest
BINS_PER_OCTAVE = 8

Lengths = npt.NDArray[np.int64]


class Covered(NamedTuple):
    """Shares (0 to 1) of validation words with at least `at_least` occurrences in the training set.

    `running` counts word tokens, `distinct` counts distinct words.
    """

    at_least: int
    running: float
    distinct: float


@dataclass(frozen=True)
class Vocabulary:
    """The words of one side. `growth` has pairs (word tokens, distinct words); `n_running` counts word tokens."""

    n_running: int
    n_distinct: int
    growth: tuple[tuple[int, int], ...]
    heaps: (
        float | None
    )  # exponent b of distinct = K * tokens ** b (Heaps 1978); None for short texts
    frequent: tuple[tuple[str, int], ...]
    n_once: int
    once: tuple[str, ...]  # some of the words that occur once
    covered: tuple[Covered, ...]  # empty without a validation set


@dataclass(frozen=True)
class Statistics:
    """Statistics of the training pairs.

    `ratio_counts[i]` pairs have a ratio of target to source words in bin i of `ratio_edges()`.
    """

    n_pairs: int
    n_valid: int
    ratio_counts: tuple[int, ...]
    ratio_median: float  # 0 where no pair has words on both sides
    src: Vocabulary
    tgt: Vocabulary

    @classmethod
    def of(cls, corpus: Corpus, valid: Corpus | None = None) -> Self:
        """Statistics of a corpus, without `valid` holding out pairs as in training. About 12 s for a million pairs."""
        if valid is None:
            corpus, valid, _ = hold_out(corpus, SEED)
        src, src_lengths = _vocabulary(
            [pair.src for pair in corpus.pairs], [pair.src for pair in valid.pairs]
        )
        tgt, tgt_lengths = _vocabulary(
            [pair.tgt for pair in corpus.pairs], [pair.tgt for pair in valid.pairs]
        )
        has_both = (src_lengths > 0) & (tgt_lengths > 0)
        ratios = tgt_lengths[has_both] / src_lengths[has_both]
        bins = np.clip(
            np.floor(np.log2(ratios) * BINS_PER_OCTAVE + 0.5).astype(int)
            + MAX_LOG_RATIO * BINS_PER_OCTAVE,
            0,
            2 * MAX_LOG_RATIO * BINS_PER_OCTAVE,
        )
        counts = np.bincount(bins, minlength=2 * MAX_LOG_RATIO * BINS_PER_OCTAVE + 1)
        median = float(np.median(ratios)) if ratios.size else 0.0
        return cls(len(corpus), len(valid), tuple(counts.tolist()), median, src, tgt)


def ratio_edges() -> tuple[float, ...]:
    """The bin edges of the ratios; a ratio of 1 is in the center of the middle bin."""
    return tuple(
        2 ** ((index - 0.5) / BINS_PER_OCTAVE - MAX_LOG_RATIO)
        for index in range(2 * MAX_LOG_RATIO * BINS_PER_OCTAVE + 2)
    )


def _vocabulary(texts: Sequence[str], valid: Sequence[str]) -> tuple[Vocabulary, Lengths]:
    counts, lengths, growth = _counted(texts)
    once = [word for word, n in counts.items() if n == 1]
    vocabulary = Vocabulary(
        n_running=int(lengths.sum()),
        n_distinct=len(counts),
        growth=growth,
        heaps=_heaps(growth),
        frequent=tuple((_shown(word), n) for word, n in counts.most_common(N_FREQUENT)),
        n_once=len(once),
        once=tuple(
            _shown(once[index])
            for index in np.unique(
                np.linspace(0, len(once) - 1, min(N_RARE, len(once))).astype(int)
            )
        ),
        covered=_covered(counts, valid),
    )
    return vocabulary, lengths


def _counted(texts: Sequence[str]) -> tuple[Counter[str], Lengths, tuple[tuple[int, int], ...]]:
    counts = Counter[str]()
    lengths = np.zeros(len(texts), np.int64)
    growth = list[tuple[int, int]]()
    start = 0
    points = (
        {*np.geomspace(1, len(texts), N_POINTS).round().astype(int).tolist()}
        if texts
        else set[int]()
    )
    for stop in sorted({*points, *range(BLOCK, len(texts), BLOCK)}):
        block = [nfc(text).split() for text in texts[start:stop]]  # as in the word tokenizer
        lengths[start:stop] = [len(words) for words in block]
        counts.update(chain.from_iterable(block))
        if stop in points:
            growth.append((int(lengths[:stop].sum()), len(counts)))
        start = stop
    return counts, lengths, tuple(growth)


def _heaps(growth: Iterable[tuple[int, int]]) -> float | None:
    settled = np.array([point for point in growth if point[0] >= HEAPS_FROM], np.float64)
    if len(settled) < 5:
        return None
    running, distinct = np.log(settled).T
    return round(float(np.polyfit(running, distinct, 1)[0]), 4)


def _covered(counts: Mapping[str, int], valid: Sequence[str]) -> tuple[Covered, ...]:
    known, _, _ = _counted(valid)
    running = known.total()
    if not running:
        return ()
    return tuple(
        Covered(
            least,
            round(sum(n for word, n in known.items() if counts.get(word, 0) >= least) / running, 6),
            round(sum(counts.get(word, 0) >= least for word in known) / len(known), 6),
        )
        for least in MIN_COUNTS
    )


def _shown(word: str) -> str:
    word = re.sub("[\ud800-\udfff]", "\ufffd", word)  # half a character cannot be sent to a browser
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"
