"""The sentences of an experiment as batches for the model."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.analysis import heads
from s2s.config import UserError
from s2s.data import Pair
from s2s.runs import Run, encoded_pairs


def encoded(run: Run, pairs: Sequence[Pair]) -> tuple[list[heads.Batch], list[Pair]]:
    """Batches, and the pairs in them, in the order of their rows. Raises UserError where none fits the model."""
    found = encoded_pairs(run, [(pair.src, pair.tgt) for pair in pairs])
    if not found:
        raise UserError(
            f"None of the {len(pairs)} sentence pairs fits the model's positions; choose shorter sentences."
        )
    return heads.batched(run.model, found), [pairs[one.number] for one in found]
