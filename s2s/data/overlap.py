"""How much of a test set stands in the training text. Knows nothing of models."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Overlap(NamedTuple):
    """`share` (0 to 1) of the test lines, `n_pairs` of them, have one of `n_sources` different sources that stand in the training text."""

    n_sources: int
    n_pairs: int
    share: float


def find_overlap(test_sources: Sequence[str], training_sources: Iterable[str]) -> Overlap:
    """Exact matches of lines that are not empty, but for blanks and for how accents are encoded (NFC); near copies are not found."""
    tested = [_plain(text) for text in test_sources]
    known = {*tested} - {""}  # an empty line is nobody's
    seen = {plain for text in training_sources if (plain := _plain(text)) in known}
    n_pairs = sum(plain in seen for plain in tested)
    return Overlap(len(seen), n_pairs, n_pairs / len(tested) if tested else 0.0)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
