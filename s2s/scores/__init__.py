"""How good hypotheses are beside their references: scores, their intervals, comparisons of two systems, and how each was counted."""

from s2s.scores.measures import MEASURES
from s2s.scores.metrics import (
    METRICS,
    Metric,
    Score,
    Texts,
    bleu,
    chrf,
    exact_match,
    rouge_1,
    rouge_2,
    rouge_l,
    score_all,
    ter,
)
from s2s.scores.resampling import (
    Interval,
    PairedDifference,
    Statistics,
    intervals,
    paired,
    statistics,
)
from s2s.scores.sentence import SENTENCE_METRICS, sentence_scores

__all__ = [
    "MEASURES",
    "METRICS",
    "SENTENCE_METRICS",
    "Interval",
    "Metric",
    "PairedDifference",
    "Score",
    "Statistics",
    "Texts",
    "bleu",
    "chrf",
    "exact_match",
    "intervals",
    "paired",
    "rouge_1",
    "rouge_2",
    "rouge_l",
    "score_all",
    "sentence_scores",
    "statistics",
    "ter",
]
