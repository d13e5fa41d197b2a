"""What hypotheses are like, whether right or not: their length, how varied they are, how they repeat themselves. Words split on blanks."""

from __future__ import annotations

from types import MappingProxyType

from s2s.scores.metrics import Metric, Score, Texts

Gram = tuple[str, ...]
# The paper counts runs of four words of long texts. Two, since a sentence of eight words that loops shows it in its pairs first.
REPEATED = 2


def grams(text: str, n: int) -> list[Gram]:
    """`grams("a b c", 2)` -> `[("a", "b"), ("b", "c")]`."""
    words = text.split()
    return [tuple(words[place : place + n]) for place in range(len(words) - n + 1)]


def ratio(n_words: float, n_reference_words: float) -> float:
    """0 where the references have no words."""
    return n_words / n_reference_words if n_reference_words else 0.0


def repeated(text: str, n: int = REPEATED) -> float:
    """The share, 0 to 1, of a text's n-grams that stood in it before; 0 for a text without any (Welleck et al. 2020, seq-rep-n)."""
    found = grams(text, n)
    return 1 - len(set(found)) / len(found) if found else 0.0


def length_ratio(hypotheses: Texts, references: Texts) -> Score:
    """Words of all hypotheses for one word of the references."""
    n_words, n_reference_words = (
        sum(len(text.split()) for text in texts) for texts in (hypotheses, references)
    )
    return Score(ratio(n_words, n_reference_words), "ratio|tok:blanks|of:corpus")


def _distinct(n: int, hypotheses: Texts) -> Score:
    found = [gram for text in hypotheses for gram in grams(text, n)]
    return Score(
        100 * len(set(found)) / len(found) if found else 0.0,
        f"distinct-{n}|case:mixed|tok:blanks|of:corpus",
    )


def distinct_1(hypotheses: Texts, references: Texts) -> Score:
    """Distinct words in percent of all words of the hypotheses together; references play no part."""
    return _distinct(1, hypotheses)


def distinct_2(hypotheses: Texts, references: Texts) -> Score:
    """Distinct pairs of neighbouring words in percent of all pairs of the hypotheses together; references play no part."""
    return _distinct(2, hypotheses)


def repetition(hypotheses: Texts, references: Texts) -> Score:
    """Percent of a text's pairs of neighbouring words that stood in it before, mean over texts; references play no part."""
    return Score(
        100 * sum(map(repeated, hypotheses)) / len(hypotheses),
        f"seq-rep-{REPEATED}|case:mixed|tok:blanks|mean",
    )


MEASURES: MappingProxyType[str, Metric] = MappingProxyType(
    {
        "length_ratio": Metric(
            length_ratio,
            "Length ratio",
            "Words written for one word of the references; 1 is as long as they are.",
            None,
            "",
        ),
        "distinct_1": Metric(
            distinct_1,
            "Distinct words",
            "Different words in percent of all; more text of the same kind lowers it.",
            None,
            "Li et al. 2016",
        ),
        "distinct_2": Metric(
            distinct_2,
            "Distinct pairs",
            "Different pairs of neighbouring words in percent of all.",
            None,
            "Li et al. 2016",
        ),
        "repetition": Metric(
            repetition,
            "Repetition",
            "Percent of a text's pairs of words that stood in it before; loops raise it.",
            False,
            "Welleck et al. 2020",
        ),
    }
)
