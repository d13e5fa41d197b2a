"""One row a sentence of a test set: what stands there, its scores, and what makes it worth a look. Knows nothing of screens."""

from __future__ import annotations

import math
import statistics
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from s2s.analysis.hints import RULES, Hint, Texts, hints, longest_repeated
from s2s.scores import METRICS
from s2s.scores.sentence import all_sentence_scores


class Rarest(NamedTuple):
    """The word of a source that the training text has least often, and how often."""

    word: str
    n: int


@dataclass(frozen=True)
class Row:
    """A sentence. Words are what stands between blanks; None is what was not given."""

    number: int  # in the test set, from 1
    source: str
    reference: str
    hypothesis: str
    scores: Mapping[str, float]  # sentence scores by the keys of METRICS
    expected: (
        float | None
    )  # words of a hypothesis, going by the references of this test set; None for an empty source
    log_prob: float | None  # nats, the model's own sum
    score: float | None  # what the strategy ranks by
    rarest: Rarest | None
    repeated: str  # the longest run of words that stands in the hypothesis again, "" without one
    hints: tuple[Hint, ...]

    @property
    def n_source(self) -> int:
        """Words."""
        return len(self.source.split())

    @property
    def n_hypothesis(self) -> int:
        """Words."""
        return len(self.hypothesis.split())

    @property
    def log_prob_per_word(self) -> float | None:
        """Nats; the end counts as a word."""
        return None if self.log_prob is None else self.log_prob / (self.n_hypothesis + 1)

    @property
    def stretch(self) -> float | None:
        """Words for one expected; None where none were."""
        return self.n_hypothesis / self.expected if self.expected else None

    def hints_at(self, kind: str) -> tuple[Hint, ...]:
        """Those of one kind: "omission" or "hallucination"."""
        return tuple(hint for hint in self.hints if RULES[hint.rule].kind == kind)

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The opposite of `to_json`."""
        rarest = Rarest(*content["rarest"]) if content["rarest"] else None
        return cls(
            **{
                **content,
                "rarest": rarest,
                "hints": tuple(Hint(*hint) for hint in content["hints"]),
            }
        )


class Sort(NamedTuple):
    """An order of rows, what is worth a look first; rows without a key come last, and equals as in the test set."""

    label: str
    key: Callable[[Row], float | None]
    is_descending: bool
    about: str


def rows(
    sources: Sequence[str],
    references: Sequence[str],
    hypotheses: Sequence[str],
    *,
    scored: Sequence[Mapping[str, float]] | None = None,
    log_probs: Sequence[float] | None = None,
    ranked: Sequence[float] | None = None,
    counts: Mapping[str, int] | None = None,
) -> list[Row]:
    """Of a whole test set, whose lengths say what is to be expected. Raises ValueError where lengths differ.

    `scored` are sentence scores, where they are known, chrF among them; `ranked` is what the strategy ranks by; `counts`: word -> how often
    the training sources have it.
    """
    ratio = length_ratio(sources, references)
    nothing = [None] * len(sources)
    read = zip(
        sources,
        references,
        hypotheses,
        scored or all_sentence_scores(hypotheses, references),
        strict=True,
    )
    told = zip(log_probs or nothing, ranked or nothing, strict=True)
    found = list[Row]()
    for (source, reference, hypothesis, scores), (log_prob, score) in zip(read, told, strict=True):
        texts = Texts(source, reference, hypothesis, _expected(source, ratio), scores["chrf"])
        found.append(
            _row(
                texts, scores, number=len(found) + 1, log_prob=log_prob, score=score, counts=counts
            )
        )
    return found


def length_ratio(sources: Sequence[str], references: Sequence[str]) -> float | None:
    """Words of a reference for one of its source, in the median; None where no pair has words on both sides."""
    lengths = [
        (len(source.split()), len(reference.split()))
        for source, reference in zip(sources, references, strict=True)
    ]
    ratios = [theirs / ours for ours, theirs in lengths if ours and theirs]
    return statistics.median(ratios) if ratios else None


def rarest(source: str, counts: Mapping[str, int]) -> Rarest | None:
    """The first of equals; a word that the training text lacks has 0. None for an empty source."""
    words = unicodedata.normalize("NFC", source).split()
    return min(
        (Rarest(word, counts.get(word, 0)) for word in words), key=lambda one: one.n, default=None
    )


def gap(ours: Sequence[Row], theirs: Sequence[Row], score: str) -> list[float]:
    """By how much each of our sentences is the better one by a score of METRICS. Raises ValueError for other sentences."""
    sign = 1 if METRICS[score].is_higher_better else -1
    if [(row.source, row.reference) for row in ours] != [
        (row.source, row.reference) for row in theirs
    ]:
        raise ValueError("these are rows of two test sets")
    return [
        sign * (row.scores[score] - other.scores[score])
        for row, other in zip(ours, theirs, strict=True)
    ]


def ordered(found: Iterable[Row], sort: str, *, is_reversed: bool = False) -> list[Row]:
    """By a row of `SORTS`, or the other way round."""
    order = SORTS[sort]
    sign = -1 if order.is_descending != is_reversed else 1
    keyed = [(order.key(row), row) for row in found]
    return [
        row for _, row in sorted(keyed, key=lambda pair: (pair[0] is None, sign * (pair[0] or 0.0)))
    ]


def _row(
    texts: Texts,
    scores: Mapping[str, float],
    *,
    number: int,
    log_prob: float | None,
    score: float | None,
    counts: Mapping[str, int] | None,
) -> Row:
    return Row(
        number=number,
        source=texts.source,
        reference=texts.reference,
        hypothesis=texts.hypothesis,
        scores=dict(scores),
        expected=texts.expected,
        log_prob=log_prob,
        score=score,
        rarest=None if counts is None else rarest(texts.source, counts),
        repeated=longest_repeated(texts.hypothesis),
        hints=hints(texts),
    )


def _expected(source: str, ratio: float | None) -> float | None:
    return len(source.split()) * ratio if ratio and source.strip() else None


def _by_score(name: str) -> Callable[[Row], float | None]:
    return lambda row: row.scores.get(name)


def _off(row: Row) -> float | None:
    return abs(math.log(row.stretch)) if row.stretch else None if row.stretch is None else math.inf


SORTS: Mapping[str, Sort] = MappingProxyType(
    {
        "number": Sort(
            "Test set's order", lambda row: row.number, False, "As the sentences stand in the file."
        ),
        "chrf": Sort(
            "Lowest chrF", _by_score("chrf"), False, "Least like the reference, by characters."
        ),
        "bleu": Sort(
            "Lowest BLEU", _by_score("bleu"), False, "Least like the reference, by runs of words."
        ),
        "ter": Sort(
            "Highest TER", _by_score("ter"), True, "Most edits to make the reference of it."
        ),
        "rouge_l": Sort(
            "Lowest ROUGE-L",
            _by_score("rouge_l"),
            False,
            "Fewest words of the reference, in its order.",
        ),
        "log_prob": Sort(
            "Least probable",
            lambda row: row.log_prob_per_word,
            False,
            "What the model itself found least probable, a word.",
        ),
        "hints": Sort(
            "Most hints",
            lambda row: len(row.hints),
            True,
            "Where most rules see something suspicious.",
        ),
        "length": Sort(
            "Longest source", lambda row: row.n_source, True, "Sources with most words."
        ),
        "stretch": Sort(
            "Strangest length",
            _off,
            True,
            "Farthest from the length that sources of this length usually get.",
        ),
        "rarest": Sort(
            "Rarest word",
            lambda row: row.rarest and row.rarest.n,
            False,
            "Sources with the word seen least in training.",
        ),
        "repeated": Sort(
            "Longest repeat",
            lambda row: len(row.repeated.split()),
            True,
            "The longest run of words that comes again.",
        ),
    }
)
