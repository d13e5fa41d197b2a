"""What a map of attention shows, read from its clearest row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from s2s.analysis import AttentionMap, Weights
from s2s.questions.finding import Finding, first
from s2s.tokenizers import SPACE

CLEAR = 0.6  # a weight from which on a row makes a good example
MOSTLY = 0.5


class ClearRow(NamedTuple):
    """A row of a map: its token, the key of most weight, and that weight; `of` says that the map is not all of it.
    `row` and `column` say where a token stands that is there more than once.
    """

    verb: str
    token: str
    key: str
    weight: float
    of: str
    row: str
    column: str


WHEN = "When the model {verb} “{token}”{row},{of} it attends "
FINDINGS = (
    Finding(lambda row: row.weight >= MOSTLY, WHEN + "mostly to “{key}” ({column}{weight:.2f})."),
    Finding(lambda row: row.weight > 0, WHEN + "most to “{key}” ({column}{weight:.2f})."),
)


def row_finding(picture: AttentionMap, *, is_part: bool = False) -> str:
    """What the clearest row attends to, as a sentence; empty where no row has a largest weight. `is_part`: of a larger
    map, or without some of its columns.
    """
    if not picture.weights.size or not np.isfinite(picture.weights).all():
        return ""
    at = clearest_row(picture.weights, picture.rows)
    key_at, weight = int(picture.weights[at].argmax()), float(picture.weights[at].max())
    token, key = picture.rows[at], picture.keys[key_at]
    alike = np.isclose(picture.weights, weight).sum(1)[
        np.isclose(picture.weights.max(1), weight)
    ]  # of each row that may be it
    if (alike > 1).all():
        return ""
    of = " of what is shown here," if is_part else ""
    row = f" (row {at + 1})" if picture.rows.count(token) > 1 and not is_part else ""
    column = f"column {key_at + 1}, " if picture.keys.count(key) > 1 and not is_part else ""
    said = ClearRow(picture.verb, in_words(token), in_words(key), weight, of, row, column)
    return first(FINDINGS, said)


class LaterToken(NamedTuple):
    """A weight on a token after those that have been written; row and column are numbered from 1."""

    verb: str
    token: str
    row: int
    key: str
    column: int
    weight: float


LATER = Finding(
    lambda later: later.weight > 0,
    "When the model {verb} “{token}” (row {row}), it attends to “{key}” (column {column}), which it has yet to write"
    " ({weight:.2f}): no mask hides it.",
)


def later_finding(picture: AttentionMap) -> str:
    """A sentence on the decoder's self-attention: the largest weight on a token after those that have been written.
    Empty where there is none, and for a map that is not whole.
    """
    if len(picture.rows) != len(picture.keys) or not np.isfinite(picture.weights).all():
        return ""
    later = np.triu(picture.weights, 1)
    row, key = map(int, np.unravel_index(later.argmax(), later.shape))
    token, seen = in_words(picture.rows[row]), in_words(picture.keys[key])
    weight = float(later[row, key])
    return LATER.said(LaterToken(picture.verb, token, row + 1, seen, key + 1, weight))


def in_words(token: str) -> str:
    """A token without the mark of a space before it: `▁house` -> `house`."""
    return token.replace(SPACE, "") or token


def clearest_row(weights: Weights, tokens: Sequence[str]) -> int:
    """The row that makes the best example: a high weight that crosses others, as in reordering; never `</s>`, nor a row
    that sees one key only, as the decoder's first one does.
    """
    peaks, largest = weights.argmax(1), weights.max(1)
    words = [row for row, token in enumerate(tokens) if token != "</s>"] or [0]
    candidates = [row for row in words if np.count_nonzero(weights[row]) > 1] or words

    def crossings(row: int) -> int:
        return sum(int((peaks[other] - peaks[row]) * (other - row) < 0) for other in candidates)

    def worth(row: int) -> tuple[bool, int, float]:
        is_clear = bool(largest[row] >= CLEAR)
        return is_clear, crossings(row) if is_clear else 0, float(largest[row])

    return max(candidates, key=worth)
