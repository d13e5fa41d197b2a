"""Attention of one sentence pair, with the tokens it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Attention:
    """Every head's weights, rows summing to 1: (layers, heads, query_len, key_len), float32.

    Row i of `cross` and `decoder` reads `tgt_inputs[i]` (row 0 reads `<s>`) and predicts `tgt_tokens[i]` (the last is
    `</s>`). `src_tokens` end in `</s>`.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    cross: Weights
    encoder: Weights
    decoder: Weights


def reading(weights: Weights, src_tokens: Sequence[str], tgt_tokens: Sequence[str]) -> list[tuple[str, str, float]]:
    """For each predicted token the source token it looks at most, and with what weight; `weights` is (tgt_len, src_len)."""
    best = weights.argmax(1)
    return [(token, src_tokens[key], float(row[key])) for token, key, row in zip(tgt_tokens, best, weights, strict=True)]
