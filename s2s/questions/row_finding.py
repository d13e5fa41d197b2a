"""What a map of attention shows, read from its clearest row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from s2s.analysis import AttentionMap, Weights, strongest_keys
from s2s.questions.finding import Finding, first
from s2s.tokenizers import SPACE

CLEAR = 0.6  # a weight from which on a row makes a good example
MOSTLY = 0.5


class ClearRow(NamedTuple):
    """A row of a map: its token, the key of most weight, and that weight."""

    verb: str
    token: str
    key: str
    weight: float


WHEN = "When the model {verb} “{token}”, it attends "
FINDINGS = (
    Finding(lambda row: row.weight >= MOSTLY, WHEN + "mostly to “{key}” ({weight:.2f})."),
    Finding(lambda row: row.weight > 0, WHEN + "most to “{key}” ({weight:.2f})."),
)


def row_finding(picture: AttentionMap) -> str:
    """Empty where there is no weight, or one that is no number."""
    if not picture.weights.size or not np.isfinite(picture.weights).all():
        return ""
    row = clearest_row(picture.weights, picture.rows, picture.keys)
    token, key, weight = row
    return first(FINDINGS, ClearRow(picture.verb, in_words(token), in_words(key), weight))


def in_words(token: str) -> str:
    """Without the mark of a space before it: `▁house` -> `house`."""
    return token.replace(SPACE, "") or token


def clearest_row(
    weights: Weights, tokens: Sequence[str], keys: Sequence[str]
) -> tuple[str, str, float]:
    """The row that makes the best example: a high weight that crosses others, as in reordering; never `</s>`."""
    rows = strongest_keys(weights, keys, tokens)
    peaks = weights.argmax(1)
    candidates = [row for row, token in enumerate(tokens) if token != "</s>"] or [0]

    def crossings(row: int) -> int:
        return sum(int((peaks[other] - peaks[row]) * (other - row) < 0) for other in candidates)

    def worth(row: int) -> tuple[bool, int, float]:
        is_clear = rows[row][2] >= CLEAR
        return is_clear, crossings(row) if is_clear else 0, rows[row][2]

    return rows[max(candidates, key=worth)]
