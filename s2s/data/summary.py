"""Counts and lengths of a corpus. Words are split on spaces. Knows nothing of plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.config import nfc
from s2s.data.corpus import Corpus

Lengths = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Summary:
    """Lengths of a corpus in words per text, in the order of pairs; `n_duplicates` repeat an earlier pair exactly."""

    n_pairs: int
    n_distinct_sources: int
    n_duplicates: int
    n_same: int  # source equals target
    src_lengths: Lengths  # (n_pairs,)
    tgt_lengths: Lengths  # (n_pairs,)
    src_words: int  # distinct
    tgt_words: int
    src_characters: int
    tgt_characters: int

    @property
    def src_median(self) -> float:
        """The median source length in words; 0 without pairs."""
        return _median(self.src_lengths)

    @property
    def tgt_median(self) -> float:
        """The median target length in words; 0 without pairs."""
        return _median(self.tgt_lengths)


def summarize(corpus: Corpus) -> Summary:
    """The counts and lengths of a corpus. Takes about 0.1 s for 30,000 sentence pairs."""
    sources = [pair.src for pair in corpus.pairs]
    targets = [pair.tgt for pair in corpus.pairs]
    compared = [*zip(map(nfc, sources), map(nfc, targets), strict=True)]
    (src_lengths, src_words), (tgt_lengths, tgt_words) = _words(sources), _words(targets)
    return Summary(
        n_pairs=len(corpus),
        n_distinct_sources=len({src for src, _ in compared}),
        n_duplicates=len(corpus) - len(set(compared)),
        n_same=sum(src == tgt for src, tgt in compared),
        src_lengths=src_lengths,
        tgt_lengths=tgt_lengths,
        src_words=src_words,
        tgt_words=tgt_words,
        src_characters=sum(map(len, sources)),
        tgt_characters=sum(map(len, targets)),
    )


def _words(texts: Sequence[str]) -> tuple[Lengths, int]:
    lengths = np.zeros(len(texts), dtype=np.int64)
    distinct = set[str]()
    for index, text in enumerate(texts):
        words = nfc(text).split()  # as in the word tokenizer
        lengths[index] = len(words)
        distinct.update(words)
    return lengths, len(distinct)


def _median(lengths: Lengths) -> float:
    return float(np.median(lengths)) if lengths.size else 0.0
