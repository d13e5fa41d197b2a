"""Sufficient statistics of corpus scores: one row of counts per sentence, whose sums give the score.

Knows nothing of resampling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from s2s.scores import corpus_scores
from s2s.scores.corpus_scores import Floats
from s2s.scores.measures import ratio, repeated, word_counts
from s2s.scores.metrics import is_any_exact, rouge_each, sacre, streams
from s2s.scores.one_form import References, Texts
from s2s.scores.scoring import Scoring

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

Counts = Sequence[float]


@dataclass(frozen=True)
class Tally:
    """How one score is counted: `rows` counts each sentence by itself;

    `score` turns the summed rows of some sentences into their corpus score, `scores` many such sums at once.
    """

    rows: Callable[[Texts, References], Sequence[Counts]]
    score: Callable[[Counts], float]
    scores: Callable[[Floats], Floats]  # (samples, counts) -> (samples,)


@cache
def _scorer(name: str, scoring: Scoring) -> SacreMetric:
    return sacre(name, scoring)


def _sacre_rows(
    name: str, scoring: Scoring, hypotheses: Texts, references: References
) -> Sequence[Counts]:
    rows: Sequence[Counts] = sacre(name, scoring)._extract_corpus_statistics(
        list(hypotheses), streams(references)
    )
    return rows


def _sacre_score(name: str, scoring: Scoring, sums: Counts) -> float:
    return float(_scorer(name, scoring)._compute_score_from_stats(list(sums)).score)


def _sacrebleu(name: str, scoring: Scoring, scores: Callable[[Floats], Floats]) -> Tally:
    return Tally(partial(_sacre_rows, name, scoring), partial(_sacre_score, name, scoring), scores)


def _mean(each: Callable[[Texts, References], Sequence[float]]) -> Tally:
    return Tally(
        lambda hypotheses, references: [(value, 1) for value in each(hypotheses, references)],
        lambda sums: 100 * sums[0] / sums[1],
        corpus_scores.mean,
    )


def _exact(hypotheses: Texts, references: References) -> list[float]:
    return [float(is_any_exact(*pair)) for pair in zip(hypotheses, references, strict=True)]


def _repeated(hypotheses: Texts, references: References) -> list[float]:
    return [*map(repeated, hypotheses)]


def _lengths(hypotheses: Texts, references: References) -> Sequence[Counts]:
    return [word_counts(*pair) for pair in zip(hypotheses, references, strict=True)]


SACREBLEU: MappingProxyType[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"bleu": corpus_scores.bleu, "chrf": corpus_scores.chrf, "ter": corpus_scores.ter}
)
ROUGE: MappingProxyType[str, str] = MappingProxyType(
    {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}
)
OTHERS: MappingProxyType[str, Tally] = MappingProxyType(
    {
        "exact_match": _mean(_exact),
        "length_ratio": Tally(_lengths, lambda sums: ratio(*sums), corpus_scores.ratio),
        "repetition": _mean(_repeated),
    }
)


@cache
def tallies(scoring: Scoring) -> MappingProxyType[str, Tally]:
    """The tally of every score that can be computed from sums: how it counts one sentence."""
    counted = {name: _sacrebleu(name, scoring, scores) for name, scores in SACREBLEU.items()}
    rouge = {name: _mean(partial(rouge_each, kind, scoring)) for name, kind in ROUGE.items()}
    return MappingProxyType({**counted, **rouge, **OTHERS})


def sentence_score(name: str, scoring: Scoring) -> Callable[[Counts], float]:
    """The score of one sentence from its counts: BLEU leaves out the n-gram orders that it is too short for."""
    if name == "bleu":
        return partial(_sacre_score, "bleu_sentence", scoring)
    return tallies(scoring)[name].score
