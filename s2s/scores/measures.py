"""Properties of hypotheses, right or wrong: length, diversity, repetition. Words are separated by white space."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from s2s.scores.metrics import METRICS, Metric, Score
from s2s.scores.one_form import References, Texts, all_of
from s2s.scores.scoring import Scoring
from s2s.words import NUMBER_NAMES, MetricName

NGram = tuple[str, ...]
# Welleck et al. count 4-grams of long texts. Bigrams, since a sentence of eight words that loops repeats those first.
REPEATED = 2


def grams(text: str, n: int) -> list[NGram]:
    """All n-grams of a text's words: `grams("a b c", 2)` -> `[("a", "b"), ("b", "c")]`."""
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def ratio(n_words: float, n_reference_words: float) -> float:
    """Words per reference word; 0 where the references have no words."""
    return n_words / n_reference_words if n_reference_words else 0.0


def repeated(text: str, n: int = REPEATED) -> float:
    """Fraction of a text's n-grams that already occurred in it; 0 without any (Welleck et al. 2020, seq-rep-n)."""
    found = grams(text, n)
    return 1 - len(set(found)) / len(found) if found else 0.0


def word_counts(hypothesis: str, references: str | Sequence[str]) -> tuple[int, int]:
    """Numbers of words: of the hypothesis, and of the reference closest in length (of equal ones the shorter)."""
    n = len(hypothesis.split())
    lengths = (len(one.split()) for one in all_of(references))
    return n, min(lengths, key=lambda length: (abs(length - n), length))


def _length_ratio(hypotheses: Texts, references: References, _scoring: Scoring) -> Score:
    counts = [word_counts(*pair) for pair in zip(hypotheses, references, strict=True)]
    n_words, n_reference_words = (sum(column) for column in zip(*counts, strict=True))
    return Score(ratio(n_words, n_reference_words), "ratio|tok:spaces|of:corpus")


def _distinct(n: int, hypotheses: Texts, _references: References, _scoring: Scoring) -> Score:
    """Distinct n-grams as a percentage of all n-grams of the hypotheses together (Li et al. 2016)."""
    found = [gram for text in hypotheses for gram in grams(text, n)]
    value = 100 * len(set(found)) / len(found) if found else 0.0
    return Score(value, f"distinct-{n}|case:mixed|tok:spaces|of:corpus")


def _repetition(hypotheses: Texts, _references: References, _scoring: Scoring) -> Score:
    value = 100 * sum(map(repeated, hypotheses)) / len(hypotheses)
    return Score(value, f"seq-rep-{REPEATED}|case:mixed|tok:spaces|mean")


_ROWS = {
    row.key: row
    for row in (
        Metric(
            "length_ratio",
            "Length ratio",
            "words per reference word",
            "Words of the outputs per word of the references; 1 means equally long.",
            count=_length_ratio,
        ),
        Metric(
            "distinct_1",
            "Distinct words",
            "%",
            "Distinct words as a percentage of all words of the outputs; more text of the same kind lowers it.",
            count=partial(_distinct, 1),
            source="Li et al. 2016",
        ),
        Metric(
            "distinct_2",
            "Distinct word pairs",
            "%",
            "Distinct word pairs as a percentage of all word pairs of the outputs.",
            count=partial(_distinct, 2),
            source="Li et al. 2016",
        ),
        Metric(
            "repetition",
            "Repetition",
            "%",
            "Word pairs of an output that already occurred in it, averaged over outputs; loops raise it.",
            "lower",
            count=_repetition,
            source="Welleck et al. 2020",
        ),
    )
}
MEASURES: Mapping[str, Metric] = MappingProxyType(_ROWS)
# of all numbers on the screens
METRIC_NAMES: Mapping[str, MetricName] = MappingProxyType(
    ChainMap(METRICS, MEASURES, NUMBER_NAMES)  # type: ignore[arg-type]  # never written to
)
