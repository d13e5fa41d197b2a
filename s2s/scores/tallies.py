"""What a corpus score rests on: a row of numbers a sentence, whose sums give the score of those sentences. Knows nothing of resampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from s2s.scores.measures import ratio, repeated
from s2s.scores.metrics import Texts, is_exact, rouge_each

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Sacre

Row = Sequence[float]


@dataclass(frozen=True)
class Tally:
    """`rows` counts each sentence for itself; `score` makes of the sums of some rows the score of those sentences together."""

    rows: Callable[[Texts, Texts], Sequence[Row]]
    score: Callable[[Row], float]


def sacre(name: str) -> Sacre:
    """sacrebleu's own, with the settings of the metric of that key; `bleu_sentence` scores texts too short for runs of four words."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if name == "chrf":
        return CHRF()
    return TER() if name == "ter" else BLEU(force=True, effective_order=name == "bleu_sentence")


@cache
def _scorer(name: str) -> Sacre:
    """Shared, since to score sums changes nothing in it."""
    return sacre(name)


def _counted(name: str, hypotheses: Texts, references: Texts) -> Sequence[Row]:
    found: Sequence[Row] = sacre(name)._extract_corpus_statistics(
        list(hypotheses), [list(references)]
    )
    return found


def _scored(name: str, sums: Row) -> float:
    return float(_scorer(name)._compute_score_from_stats(list(sums)).score)


def _sacrebleu(name: str) -> Tally:
    return Tally(partial(_counted, name), partial(_scored, name))


def _mean(each: Callable[[Texts, Texts], Sequence[float]]) -> Tally:
    """In percent: 0 to 1 a sentence."""
    return Tally(
        lambda hypotheses, references: [(value, 1) for value in each(hypotheses, references)],
        lambda row: 100 * row[0] / row[1],
    )


def _lengths(hypotheses: Texts, references: Texts) -> Sequence[Row]:
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
        "exact_match": _mean(
            lambda hypotheses, references: [
                float(is_exact(*pair)) for pair in zip(hypotheses, references, strict=True)
            ]
        ),
        "length_ratio": Tally(_lengths, lambda row: ratio(*row)),
        "repetition": _mean(lambda hypotheses, references: [*map(repeated, hypotheses)]),
    }
)
# BLEU of one sentence leaves out the orders that it is too short for.
OF_ONE: MappingProxyType[str, Callable[[Row], float]] = MappingProxyType(
    {"bleu": partial(_scored, "bleu_sentence")}
)
