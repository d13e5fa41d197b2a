"""A summary of a dataset for a screen, without its pairs: counts, lengths, notes, the first rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from s2s.config import UserError
from s2s.data.corpus import Corpus
from s2s.data.sources import load
from s2s.data.summary import summarize
from s2s.files import from_json

ROWS = 300
LONGEST_CELL = 500  # characters; every visitor's browser receives the rows
SHIPPED = (
    Path(__file__).parent / "previews"
)  # of generated datasets, which take seconds to generate


@dataclass(frozen=True)
class Preview:
    """A dataset's counts, lengths, notes and first rows. `src_counts[n]` sources have n words, split on spaces."""

    spec: str
    rows: tuple[tuple[str, str], ...]  # the first ones, long texts truncated
    notes: tuple[str, ...]
    n_pairs: int
    n_distinct_sources: int
    n_duplicates: int  # pairs that repeat an earlier one exactly
    n_same: int  # source equals target
    src_counts: tuple[int, ...]
    tgt_counts: tuple[int, ...]
    src_median: float
    tgt_median: float
    src_words: int  # distinct
    tgt_words: int
    src_characters: int  # in total
    tgt_characters: int
    src_alphabet: int  # distinct characters
    tgt_alphabet: int
    is_plain: bool = False  # the same text on both sides
    lines: tuple[
        int, ...
    ] = ()  # of the rows in the file they were read from; empty where there is none

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        summary = summarize(corpus)
        lines = [pair.line for pair in corpus.pairs[:ROWS]]
        return cls(
            spec=corpus.spec,
            rows=tuple((_cell(pair.src), _cell(pair.tgt)) for pair in corpus.pairs[:ROWS]),
            notes=corpus.notes,
            n_pairs=summary.n_pairs,
            n_distinct_sources=summary.n_distinct_sources,
            n_duplicates=summary.n_duplicates,
            n_same=summary.n_same,
            src_counts=tuple(np.bincount(summary.src_lengths).tolist()),
            tgt_counts=tuple(np.bincount(summary.tgt_lengths).tolist()),
            src_median=summary.src_median,
            tgt_median=summary.tgt_median,
            src_words=summary.src_words,
            tgt_words=summary.tgt_words,
            src_characters=summary.src_characters,
            tgt_characters=summary.tgt_characters,
            src_alphabet=len(set[str]().union(*(pair.src for pair in corpus.pairs))),
            tgt_alphabet=len(set[str]().union(*(pair.tgt for pair in corpus.pairs))),
            is_plain=corpus.is_plain,
            lines=tuple(lines) if all(lines) else (),
        )

    @property
    def src_longest(self) -> int:
        """Words in the longest source."""
        return len(self.src_counts) - 1

    @property
    def tgt_longest(self) -> int:
        """Words in the longest target."""
        return len(self.tgt_counts) - 1

    def within(self, max_words: int | None) -> Self:
        """The preview without pairs that have more words on one side; unchanged if that leaves none.

        Exact where the side that drops more drops all that the other does, as is usual; else a few pairs too many.
        """
        if max_words is None:
            return self
        n = min(sum(counts[: max_words + 1]) for counts in (self.src_counts, self.tgt_counts))
        if n in (0, self.n_pairs):
            return self
        src, tgt = _shortest(self.src_counts, n), _shortest(self.tgt_counts, n)
        return replace(
            self,
            n_pairs=n,
            src_counts=src,
            tgt_counts=tgt,
            src_characters=round(
                self.src_characters * _words(src) / max(1, _words(self.src_counts))
            ),
            tgt_characters=round(
                self.tgt_characters * _words(tgt) / max(1, _words(self.tgt_counts))
            ),
        )

    @staticmethod
    def read(content: Mapping[str, Any]) -> Preview:
        """A preview from its stored form. Raises UserError for anything else."""
        try:
            return from_json(Preview, content)
        except ValueError as error:
            raise UserError(
                "The preview of this dataset cannot be read; upload the dataset again."
            ) from error


def _shortest(counts: tuple[int, ...], n: int) -> tuple[int, ...]:
    left = list[int]()
    while n:
        left.append(min(n, counts[len(left)]))
        n -= left[-1]
    return tuple(left)


def _words(counts: tuple[int, ...]) -> int:
    return sum(n * count for n, count in enumerate(counts))


def _cell(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def load_preview(spec: str) -> Preview:
    """The preview of a source's training split; the shipped one if there is one. Raises UserError as `load` does."""
    shipped = SHIPPED / f"{spec.replace(':', '-')}.json"
    if spec in GENERATED and shipped.is_file():
        return Preview.read(json.loads(shipped.read_bytes()))
    return Preview.of(load(spec))


GENERATED = (
    "builtin:en-fr",
    "builtin:en-es",
    "builtin:summaries",
    "builtin:dialogue",
    "builtin:tasks",
)
