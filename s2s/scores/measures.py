"""Properties of hypotheses, right or wrong: length, diversity, repetition. Words are separated by white space."""

from __future__ import annotations

from types import MappingProxyType

from s2s.scores.metrics import Metric, Score, Texts

NGram = tuple[str, ...]
# Welleck et al. count 4-grams of long texts. Bigrams, since a sentence of eight words that loops repeats those first.
REPEATED = 2


def grams(text: str, n: int) -> list[NGram]:
    """`grams("a b c", 2)` -> `[("a", "b"), ("b", "c")]`."""
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def ratio(n_words: float, n_reference_words: float) -> float:
    """0 where the references have no words."""
    return n_words / n_reference_words if n_reference_words else 0.0


def repeated(text: str, n: int = REPEATED) -> float:
    """Fraction of a text's n-grams that already occurred in it; 0 without any (Welleck et al. 2020, seq-rep-n)."""
    found = grams(text, n)
    return 1 - len(set(found)) / len(found) if found else 0.0


def length_ratio(hypotheses: Texts, references: Texts) -> Score:
    """Words of all hypotheses per word of the references."""
    n_words, n_reference_words = (
        sum(len(text.split()) for text in texts) for texts in (hypotheses, references)
    )
    return Score(ratio(n_words, n_reference_words), "ratio|tok:blanks|of:corpus")


def _distinct(n: int, hypotheses: Texts) -> Score:
    """Li et al. 2016: of all hypotheses together."""
    found = [gram for text in hypotheses for gram in grams(text, n)]
    value = 100 * len(set(found)) / len(found) if found else 0.0
    return Score(value, f"distinct-{n}|case:mixed|tok:blanks|of:corpus")


def distinct_1(hypotheses: Texts, references: Texts) -> Score:
    """Distinct words as a percentage of all words of the hypotheses together; references are not used."""
    return _distinct(1, hypotheses)


def distinct_2(hypotheses: Texts, references: Texts) -> Score:
    """Distinct bigrams as a percentage of all bigrams of the hypotheses together; references are not used."""
    return _distinct(2, hypotheses)


def repetition(hypotheses: Texts, references: Texts) -> Score:
    """Percentage of a text's bigrams that already occurred in it, mean over texts; references are not used."""
    value = 100 * sum(map(repeated, hypotheses)) / len(hypotheses)
    return Score(value, f"seq-rep-{REPEATED}|case:mixed|tok:blanks|mean")


MEASURES: MappingProxyType[str, Metric] = MappingProxyType(
    {
        "length_ratio": Metric(length_ratio, ""),
        "distinct_1": Metric(distinct_1, "Li et al. 2016"),
        "distinct_2": Metric(distinct_2, "Li et al. 2016"),
        "repetition": Metric(repetition, "Welleck et al. 2020"),
    }
)
