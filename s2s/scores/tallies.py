"""Sufficient statistics of corpus scores: one row of counts per sentence, whose sums give the score.

Knows nothing of resampling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from s2s.scores.measures import ratio, repeated
from s2s.scores.metrics import Texts, is_exact, rouge_each, sacre

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

Counts = Sequence[float]


@dataclass(frozen=True)
class Tally:
    """`rows` counts each sentence by itself;

    `score` turns the summed rows of some sentences into their corpus score.
    """

    rows: Callable[[Texts, Texts], Sequence[Counts]]
    score: Callable[[Counts], float]


@cache
def _scorer(name: str) -> SacreMetric:
    """Shared: scoring sums does not change it."""
    return sacre(name)


def _sacre_rows(name: str, hypotheses: Texts, references: Texts) -> Sequence[Counts]:
    rows: Sequence[Counts] = sacre(name)._extract_corpus_statistics(
        list(hypotheses), [list(references)]
    )
    return rows


def _sacre_score(name: str, sums: Counts) -> float:
    return float(_scorer(name)._compute_score_from_stats(list(sums)).score)


def _sacrebleu(name: str) -> Tally:
    return Tally(partial(_sacre_rows, name), partial(_sacre_score, name))


def _mean(each: Callable[[Texts, Texts], Sequence[float]]) -> Tally:
    """The mean of a value from 0 to 1 per sentence, as a percentage."""
    return Tally(
        lambda hypotheses, references: [(value, 1) for value in each(hypotheses, references)],
        lambda sums: 100 * sums[0] / sums[1],
    )


def _exact(hypotheses: Texts, references: Texts) -> list[float]:
    return [float(is_exact(*pair)) for pair in zip(hypotheses, references, strict=True)]


def _repeated(hypotheses: Texts, references: Texts) -> list[float]:
    return [*map(repeated, hypotheses)]


def _lengths(hypotheses: Texts, references: Texts) -> Sequence[Counts]:
    return [
        (len(text.split()), len(reference.split()))
        for text, reference in zip(hypotheses, references, strict=True)
    ]


TALLIES: MappingProxyType[str, Tally] = MappingProxyType(
    {
        "bleu": _sacrebleu("bleu"),
        "chrf": _sacrebleu("chrf"),
        "ter": _sacrebleu("ter"),
        "rouge_1": _mean(partial(rouge_each, "rouge1")),
        "rouge_2": _mean(partial(rouge_each, "rouge2")),
        "rouge_l": _mean(partial(rouge_each, "rougeL")),
        "exact_match": _mean(_exact),
        "length_ratio": Tally(_lengths, lambda sums: ratio(*sums)),
        "repetition": _mean(_repeated),
    }
)
# Where a single sentence is scored differently: BLEU leaves out the n-gram orders that it is too short for.
OF_SENTENCE: MappingProxyType[str, Callable[[Counts], float]] = MappingProxyType(
    {"bleu": partial(_sacre_score, "bleu_sentence")}
)
