"""How much of a test set is in the training set. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from s2s.config import nfc


class Overlap(NamedTuple):
    """How many test pairs, `n_pairs` or a `share` (0 to 1), have a training source; `n_sources` are distinct."""

    n_sources: int
    n_pairs: int
    share: float


def find_overlap(test_sources: Sequence[str], training_sources: Iterable[str]) -> Overlap:
    """Counts exact matches of non-empty lines, ignoring whitespace and Unicode normalization (NFC)."""
    tested = [normalized(text) for text in test_sources]
    known = {*tested} - {""}  # empty lines do not count
    shared = {plain for text in training_sources if (plain := normalized(text)) in known}
    n_pairs = sum(plain in shared for plain in tested)
    return Overlap(len(shared), n_pairs, n_pairs / len(tested) if tested else 0.0)


def normalized(text: str) -> str:
    """The text in Unicode's composed form (NFC), with one space for any whitespace: what models distinguish."""
    return " ".join(nfc(text).split())
