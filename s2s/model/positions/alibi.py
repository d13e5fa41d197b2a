"""Attention with linear biases (Press et al. 2022)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from s2s.config import ModelConfig, Stack
from s2s.model.positions.base import Position, distances


class Alibi(Position):
    """Scores fall linearly with distance, each head at its own slope; in both directions in the encoder."""

    slopes: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.register_buffer("slopes", alibi_slopes(stack.n_heads), persistent=False)

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        distance = distances(query_len, key_len, device).abs()  # (query_len, key_len)
        slopes = self.slopes[:, None, None]  # (heads, 1, 1)
        penalty = slopes * distance  # (heads, query_len, key_len)
        return -penalty[None]  # (1, heads, query_len, key_len)


def alibi_slopes(n_heads: int) -> Tensor:
    """(heads,): 2 ** (-8 i / n) for a power of two; otherwise the next power's odd ones fill up, as the authors do."""
    power = 2 ** math.floor(math.log2(n_heads))
    slopes = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    slopes += [2 ** (-4 * i / power) for i in range(1, 2 * power, 2)]  # between those
    return torch.tensor(slopes[:n_heads])
