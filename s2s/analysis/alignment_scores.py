"""Links compared with gold links, sure and possible: AER, precision and recall (Och & Ney 2003)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import Floats, Ints
from s2s.analysis.alignment_links import Links
from s2s.scores import SAMPLES, SEED, TAIL, draws


@dataclass(frozen=True)
class GoldLinks:
    """Links that an alignment must have (sure), and those that it may have (possible); every sure link is possible."""

    sure: Links
    possible: Links = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.sure | self.possible)


class LinkCounts(NamedTuple):
    """The counts that the scores of Och & Ney 2003 are made of, of one sentence or summed over many."""

    predicted: int  # |A|
    sure: int  # |S|
    sure_hits: int  # |A and S|
    possible_hits: int  # |A and P|


class LinkScores(NamedTuple):
    """Agreement with gold links, each 0 to 1.

    Precision or recall is None where it would divide by 0.
    """

    precision: float | None  # against the possible links
    recall: float | None  # of the sure links
    error: float  # AER, 0 is best


@dataclass(frozen=True, eq=False)
class ScoreArrays:
    """The scores of many alignments at once, NaN where one would divide by 0."""

    precision: Floats
    recall: Floats
    error: Floats


def count_links(guess: Collection[tuple[int, int]], gold: GoldLinks) -> LinkCounts:
    """The counts of one sentence's links, for scores."""
    predicted = frozenset(guess)
    return LinkCounts(
        predicted=len(predicted),
        sure=len(gold.sure),
        sure_hits=len(predicted & gold.sure),
        possible_hits=len(predicted & gold.possible),
    )


def score_arrays(counts: Ints | Floats) -> ScoreArrays:
    """Scores of counts whose last axis is that of `LinkCounts`: (..., 4) -> (...) each.

    Och & Ney 2003, section 6: precision |A and P| / |A|, recall |A and S| / |S|, and
    AER = 1 - (|A and S| + |A and P|) / (|A| + |S|).
    """
    predicted, sure, sure_hits, possible_hits = np.moveaxis(counts.astype(np.float64), -1, 0)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN
        return ScoreArrays(
            precision=possible_hits / predicted,
            recall=sure_hits / sure,
            error=1 - (sure_hits + possible_hits) / (predicted + sure),
        )


def score_corpus(
    guesses: Sequence[Collection[tuple[int, int]]], gold: Sequence[GoldLinks]
) -> LinkScores:
    """The alignment scores of many sentences, from the sums of their counts.

    Raises ValueError where there is no link at all.
    """
    rows = [count_links(guess, known) for guess, known in zip(guesses, gold, strict=True)]
    sums = np.array(rows, np.int64).reshape(-1, 4).sum(0)
    if not sums[:2].any():
        raise ValueError("there are no links to compare")
    found = score_arrays(sums)
    precision, recall = (
        None if np.isnan(score) else float(score) for score in (found.precision, found.recall)
    )
    return LinkScores(precision, recall, float(found.error))


def score_links(guess: Collection[tuple[int, int]], gold: GoldLinks) -> LinkScores:
    """The alignment scores of one sentence. Raises ValueError where there is no link at all."""
    return score_corpus([guess], [gold])


def error_intervals(
    counts: Ints, *, samples: int = SAMPLES, seed: int = SEED
) -> tuple[Floats, Floats]:
    """Ends of AER's 95 % bootstrap interval over sentences (Koehn 2004): (sentences, ..., 4) -> (...) each."""
    n, *shape, last = counts.shape
    rows = counts.reshape(n, -1).astype(np.float64)  # (sentences, ... * 4)
    drawn = [
        score_arrays((chosen @ rows).reshape(-1, *shape, last)).error
        for chosen in draws(n, samples, seed)
    ]
    ordered = np.sort(np.concatenate(drawn), axis=0)
    tail = samples // TAIL
    return ordered[tail], ordered[-1 - tail]
