"""Random numbers that depend on their use, never on the batch: a source draws the same alone and in a batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

Bits = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]
# Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators"
STRIDE = np.uint64(0x9E3779B97F4A7C15)


def key_of(seed: int, source: Sequence[int]) -> int:
    """64 bits that identify a seed and the ids of a source."""
    numbers = [seed, *source]
    text = ",".join(map(str, numbers))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def mixed(keys: Sequence[int], *parts: int | Sequence[int]) -> Bits:
    """New keys (rows,) out of keys and non-negative numbers: each part is one number for all keys, or one per key."""
    result: Bits = np.array(keys, dtype=np.uint64)
    for part in parts:
        numbers = np.atleast_1d(np.asarray(part, dtype=np.uint64))
        result = _mix(result + STRIDE * (numbers + np.uint64(1)))
    return result


def uniform(keys: Bits, n: int) -> Tensor:
    """(rows, n), float64, uniform in (0, 1): number j of a key is always the same."""
    offsets = STRIDE * np.arange(1, n + 1, dtype=np.uint64)
    bits = _mix(keys[:, None] + offsets)  # (rows, n)
    bits >>= np.uint64(12)  # 52 bits, so that adding a half never rounds up to 1
    fractions = (bits.astype(np.float64) + 0.5) * 2.0**-52
    return torch.from_numpy(fractions)


def gumbel(keys: Bits, n: int) -> Tensor:
    """(rows, n), float64, standard Gumbel: the argmax of log-probabilities plus these is a sample (Gumbel 1954)."""
    exponential = -torch.log(uniform(keys, n))
    return -torch.log(exponential)


def _mix(bits: Bits) -> Bits:
    """The last step of splitmix64."""
    bits = bits ^ (bits >> np.uint64(30))
    bits = bits * np.uint64(0xBF58476D1CE4E5B9)
    bits = bits ^ (bits >> np.uint64(27))
    bits = bits * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
