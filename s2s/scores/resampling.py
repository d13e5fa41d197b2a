"""How much scores depend on the choice of sentences: bootstrap confidence intervals, and paired tests of two systems.

Sentences are counted once; each resample sums their counts. The same seed gives the draws of sacrebleu, hence its
intervals and p-values for the scores that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from s2s.scores.measures import MEASURES, grams
from s2s.scores.metrics import METRICS, Metric, Score, Texts
from s2s.scores.tallies import TALLIES

Floats = npt.NDArray[np.float64]
ALL: MappingProxyType[str, Metric] = MappingProxyType({**METRICS, **MEASURES})
# No sums: what one sentence adds depends on the others.
DISTINCT: MappingProxyType[str, int] = MappingProxyType({"distinct_1": 1, "distinct_2": 2})
SAMPLES = 1000  # sacrebleu's default
SEED = 12345  # sacrebleu's default
TAIL = 40  # 1/40 of the resamples lie below the interval and 1/40 above it: 95 % inside
BLOCK = 2_000_000  # sentences drawn at once, over all resamples of a block


@dataclass(frozen=True)
class Interval:
    """A score with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedDifference:
    """System minus baseline.

    `p_value`: the probability of a difference this large, either way, between two equally good systems.
    """

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """The counts from which the scores of a test set are computed. `statistics(a, b) + statistics(c, d)` counts all
    sentences of both.
    """

    names: tuple[str, ...]
    hypotheses: tuple[str, ...]
    rows: Mapping[str, Floats]  # name -> (sentences, counts), except the names in DISTINCT

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __add__(self, other: Statistics) -> Statistics:
        if self.names != other.names:
            raise ValueError(f"{self.names} and {other.names} cannot be added")
        rows = {name: np.concatenate([mine, other.rows[name]]) for name, mine in self.rows.items()}
        return Statistics(self.names, self.hypotheses + other.hypotheses, rows)

    def scores(self) -> dict[str, Score]:
        """Corpus scores of all sentences, equal to those of METRICS and MEASURES to the last digit."""
        return {name: Score(self._score(name), signature(name)) for name in self.names}

    def _score(self, name: str) -> float:
        if name in DISTINCT:
            return ALL[name].compute(self.hypotheses, ()).value
        return TALLIES[name].score([sum(column) for column in self.rows[name].T.tolist()])

    def resampled(self, *, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Floats]:
        """Each score of `samples` bootstrap resamples: name -> (samples,). The same seed draws the same sentences."""
        distinct = {
            name: _Grams.of(self.hypotheses, DISTINCT[name])
            for name in self.names
            if name in DISTINCT
        }
        found: dict[str, list[Floats]] = {name: [] for name in self.names}
        for counts in draws(len(self), samples, seed):
            for name in self.names:
                found[name].append(
                    distinct[name].shares(counts)
                    if name in distinct
                    else _totals(name, counts @ self.rows[name])
                )
        return {name: np.concatenate(blocks) for name, blocks in found.items()}

    def intervals(self, *, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Interval]:
        """95 % bootstrap percentile intervals (Koehn 2004; Efron & Tibshirani 1993, chapter 13).

        A resample has fewer distinct sentences than the test set, hence always fewer distinct n-grams: the intervals of
        those scores are shifted so that the mean of the resamples is the score.
        """
        scores = self.scores()
        drawn = self.resampled(samples=samples, seed=seed)
        return {
            name: Interval(score.value, *_bounds(name, score.value, drawn[name]))
            for name, score in scores.items()
        }

    def paired(
        self, baseline: Statistics, *, samples: int = SAMPLES, seed: int = SEED
    ) -> dict[str, PairedDifference]:
        """Paired bootstrap: this system minus a baseline, on the same resampled sentences (Koehn 2004).

        Raises ValueError if the two have different numbers of sentences or different scores.
        """
        if len(self) != len(baseline) or self.names != baseline.names:
            raise ValueError(
                f"{len(self)} sentences with {self.names} cannot be paired with {len(baseline)} with {baseline.names}"
            )
        ours = self.scores()
        theirs = baseline.scores()
        drawn, others = (one.resampled(samples=samples, seed=seed) for one in (self, baseline))
        return {
            name: _paired(name, ours[name].value - theirs[name].value, drawn[name] - others[name])
            for name in self.names
        }


def statistics(
    hypotheses: Texts, references: Texts, *, names: Sequence[str] = tuple(ALL)
) -> Statistics:
    """Counts every sentence for the named scores.

    Raises ValueError for an unknown name, sides of unequal length, or no sentences.
    """
    if unknown := [name for name in names if name not in ALL]:
        raise ValueError(f"unknown scores {unknown}; choose from {[*ALL]}")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses do not match {len(references)} references")
    if not hypotheses:
        raise ValueError("there are no sentences to score")
    counted = {
        name: TALLIES[name].rows(hypotheses, references) for name in names if name not in DISTINCT
    }
    rows = {name: np.array(found, np.float64) for name, found in counted.items()}
    return Statistics(tuple(names), tuple(hypotheses), rows)


def intervals(
    hypotheses: Texts,
    references: Texts,
    *,
    names: Sequence[str] = tuple(ALL),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[str, Interval]:
    """See `Statistics.intervals`."""
    return statistics(hypotheses, references, names=names).intervals(samples=samples, seed=seed)


def paired(
    system: Texts,
    baseline: Texts,
    references: Texts,
    *,
    names: Sequence[str] = tuple(ALL),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[str, PairedDifference]:
    """See `Statistics.paired`."""
    ours, theirs = (statistics(texts, references, names=names) for texts in (system, baseline))
    return ours.paired(theirs, samples=samples, seed=seed)


@cache
def signature(name: str) -> str:
    """How a corpus score is computed; it does not depend on the texts."""
    return ALL[name].compute(("a",), ("a",)).signature


def draws(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each resample contains each of n sentences, in blocks of (samples, sentences).

    The same seed gives the same draws.
    """
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // n)
    for start in range(0, samples, step):
        n_rows = min(step, samples - start)
        cells = rng.choice(n, size=(n_rows, n), replace=True) + np.arange(0, n_rows * n, n)[:, None]
        yield np.bincount(cells.ravel(), minlength=n_rows * n).reshape(n_rows, n).astype(np.float64)


def _totals(name: str, sums: Floats) -> Floats:
    """(samples, counts) -> (samples,)."""
    return np.array([TALLIES[name].score(row) for row in sums.tolist()])


@dataclass(frozen=True, eq=False)
class _Grams:
    """The n-grams of each sentence: those of one sentence only are counted, the shared ones are indexed by sentence."""

    totals: Floats  # (sentences,) n-grams, repeats included
    unshared: Floats  # (sentences,) distinct n-grams that no other sentence has
    owners: npt.NDArray[
        np.intp
    ]  # sentences that have the first shared n-gram, then the second, ...
    starts: npt.NDArray[np.intp]  # index in `owners` at which each shared n-gram begins

    @classmethod
    def of(cls, texts: Sequence[str], n: int) -> _Grams:
        sentences: dict[tuple[str, ...], list[int]] = {}  # n-gram -> the sentences that have it
        found = [grams(text, n) for text in texts]
        for i, sentence_grams in enumerate(found):
            for gram in set(sentence_grams):
                sentences.setdefault(gram, []).append(i)
        shared = [owners for owners in sentences.values() if len(owners) > 1]
        alone = [owners[0] for owners in sentences.values() if len(owners) == 1]
        return cls(
            totals=np.array([*map(len, found)], np.float64),
            unshared=np.bincount(alone, minlength=len(texts)).astype(np.float64),
            owners=np.array([*chain.from_iterable(shared)], np.intp),
            starts=np.cumsum([0, *map(len, shared)])[:-1],
        )

    def shares(self, counts: Floats) -> Floats:
        """Distinct n-grams as a percentage of all: (samples, sentences) -> (samples,)."""
        is_drawn = counts > 0
        n_distinct = is_drawn @ self.unshared
        if len(self.starts):
            n_distinct = n_distinct + np.logical_or.reduceat(
                is_drawn[:, self.owners], self.starts, axis=1
            ).sum(1)
        totals = counts @ self.totals
        shares: Floats = 100 * np.divide(
            n_distinct, totals, out=np.zeros_like(totals), where=totals > 0
        )
        return shares


def _bounds(name: str, value: float, drawn: Floats) -> tuple[float, float]:
    shift = value - float(drawn.mean()) if name in DISTINCT else 0.0
    ordered = np.sort(drawn)
    tail = len(drawn) // TAIL
    return float(ordered[tail]) + shift, float(ordered[-1 - tail]) + shift


def _paired(name: str, difference: float, drawn: Floats) -> PairedDifference:
    """The p-value as sacrebleu and Moses define it, except that it is 1 (sacrebleu: the smallest) if no resample
    separates the two.
    """
    sizes = np.abs(drawn)
    n_larger = int((sizes - sizes.mean() > abs(difference)).sum()) if sizes.any() else len(sizes)
    return PairedDifference(
        difference, *_bounds(name, difference, drawn), (n_larger + 1) / (len(sizes) + 1)
    )
