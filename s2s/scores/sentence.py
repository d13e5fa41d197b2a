"""The scores of one sentence, and of many at once. Knows nothing of intervals."""

from __future__ import annotations

from s2s.scores.metrics import METRICS, Texts
from s2s.scores.resampling import Statistics, signature, statistics
from s2s.scores.tallies import OF_ONE, TALLIES, sacre

SENTENCE_METRICS = tuple(METRICS)  # what every sentence has


def sentence_scores(hypothesis: str, reference: str) -> dict[str, float]:
    """Every metric by its key, 0 to 100, TER also more; BLEU leaves out the orders that a sentence is too short for."""
    return all_sentence_scores([hypothesis], [reference])[0]


def all_sentence_scores(hypotheses: Texts, references: Texts) -> list[dict[str, float]]:
    """The same for each sentence."""
    return (
        sentence_scores_of(statistics(hypotheses, references, names=SENTENCE_METRICS))
        if hypotheses
        else []
    )


def sentence_scores_of(counted: Statistics) -> list[dict[str, float]]:
    """The same from sentences that are counted already: those of METRICS that they were counted for."""
    names = [name for name in counted.names if name in METRICS]
    columns = [
        map(OF_ONE.get(name, TALLIES[name].score), counted.rows[name].tolist()) for name in names
    ]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def sentence_signature(name: str) -> str:
    """How a sentence score is computed; BLEU alone otherwise than for a corpus."""
    if name != "bleu":
        return signature(name)
    metric = sacre("bleu_sentence")
    metric.sentence_score("a", ["a"])
    return str(metric.get_signature())
