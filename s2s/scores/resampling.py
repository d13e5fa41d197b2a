"""How far scores would move with other sentences of the same kind: bootstrap intervals, and paired tests of two systems.

Sentences are counted once; each resample adds their counts up. The draws are those of sacrebleu with the same seed, so that intervals
and p-values are its own, for the scores that it has.
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
DISTINCT = MappingProxyType(
    {"distinct_1": 1, "distinct_2": 2}
)  # no sums: what one sentence adds hangs on the others
SAMPLES = 1000
SEED = 12345  # both are sacrebleu's
TAIL = 40  # one in 40 resamples lies below, one above: 95 % lie between
BLOCK = 2_000_000  # sentences of all resamples at once


@dataclass(frozen=True)
class Interval:
    """A score, and where 95 % of the resamples lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedDifference:
    """System minus baseline. `p_value`: how probable so large a difference, either way, would be between two alike systems."""

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a test set's scores rest on; sets add up: `statistics(a, b) + statistics(c, d)` is that of all sentences in a row."""

    names: tuple[str, ...]
    hypotheses: tuple[str, ...]
    rows: Mapping[str, Floats]  # (sentences, counts) of each name, but for the distinct ones

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __add__(self, other: Statistics) -> Statistics:
        if self.names != other.names:
            raise ValueError(f"{self.names} and {other.names} cannot be added")
        rows = {name: np.concatenate([own, other.rows[name]]) for name, own in self.rows.items()}
        return Statistics(self.names, self.hypotheses + other.hypotheses, rows)

    def scores(self) -> dict[str, Score]:
        """Of all sentences: what METRICS and MEASURES say, to the last digit."""
        return {name: Score(self._score(name), signature(name)) for name in self.names}

    def _score(self, name: str) -> float:
        if name in DISTINCT:
            return ALL[name].compute(self.hypotheses, ()).value
        return TALLIES[name].score([sum(column) for column in self.rows[name].T.tolist()])

    def resampled(self, *, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Floats]:
        """Each score of so many draws of as many sentences, with repeats: (samples,). The same seed draws the same sentences."""
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

        A draw has fewer different sentences than the test set, hence always fewer distinct n-grams: the intervals of
        those are moved so that the draws' mean is the score.
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
        """This system minus a baseline on the same sentences, both drawn alike (Koehn 2004).

        Raises ValueError where they differ in number, or were counted for other scores.
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
    """Counts every sentence for the named scores. Raises ValueError for an unknown name, sides of different lengths, or no sentences."""
    if unknown := [name for name in names if name not in ALL]:
        raise ValueError(f"{unknown} are no scores; there are {[*ALL]}")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses stand beside {len(references)} references")
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
    """How a score is computed; any text gives it."""
    return ALL[name].compute(("a",), ("a",)).signature


def draws(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each resample has each of n sentences, in blocks: (samples, sentences). The same seed draws the same ones."""
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
    """The n-grams of each sentence. Those of one sentence alone are but a number; of the others is known where they stand."""

    totals: Floats  # (sentences,), repeats included
    own: Floats  # (sentences,)
    where: npt.NDArray[np.intp]  # sentences of the first shared n-gram, then of the second, ...
    starts: npt.NDArray[np.intp]  # where those of each shared n-gram begin

    @classmethod
    def of(cls, texts: Sequence[str], n: int) -> _Grams:
        places: dict[tuple[str, ...], list[int]] = {}
        found = [grams(text, n) for text in texts]
        for place, one in enumerate(found):
            for gram in set(one):
                places.setdefault(gram, []).append(place)
        shared = [held for held in places.values() if len(held) > 1]
        own = np.bincount(
            [held[0] for held in places.values() if len(held) == 1], minlength=len(texts)
        ).astype(np.float64)
        starts = np.cumsum([0, *map(len, shared)])[:-1]
        return cls(
            np.array([*map(len, found)], np.float64),
            own,
            np.array([*chain.from_iterable(shared)], np.intp),
            starts,
        )

    def shares(self, counts: Floats) -> Floats:
        """Distinct n-grams in percent of all, (samples, sentences) -> (samples,)."""
        is_drawn = counts > 0
        n_distinct = is_drawn @ self.own
        if len(self.starts):
            n_distinct = n_distinct + np.logical_or.reduceat(
                is_drawn[:, self.where], self.starts, axis=1
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
    """The p-value as sacrebleu and Moses define it; only where no draw tells the two apart it is 1, and not sacrebleu's least."""
    sizes = np.abs(drawn)
    n_larger = int((sizes - sizes.mean() > abs(difference)).sum()) if sizes.any() else len(sizes)
    return PairedDifference(
        difference, *_bounds(name, difference, drawn), (n_larger + 1) / (len(sizes) + 1)
    )
