"""How the scores of one sentence are counted, step by step, as plain data for people to follow. The arithmetic is its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

# sacrebleu's defaults (Papineni et al. 2002; Popović 2015)
BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2


@dataclass(frozen=True)
class NGram:
    """A run of tokens, parted by blanks, or of characters; how often each side has it."""

    text: str
    n_hypothesis: int
    n_reference: int

    @property
    def n_shared(self) -> int:
        """What counts: no more often than the reference has it (clipped)."""
        return min(self.n_hypothesis, self.n_reference)


@dataclass(frozen=True)
class NGramCounts:
    """All runs of `n` that the hypothesis has, then those of the reference alone."""

    n: int
    grams: tuple[NGram, ...]

    @classmethod
    def of(cls, n: int, hypothesis: Iterable[str], reference: Iterable[str]) -> NGramCounts:
        """From the runs of each side, repeats included."""
        ours = Counter(hypothesis)
        theirs = Counter(reference)
        return cls(n, tuple(NGram(gram, ours[gram], theirs[gram]) for gram in ours | theirs))

    @cached_property
    def n_hypothesis(self) -> int:
        """Runs of the hypothesis."""
        return sum(gram.n_hypothesis for gram in self.grams)

    @cached_property
    def n_reference(self) -> int:
        """Runs of the reference."""
        return sum(gram.n_reference for gram in self.grams)

    @cached_property
    def n_shared(self) -> int:
        """Runs of the hypothesis that the reference has."""
        return sum(gram.n_shared for gram in self.grams)

    @property
    def precision(self) -> float:
        """Percent of the hypothesis' runs; 0 without any."""
        return _percent(self.n_shared, self.n_hypothesis)

    @property
    def recall(self) -> float:
        """Percent of the reference's runs; 0 without any."""
        return _percent(self.n_shared, self.n_reference)

    @property
    def f1(self) -> float:
        """The harmonic mean of both: what ROUGE-1 and ROUGE-2 are."""
        return _f(self.precision, self.recall, 1)


@dataclass(frozen=True)
class Bleu:
    """Sentence BLEU: as many orders as the hypothesis is long enough for, at most four."""

    hypothesis: tuple[str, ...]  # tokens, as mteval-v13a cuts
    reference: tuple[str, ...]
    orders: tuple[NGramCounts, ...]

    @cached_property
    def precisions(self) -> tuple[float, ...]:
        """Percent, of each order; the first order without a match counts as half a match, the next as a quarter (Chen & Cherry 2014, 3)."""
        found = list[float]()
        smoothed = 1.0
        for order in self.orders:
            smoothed = smoothed if order.n_shared else smoothed / 2
            found.append(_percent(order.n_shared or smoothed, order.n_hypothesis))
        return tuple(found)

    @property
    def brevity_penalty(self) -> float:
        """1, or less where the hypothesis is the shorter: e ** (1 - reference / hypothesis)."""
        ours = len(self.hypothesis)
        theirs = len(self.reference)
        if ours >= theirs:
            return 1.0
        return math.exp(1 - theirs / ours) if ours else 0.0

    @property
    def score(self) -> float:
        """0 to 100: the penalty times the geometric mean of the precisions; 0 where nothing matches."""
        if not any(order.n_shared for order in self.orders):
            return 0.0
        return self.brevity_penalty * math.exp(
            sum(map(math.log, self.precisions)) / len(self.precisions)
        )

    @property
    def arithmetic(self) -> str:
        """`"0.882 × (80.0 × 50.0) ^ (1/2) = 55.8"`."""
        product = " × ".join(f"{precision:.1f}" for precision in self.precisions) or "0.0"
        return f"{self.brevity_penalty:.3f} × ({product}) ^ (1/{max(1, len(self.precisions))}) = {self.score:.1f}"


@dataclass(frozen=True)
class Chrf:
    """Characters without blanks; orders that only one side is long enough for do not count."""

    orders: tuple[NGramCounts, ...]

    @property
    def used(self) -> tuple[NGramCounts, ...]:
        """The orders that count."""
        return tuple(order for order in self.orders if order.n_hypothesis and order.n_reference)

    @property
    def precision(self) -> float:
        """Percent, mean over the orders."""
        return _percent(sum(order.precision for order in self.used), 100 * len(self.used))

    @property
    def recall(self) -> float:
        """Percent, mean over the orders."""
        return _percent(sum(order.recall for order in self.used), 100 * len(self.used))

    @property
    def score(self) -> float:
        """0 to 100: F with recall twice as weighty as precision."""
        return _f(self.precision, self.recall, CHRF_BETA)

    @property
    def arithmetic(self) -> str:
        """`"5 × 60.0 × 50.0 / (4 × 60.0 + 50.0) = 51.7"`."""
        factor = CHRF_BETA**2
        precision = f"{self.precision:.1f}"
        recall = f"{self.recall:.1f}"
        return f"{1 + factor} × {precision} × {recall} / ({factor} × {precision} + {recall}) = {self.score:.1f}"


@dataclass(frozen=True)
class Subsequence:
    """ROUGE-L: the longest common subsequence; `in_hypothesis` and `in_reference` are the places (from 0) of its words."""

    hypothesis: tuple[str, ...]  # lower case, split on blanks
    reference: tuple[str, ...]
    in_hypothesis: tuple[int, ...]
    in_reference: tuple[int, ...]

    @property
    def precision(self) -> float:
        """Percent of the hypothesis' words."""
        return _percent(len(self.in_hypothesis), len(self.hypothesis))

    @property
    def recall(self) -> float:
        """Percent of the reference's words."""
        return _percent(len(self.in_reference), len(self.reference))

    @property
    def score(self) -> float:
        """0 to 100, F1."""
        return _f(self.precision, self.recall, 1)


def bleu(hypothesis: str, reference: str) -> Bleu:
    """Counts what sacrebleu counts: clipped runs of one to four tokens."""
    from sacrebleu.metrics.bleu import BLEU

    tokenize = BLEU().tokenizer
    ours, theirs = (tuple(tokenize(text.rstrip()).split()) for text in (hypothesis, reference))
    orders = (NGramCounts.of(n, _runs(ours, n), _runs(theirs, n)) for n in range(1, BLEU_ORDER + 1))
    return Bleu(ours, theirs, tuple(order for order in orders if order.n_hypothesis))


def chrf(hypothesis: str, reference: str) -> Chrf:
    """Runs of one to six characters."""
    ours, theirs = ("".join(text.split()) for text in (hypothesis, reference))
    return Chrf(
        tuple(
            NGramCounts.of(n, _runs(ours, n, ""), _runs(theirs, n, ""))
            for n in range(1, CHRF_ORDER + 1)
        )
    )


def rouge(hypothesis: str, reference: str, n: int) -> NGramCounts:
    """ROUGE-n: runs of words in lower case; the score is its `f1`."""
    return NGramCounts.of(
        n, _runs(hypothesis.lower().split(), n), _runs(reference.lower().split(), n)
    )


def rouge_l(hypothesis: str, reference: str) -> Subsequence:
    """One of the longest common subsequences; where several are, the one that comes first in the hypothesis."""
    ours = hypothesis.lower().split()
    theirs = reference.lower().split()
    lengths = _common(ours, theirs)
    pairs = list[tuple[int, int]]()
    i = 0
    j = 0
    while lengths[i][j]:
        if ours[i] == theirs[j]:
            pairs.append((i, j))
            i = i + 1
            j = j + 1
        elif lengths[i][j + 1] >= lengths[i + 1][j]:
            j += 1
        else:
            i += 1
    return Subsequence(
        tuple(ours), tuple(theirs), tuple(i for i, _ in pairs), tuple(j for _, j in pairs)
    )


def _common(ours: Sequence[str], theirs: Sequence[str]) -> list[list[int]]:
    """Of the words from i and from j on, the length of the longest common subsequence: (ours + 1) x (theirs + 1)."""
    lengths = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            lengths[i][j] = (
                1 + lengths[i + 1][j + 1]
                if ours[i] == theirs[j]
                else max(lengths[i + 1][j], lengths[i][j + 1])
            )
    return lengths


def _runs(tokens: Sequence[str], n: int, blank: str = " ") -> Iterable[str]:
    return (blank.join(tokens[place : place + n]) for place in range(len(tokens) - n + 1))


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _f(precision: float, recall: float, beta: int) -> float:
    below = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / below if below else 0.0
