"""Scores of single sentences. Knows nothing of intervals."""

from __future__ import annotations

from s2s.scores.metrics import METRICS, sacre
from s2s.scores.one_form import References, Texts, signed
from s2s.scores.resampling import Statistics, signature, statistics
from s2s.scores.scoring import DEFAULT, Scoring
from s2s.scores.tallies import sentence_score

SENTENCE_METRICS = tuple(METRICS)  # the scores that every sentence has


def sentence_scores(hypothesis: str, reference: str) -> dict[str, float]:
    """A sentence's score by every metric, by its key, 0 to 100 (TER can exceed it); BLEU leaves out the orders that a
    sentence is too short for.
    """
    return all_sentence_scores([hypothesis], [reference])[0]


def all_sentence_scores(hypotheses: Texts, references: References) -> list[dict[str, float]]:
    """The `sentence_scores` of each pair of texts."""
    if not hypotheses:
        return []
    return sentence_scores_of(statistics(hypotheses, references, names=SENTENCE_METRICS))


def sentence_scores_of(counted: Statistics) -> list[dict[str, float]]:
    """The sentence scores of each sentence in `counted`: the names in METRICS for which it holds counts."""
    names = [name for name in counted.names if name in METRICS]
    columns = []
    for name in names:
        score = sentence_score(name, counted.scoring)
        columns.append([score(row) for row in counted.rows[name].tolist()])
    return [dict(zip(names, scores, strict=True)) for scores in zip(*columns, strict=True)]


def sentence_signature(name: str, scoring: Scoring = DEFAULT) -> str:
    """A sentence score's signature; only BLEU's differs from that of its corpus score. `scoring` as in `Statistics`."""
    if name != "bleu":
        return signature(name, scoring)
    metric = sacre("bleu_sentence", scoring.resolved(["a"]))
    metric.sentence_score("a", ["a"])
    return signed(str(metric.get_signature()))
