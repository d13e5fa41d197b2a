"""Random numbers that hang on what they are for, never on where they stand: a source draws the same alone and in any batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

STRIDE = np.uint64(
    0x9E3779B97F4A7C15
)  # Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators"


def key_of(seed: int, source: Sequence[int]) -> int:
    """64 bits for a seed and the ids of a source."""
    text = ",".join(map(str, (seed, *source)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def mixed(
    keys: Sequence[int], *parts: int | Sequence[int]
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Each key with more numbers (one for all, or one each, 0 or more): new keys (rows,)."""
    found = np.array(keys, dtype=np.uint64)
    for part in parts:
        found = _mix(
            found + STRIDE * (np.atleast_1d(np.asarray(part, dtype=np.uint64)) + np.uint64(1))
        )
    return found


def uniform(keys: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int) -> Tensor:
    """(rows, n), float64, evenly spread in (0, 1): number j of a key is always the same."""
    places = STRIDE * np.arange(1, n + 1, dtype=np.uint64)
    bits = _mix(keys[:, None] + places) >> np.uint64(
        12
    )  # 52, so that the half beside them is never rounded up to 1
    return torch.from_numpy((bits.astype(np.float64) + 0.5) * 2.0**-52)


def gumbel(keys: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int) -> Tensor:
    """(rows, n), float64: standard Gumbel; the highest of log-probabilities plus these is a draw (Gumbel 1954)."""
    return -torch.log(-torch.log(uniform(keys, n)))


def _mix(
    bits: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """The finaliser of splitmix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
