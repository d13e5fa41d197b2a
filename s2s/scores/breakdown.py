"""How the scores of one sentence are counted, step by step, as plain data.

The arithmetic is independent of the libraries.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from s2s.scores.metrics import rouge_tokenizer
from s2s.scores.one_form import comparable
from s2s.scores.scoring import DEFAULT, Scoring

# sacrebleu's defaults (Papineni et al. 2002; Popović 2015)
BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2


@dataclass(frozen=True)
class NGram:
    """An n-gram of tokens, joined by spaces, or of characters, and how often each side has it."""

    text: str
    n_hypothesis: int
    n_reference: int

    @property
    def n_shared(self) -> int:
        """The clipped count: at most as often as the reference has it."""
        return min(self.n_hypothesis, self.n_reference)


@dataclass(frozen=True)
class NGramCounts:
    """All n-grams of length `n`: those of the hypothesis, then those that only the reference has."""

    n: int
    grams: tuple[NGram, ...]

    @classmethod
    def of(cls, n: int, hypothesis: Iterable[str], reference: Iterable[str]) -> NGramCounts:
        ours = Counter(hypothesis)
        theirs = Counter(reference)
        return cls(n, tuple(NGram(gram, ours[gram], theirs[gram]) for gram in ours | theirs))

    @cached_property
    def n_hypothesis(self) -> int:
        return sum(gram.n_hypothesis for gram in self.grams)

    @cached_property
    def n_reference(self) -> int:
        return sum(gram.n_reference for gram in self.grams)

    @cached_property
    def n_shared(self) -> int:
        return sum(gram.n_shared for gram in self.grams)

    @property
    def precision(self) -> float:
        """Shared n-grams as a percentage of the hypothesis's; 0 without any."""
        return _percent(self.n_shared, self.n_hypothesis)

    @property
    def recall(self) -> float:
        """Shared n-grams as a percentage of the reference's; 0 without any."""
        return _percent(self.n_shared, self.n_reference)

    @property
    def f1(self) -> float:
        return _f(self.precision, self.recall, 1)


@dataclass(frozen=True)
class Bleu:
    """Sentence BLEU, with at most four n-gram orders and no more than the hypothesis has tokens."""

    hypothesis: tuple[str, ...]  # tokens of BLEU's tokenizer
    reference: tuple[str, ...]
    orders: tuple[NGramCounts, ...]

    @cached_property
    def precisions(self) -> tuple[float, ...]:
        """The precision of each order, percent; the first order without a match counts as half a match, the next as a
        quarter (Chen & Cherry 2014, 3).
        """
        precisions = list[float]()
        smoothed = 1.0
        for order in self.orders:
            smoothed = smoothed if order.n_shared else smoothed / 2
            precisions.append(_percent(order.n_shared or smoothed, order.n_hypothesis))
        return tuple(precisions)

    @property
    def brevity_penalty(self) -> float:
        """The penalty: 1, or exp(1 - reference length / hypothesis length) where the hypothesis is shorter."""
        ours = len(self.hypothesis)
        theirs = len(self.reference)
        if ours >= theirs:
            return 1.0
        return math.exp(1 - theirs / ours) if ours else 0.0

    @property
    def score(self) -> float:
        """BLEU, 0 to 100: brevity penalty times the geometric mean of the precisions; 0 where nothing matches."""
        if not any(order.n_shared for order in self.orders):
            return 0.0
        return self.brevity_penalty * math.exp(
            sum(map(math.log, self.precisions)) / len(self.precisions)
        )

    @property
    def arithmetic(self) -> str:
        product = " × ".join(f"{precision:.3g}" for precision in self.precisions) or "0"
        return f"{self.brevity_penalty:.3g} × ({product}) ^ (1/{max(1, len(self.precisions))}) = {self.score:.3g}"


@dataclass(frozen=True)
class Chrf:
    """Sentence chrF over characters without spaces; orders that one side is too short for do not count."""

    orders: tuple[NGramCounts, ...]

    @property
    def used(self) -> tuple[NGramCounts, ...]:
        return tuple(order for order in self.orders if order.n_hypothesis and order.n_reference)

    @property
    def precision(self) -> float:
        return _percent(sum(order.precision for order in self.used), 100 * len(self.used))

    @property
    def recall(self) -> float:
        return _percent(sum(order.recall for order in self.used), 100 * len(self.used))

    @property
    def score(self) -> float:
        """chrF, 0 to 100: F2, which weights recall twice as much as precision."""
        return _f(self.precision, self.recall, CHRF_BETA)

    @property
    def arithmetic(self) -> str:
        factor = CHRF_BETA**2
        precision = f"{self.precision:.3g}"
        recall = f"{self.recall:.3g}"
        return f"{1 + factor} × {precision} × {recall} / ({factor} × {precision} + {recall}) = {self.score:.3g}"


@dataclass(frozen=True)
class Subsequence:
    """The longest common subsequence of two texts, which ROUGE-L scores.

    `in_hypothesis` and `in_reference` are the 0-based positions of its words.
    """

    hypothesis: tuple[str, ...]  # ROUGE's words
    reference: tuple[str, ...]
    in_hypothesis: tuple[int, ...]
    in_reference: tuple[int, ...]

    @property
    def precision(self) -> float:
        """Words of the subsequence as a percentage of the hypothesis's."""
        return _percent(len(self.in_hypothesis), len(self.hypothesis))

    @property
    def recall(self) -> float:
        """Words of the subsequence as a percentage of the reference's."""
        return _percent(len(self.in_reference), len(self.reference))

    @property
    def score(self) -> float:
        """ROUGE-L, 0 to 100: F1."""
        return _f(self.precision, self.recall, 1)


def bleu(hypothesis: str, reference: str, scoring: Scoring = DEFAULT) -> Bleu:
    """Count a sentence's BLEU as sacrebleu does: clipped n-grams of one to four tokens."""
    from sacrebleu.metrics.bleu import BLEU

    scoring = scoring.resolved([reference])
    hypothesis, reference = _cased(hypothesis, scoring), _cased(reference, scoring)
    tokenize = BLEU(tokenize=scoring.tokenize).tokenizer
    ours = tuple(tokenize(hypothesis.rstrip()).split())
    theirs = tuple(tokenize(reference.rstrip()).split())
    orders = []
    for n in range(1, BLEU_ORDER + 1):
        counts = NGramCounts.of(n, _ngrams(ours, n), _ngrams(theirs, n))
        if counts.n_hypothesis:
            orders.append(counts)
    return Bleu(ours, theirs, tuple(orders))


def chrf(hypothesis: str, reference: str, scoring: Scoring = DEFAULT) -> Chrf:
    """Count a sentence's chrF: character n-grams of one to six characters; not the words of chrF++."""
    ours = "".join(_cased(hypothesis, scoring).split())
    theirs = "".join(_cased(reference, scoring).split())
    orders = []
    for n in range(1, CHRF_ORDER + 1):
        orders.append(NGramCounts.of(n, _ngrams(ours, n, ""), _ngrams(theirs, n, "")))
    return Chrf(tuple(orders))


def rouge(hypothesis: str, reference: str, n: int, scoring: Scoring = DEFAULT) -> NGramCounts:
    """Count a sentence's ROUGE-n: n-grams of lower-cased words; the score is `f1`."""
    ours = _rouge_words(hypothesis, scoring)
    theirs = _rouge_words(reference, scoring)
    return NGramCounts.of(n, _ngrams(ours, n), _ngrams(theirs, n))


def rouge_l(hypothesis: str, reference: str, scoring: Scoring = DEFAULT) -> Subsequence:
    """ROUGE-L's longest common subsequence; of several, the one that comes first in the hypothesis."""
    ours = _rouge_words(hypothesis, scoring)
    theirs = _rouge_words(reference, scoring)
    lengths = _subsequence_lengths(ours, theirs)
    pairs = list[tuple[int, int]]()
    i = 0
    j = 0
    while lengths[i][j]:
        if ours[i] == theirs[j]:
            pairs.append((i, j))
            i += 1
            j += 1
        elif lengths[i][j + 1] >= lengths[i + 1][j]:
            j += 1
        else:
            i += 1
    our_positions = tuple(i for i, _ in pairs)
    their_positions = tuple(j for _, j in pairs)
    return Subsequence(tuple(ours), tuple(theirs), our_positions, their_positions)


def _subsequence_lengths(ours: Sequence[str], theirs: Sequence[str]) -> list[list[int]]:
    lengths = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            if ours[i] == theirs[j]:
                lengths[i][j] = 1 + lengths[i + 1][j + 1]
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    return lengths


def _cased(text: str, scoring: Scoring) -> str:
    text = comparable(text)
    return text.lower() if scoring.lowercase else text


def _rouge_words(text: str, scoring: Scoring) -> list[str]:
    return list(rouge_tokenizer(scoring).tokenize(comparable(text)))


def _ngrams(tokens: Sequence[str], n: int, separator: str = " ") -> Iterable[str]:
    return (separator.join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _f(precision: float, recall: float, beta: int) -> float:
    denominator = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / denominator if denominator else 0.0
