"""One row per sentence of a test set: texts, scores and what makes it worth reading. Knows nothing of screens."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from s2s.analysis.quality_flags import QualityFlag, Texts, find_flags, longest_repeated
from s2s.config import nfc
from s2s.scores import all_sentence_scores, comparable
from s2s.words import MetricName


class Rarest(NamedTuple):
    """The word of a source that is rarest in the training data, and its count there."""

    word: str
    n: int


@dataclass(frozen=True)
class SentenceRow:
    """One sentence of a test set, with its scores. Words are separated by spaces; None means not given."""

    number: int  # in the test set, from 1
    source: str
    reference: str
    hypothesis: str
    # Sentence scores by the keys of METRICS, and those given for other metrics.
    scores: Mapping[str, float]
    # Words of a hypothesis, by the lengths of this test set; None for an empty source.
    expected: float | None
    log_prob: float | None  # nats, the model's own sum
    score: float | None  # what the strategy ranks by
    rarest: Rarest | None
    # The longest sequence of words that occurs twice in the hypothesis, "" without one.
    repeated: str
    flags: tuple[QualityFlag, ...]

    @property
    def n_source(self) -> int:
        return len(self.source.split())

    @property
    def n_hypothesis(self) -> int:
        return len(self.hypothesis.split())

    @property
    def log_prob_per_word(self) -> float | None:
        """The log-probability per word in nats; `</s>` counts as a word."""
        return None if self.log_prob is None else self.log_prob / (self.n_hypothesis + 1)

    @property
    def length_ratio(self) -> float | None:
        """Words written per word expected; None where none were expected."""
        return self.n_hypothesis / self.expected if self.expected else None


class Sort(NamedTuple):
    """An order of rows. Rows without a key come last, equals in the order of the test set."""

    label: str
    key: Callable[[SentenceRow], float | None]
    is_descending: bool
    about: str


def sentence_rows(
    sources: Sequence[str],
    references: Sequence[str],
    hypotheses: Sequence[str],
    *,
    scored: Sequence[Mapping[str, float]] | None = None,
    log_probs: Sequence[float] | None = None,
    ranked: Sequence[float] | None = None,
    counts: Mapping[str, int] | None = None,
) -> list[SentenceRow]:
    """The rows of a test set; expected lengths are estimated from it. Raises ValueError where lengths differ.

    `scored`: known sentence scores, chrF among them. `ranked`: what the strategy ranks by. `counts`: word -> how
    often it occurs in the training sources. References and hypotheses are compared, and shown, in one form.
    """
    references = [*map(comparable, references)]
    hypotheses = [*map(comparable, hypotheses)]
    ratio = length_ratio(sources, references)
    scored = scored or all_sentence_scores(hypotheses, references)
    texts = [
        Texts(comparable(source), reference, hypothesis, _expected(source, ratio), scores["chrf"])
        for source, reference, hypothesis, scores in zip(
            sources, references, hypotheses, scored, strict=True
        )
    ]
    unknown = [None] * len(texts)
    columns = zip(sources, texts, scored, log_probs or unknown, ranked or unknown, strict=True)
    return [
        SentenceRow(
            number=number,
            source=source,
            reference=each.reference,
            hypothesis=each.hypothesis,
            scores=dict(scores),
            expected=each.expected,
            log_prob=log_prob,
            score=score,
            rarest=None if counts is None else rarest(source, counts),
            repeated=longest_repeated(each.hypothesis),
            flags=find_flags(each),
        )
        for number, (source, each, scores, log_prob, score) in enumerate(columns, 1)
    ]


def length_ratio(sources: Sequence[str], references: Sequence[str]) -> float | None:
    """Median of reference words / source words; None where no pair has words on both sides."""
    lengths = [
        (len(source.split()), len(reference.split()))
        for source, reference in zip(sources, references, strict=True)
    ]
    ratios = [n_ref / n_src for n_src, n_ref in lengths if n_src and n_ref]
    return statistics.median(ratios) if ratios else None


def rarest(source: str, counts: Mapping[str, int]) -> Rarest | None:
    """The rarest word, the first of equals; one that the training data lacks has 0. None for an empty source."""
    words = nfc(source).split()
    counted = [Rarest(word, counts.get(word, 0)) for word in words]
    return min(counted, key=lambda word: word.n, default=None)


def score_gains(
    ours: Sequence[SentenceRow], theirs: Sequence[SentenceRow], metric: MetricName
) -> list[float]:
    """How much better each of our sentences is by a metric. Raises ValueError for different test sets."""
    sign = 1 if metric.better == "higher" else -1
    pairs, other_pairs = ([(row.source, row.reference) for row in rows] for rows in (ours, theirs))
    if pairs != other_pairs:
        raise ValueError("these are rows of two test sets")
    return [
        sign * (row.scores[metric.key] - other.scores[metric.key])
        for row, other in zip(ours, theirs, strict=True)
    ]


def worst_first(metric: MetricName) -> Sort:
    """The order by the sentence scores of any metric, the worst first."""
    is_descending = metric.better == "lower"
    end = "Highest" if is_descending else "Lowest"
    about = f"The {'higher' if is_descending else 'lower'}, the worse."
    return Sort(f"{end} {metric.label}", _by_score(metric.key), is_descending, about)


def sort_rows(
    rows: Iterable[SentenceRow], order: Sort, *, is_reversed: bool = False
) -> list[SentenceRow]:
    """The rows sorted by a row of `SORTS` or the like, or in reverse."""
    sign = -1 if order.is_descending != is_reversed else 1

    def rank(row: SentenceRow) -> tuple[bool, float]:
        key = order.key(row)
        return key is None, sign * (key or 0.0)

    return sorted(rows, key=rank)


def _expected(source: str, ratio: float | None) -> float | None:
    return len(source.split()) * ratio if ratio and source.strip() else None


def _by_score(name: str) -> Callable[[SentenceRow], float | None]:
    return lambda row: row.scores.get(name)


def _length_error(row: SentenceRow) -> float | None:
    if row.length_ratio is None:
        return None
    return abs(math.log(row.length_ratio)) if row.length_ratio else math.inf


SORTS: Mapping[str, Sort] = MappingProxyType(
    {
        "number": Sort(
            "Test set order", lambda row: row.number, False, "In the order of the test set."
        ),
        "chrf": Sort(
            "Lowest chrF", _by_score("chrf"), False, "Least like the reference, by characters."
        ),
        "bleu": Sort(
            "Lowest BLEU", _by_score("bleu"), False, "Least like the reference, by word n-grams."
        ),
        "ter": Sort(
            "Highest TER",
            _by_score("ter"),
            True,
            "Most edits needed to turn it into the reference.",
        ),
        "rouge_l": Sort(
            "Lowest ROUGE-L",
            _by_score("rouge_l"),
            False,
            "Fewest words of the reference in the same order.",
        ),
        "log_prob": Sort(
            "Least probable",
            lambda row: row.log_prob_per_word,
            False,
            "Lowest log-probability per word, by the model itself.",
        ),
        "hints": Sort(
            "Most quality flags",
            lambda row: len(row.flags),
            True,
            "Most rules find something suspicious.",
        ),
        "length": Sort(
            "Longest source", lambda row: row.n_source, True, "Sources with the most words."
        ),
        "stretch": Sort(
            "Most unusual length",
            _length_error,
            True,
            "Farthest from the usual length for a source of this length.",
        ),
        "rarest": Sort(
            "Rarest word",
            lambda row: row.rarest and row.rarest.n,
            False,
            "Sources with the word that training saw least.",
        ),
        "repeated": Sort(
            "Longest repetition",
            lambda row: len(row.repeated.split()),
            True,
            "The longest sequence of words that occurs twice.",
        ),
    }
)
