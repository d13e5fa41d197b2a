"""How much scores depend on the choice of sentences: bootstrap confidence intervals, and paired tests of two systems.

Sentences are counted once; each resample sums their counts. The same seed gives the draws of sacrebleu.
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
from s2s.scores.metrics import METRICS, Metric, Score
from s2s.scores.one_form import References, Texts, all_comparable, all_of
from s2s.scores.scoring import DEFAULT, Scoring
from s2s.scores.tallies import Tally, tallies

Floats = npt.NDArray[np.float64]
ALL: MappingProxyType[str, Metric] = MappingProxyType({**METRICS, **MEASURES})
# No sums: what one sentence adds depends on the others.
DISTINCT: MappingProxyType[str, int] = MappingProxyType({"distinct_1": 1, "distinct_2": 2})
SAMPLES = 1000  # sacrebleu's default
SEED = 12345  # sacrebleu's default
TAIL = 40  # 1/40 of the resamples lie below the interval and 1/40 above it: 95 % inside
SIGNIFICANT = 0.05  # p-value below which a difference is marked, if its interval excludes 0 too
WORD_BITS = 32  # that numpy's generator draws at once
ROUNDING = 1e-9  # differences of scores that are equal but for the order of their sums
BLOCK = 2_000_000  # sentences drawn at once, over all resamples of a block


@dataclass(frozen=True)
class Interval:
    """A score with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedDifference:
    """The score of a system minus that of a baseline.

    `low` and `high`: its 95 % paired bootstrap interval. `p_randomization`: the probability of a difference at least
    this large, in either direction, if each sentence's two outputs could as well have been swapped (approximate
    randomization). `p_value`: sacrebleu's paired bootstrap; for equally good systems it is below 0.05 more often than
    in 5 % of comparisons.
    """

    difference: float
    low: float
    high: float
    p_value: float
    p_randomization: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """The counts from which the scores of a test set are computed. `statistics(a, b) + statistics(c, d)` counts all
    sentences of both.
    """

    names: tuple[str, ...]
    hypotheses: tuple[str, ...]
    rows: Mapping[str, Floats]  # name -> (sentences, counts), except the names in DISTINCT
    scoring: Scoring  # resolved
    n_refs: frozenset[int] = frozenset({1})  # how many references the sentences have

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __add__(self, other: Statistics) -> Statistics:
        if (self.names, self.scoring) != (other.names, other.scoring):
            raise ValueError(f"{self.names} and {other.names} cannot be added")
        rows = {name: np.concatenate([mine, other.rows[name]]) for name, mine in self.rows.items()}
        texts = self.hypotheses + other.hypotheses
        return Statistics(self.names, texts, rows, self.scoring, self.n_refs | other.n_refs)

    @property
    def tallies(self) -> Mapping[str, Tally]:
        return tallies(self.scoring)

    def scores(self) -> dict[str, Score]:
        """Corpus scores of all sentences, equal to those of METRICS and MEASURES to the last digit."""
        return {
            name: Score(self._score(name), signature(name, self.scoring, self.n_refs))
            for name in self.names
        }

    def _score(self, name: str) -> float:
        if name in DISTINCT:
            return ALL[name].compute(self.hypotheses, ()).value
        return self.tallies[name].score([sum(column) for column in self.rows[name].T.tolist()])

    def resampled(self, *, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Floats]:
        """Each score of `samples` bootstrap resamples: name -> (samples,). The same seed draws the same sentences."""
        of_names = [name for name in self.names if name in DISTINCT]
        distinct = {name: _Grams.of(self.hypotheses, DISTINCT[name]) for name in of_names}
        found: dict[str, list[Floats]] = {name: [] for name in self.names}
        for counts in draws(len(self), samples, seed):  # (samples, sentences)
            for name, blocks in found.items():
                if name in distinct:
                    blocks.append(distinct[name].shares(counts))
                else:
                    sums = counts @ self.rows[name]  # (samples, columns)
                    blocks.append(self.tallies[name].scores(sums))
        return {name: np.concatenate(blocks) for name, blocks in found.items()}

    def intervals(self, *, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Interval]:
        """95 % bootstrap percentile intervals (Koehn 2004; Efron & Tibshirani 1993, chapter 13).

        A resample has fewer distinct sentences than the test set, hence always fewer distinct n-grams: the intervals of
        those scores are shifted so that the mean of the resamples is the score.
        """
        scores = self.scores()
        drawn = self.resampled(samples=samples, seed=seed)
        return {
            name: Interval(score.value, *bounds(name, score.value, drawn[name]))
            for name, score in scores.items()
        }

    def paired(
        self, baseline: Statistics, *, samples: int = SAMPLES, seed: int = SEED
    ) -> dict[str, PairedDifference]:
        """This system minus a baseline: paired bootstrap (Koehn 2004) and approximate randomization (Riezler & Maxwell
        2005).

        Raises ValueError if the two have different numbers of sentences, different scores, or different signatures.
        """
        if len(self) != len(baseline) or self.names != baseline.names:
            raise ValueError(
                f"{len(self)} sentences with {self.names} cannot be paired with {len(baseline)} with {baseline.names}"
            )
        if (self.scoring, self.n_refs) != (baseline.scoring, baseline.n_refs):
            raise ValueError(
                f"scores counted by {self.scoring} cannot be paired with scores counted by {baseline.scoring}"
            )
        ours = self.scores()
        theirs = baseline.scores()
        our_draws = self.resampled(samples=samples, seed=seed)
        their_draws = baseline.resampled(samples=samples, seed=seed)
        swapped = self._swapped(baseline, samples=samples, seed=seed)
        found = {}
        for name in self.names:
            difference = ours[name].value - theirs[name].value
            drawn = our_draws[name] - their_draws[name]
            found[name] = paired_difference(name, difference, drawn, swapped[name])
        return found

    def _swapped(self, baseline: Statistics, *, samples: int, seed: int) -> dict[str, Floats]:
        both = self.hypotheses + baseline.hypotheses
        distinct = {
            name: _Grams.of(both, DISTINCT[name]) for name in self.names if name in DISTINCT
        }
        found: dict[str, list[Floats]] = {name: [] for name in self.names}
        for is_swapped in swaps(len(self), samples, seed):
            for name in self.names:
                if name in distinct:
                    ours = distinct[name].shares(np.hstack([1 - is_swapped, is_swapped]))
                    theirs = distinct[name].shares(np.hstack([is_swapped, 1 - is_swapped]))
                else:
                    mine = self.rows[name]
                    other = baseline.rows[name]
                    moved = is_swapped @ (other - mine)  # (samples, counts)
                    ours = self.tallies[name].scores(mine.sum(0) + moved)
                    theirs = self.tallies[name].scores(other.sum(0) - moved)
                found[name].append(ours - theirs)
        return {name: np.concatenate(blocks) for name, blocks in found.items()}


def statistics(
    hypotheses: Texts,
    references: References,
    *,
    names: Sequence[str] = tuple(ALL),
    scoring: Scoring = DEFAULT,
) -> Statistics:
    """Counts every sentence for the named scores. Sentences that are counted in parts need a `scoring` that is resolved
    by the references of all.

    Raises ValueError for an unknown name, sides of unequal length, or no sentences.
    """
    if unknown := [name for name in names if name not in ALL]:
        raise ValueError(f"unknown scores {unknown}; choose from {[*ALL]}")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses do not match {len(references)} references")
    if not hypotheses:
        raise ValueError("there are no sentences to score")
    texts, expected = all_comparable(hypotheses, references)
    resolved = scoring.resolved(expected)
    counted = {
        name: tallies(resolved)[name].rows(texts, expected)
        for name in names
        if name not in DISTINCT
    }
    rows = {name: np.array(found, np.float64) for name, found in counted.items()}
    n_refs = frozenset(len(all_of(one)) for one in references)
    return Statistics(tuple(names), tuple(texts), rows, resolved, n_refs)


def intervals(
    hypotheses: Texts,
    references: References,
    *,
    names: Sequence[str] = tuple(ALL),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[str, Interval]:
    """Intervals of the scores of hypotheses; see `Statistics.intervals`."""
    return statistics(hypotheses, references, names=names).intervals(samples=samples, seed=seed)


def paired(
    system: Texts,
    baseline: Texts,
    references: References,
    *,
    names: Sequence[str] = tuple(ALL),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[str, PairedDifference]:
    """Differences of a system's scores from a baseline's; see `Statistics.paired`."""
    ours, theirs = (statistics(texts, references, names=names) for texts in (system, baseline))
    return ours.paired(theirs, samples=samples, seed=seed)


@cache
def signature(
    name: str, scoring: Scoring = DEFAULT, n_refs: frozenset[int] = frozenset({1})
) -> str:
    """A corpus score's signature: how it is computed. Of the texts it depends on the numbers of references only."""
    references = [["a"] * n for n in sorted(n_refs)]
    return ALL[name].compute(["a"] * len(references), references, scoring).signature


def draws(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each resample contains each of n sentences, in blocks of (samples, sentences).

    The same seed gives the same draws.
    """
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // n)
    for start in range(0, samples, step):
        n_rows = min(step, samples - start)
        first_cells = np.arange(0, n_rows * n, n)[:, None]  # (samples, 1)
        cells = rng.choice(n, size=(n_rows, n), replace=True) + first_cells
        counts = np.bincount(cells.ravel(), minlength=n_rows * n)
        yield counts.reshape(n_rows, n).astype(np.float64)


def swaps(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """Which of n sentences swap their two outputs, each with probability 1/2: blocks of (samples, sentences), 0 or 1.

    The same seed gives the same swaps, in blocks of any size: those are multiples of numpy's 32 bits.
    """
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // n // WORD_BITS) * WORD_BITS
    for start in range(0, samples, step):
        n_rows = min(step, samples - start)
        yield rng.integers(2, size=(n_rows, n), dtype=np.bool_).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Grams:
    totals: Floats  # (sentences,) n-grams, repeats included
    unshared: Floats  # (sentences,) distinct n-grams that no other sentence has
    # Sentences that have the first shared n-gram, then the second, ...
    owners: npt.NDArray[np.intp]
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
            is_owner_drawn = is_drawn[:, self.owners]
            is_shared_drawn = np.logical_or.reduceat(is_owner_drawn, self.starts, axis=1)
            n_distinct = n_distinct + is_shared_drawn.sum(1)
        totals = counts @ self.totals
        shares = np.zeros_like(totals)
        np.divide(n_distinct, totals, out=shares, where=totals > 0)
        return 100 * shares


def differs(pair: Mapping[str, float]) -> bool:
    """Whether a PairedDifference, as a mapping, is significant: its interval excludes 0 and the randomization test
    agrees.

    Evaluations of earlier versions have the interval alone.
    """
    excludes_zero = pair["low"] > 0 or pair["high"] < 0
    return excludes_zero and pair.get("p_randomization", 0.0) < SIGNIFICANT


def bounds(name: str, value: float, drawn: Floats) -> tuple[float, float]:
    """The ends of the 95 % interval of a score whose resamples are `drawn`."""
    shift = value - float(drawn.mean()) if name in DISTINCT else 0.0
    ordered = np.sort(drawn)
    tail = len(drawn) // TAIL
    return float(ordered[tail]) + shift, float(ordered[-1 - tail]) + shift


def paired_difference(
    name: str, difference: float, drawn: Floats, swapped: Floats
) -> PairedDifference:
    """A paired difference from the differences of the resamples, `drawn`, and of random swaps.

    sacrebleu's p-value, except that it is 1 (sacrebleu: the smallest) if no resample separates the two.
    """
    sizes = np.abs(drawn)
    n_larger = len(sizes)
    if sizes.any():
        n_larger = int((sizes - sizes.mean() > abs(difference)).sum())
    n_extreme = int((np.abs(swapped) >= abs(difference) - ROUNDING).sum())
    return PairedDifference(
        difference,
        *bounds(name, difference, drawn),
        p_value=(n_larger + 1) / (len(sizes) + 1),
        p_randomization=(n_extreme + 1) / (len(swapped) + 1),
    )
