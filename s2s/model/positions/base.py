"""What every position encoding can do, and none at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from s2s.config import ModelConfig, Stack


class Order(NamedTuple):
    """What positions do inside self-attention: rotate queries and keys, add a bias to the scores."""

    rotate: Callable[[Tensor], Tensor]  # (batch, heads, len, d_head) both
    bias: Tensor | None  # (1, heads, query_len, key_len)


NO_ORDER = Order(lambda x: x, None)


class Position(nn.Module):
    """No positions at all; the base whose methods each encoding overrides.

    `start` is the position of the first token given: the length of the prefix when decoding step by step.
    """

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__()
        self.settings = config.positions
        self.is_causal = is_causal

    def add(self, x: Tensor, is_real: Tensor | None, start: int = 0) -> Tensor:
        """Token vectors plus positions: (batch, len, d_model) both; `is_real` (batch, len) is False on padding."""
        return x

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        """Queries or keys, rotated by position: (batch, heads, len, d_head) both."""
        return x

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        """Added to self-attention's scores: (1, heads, query_len, key_len). The last query stands at the last key."""
        return None

    def overrides(self, method: str) -> bool:
        """Whether this encoding overrides `method`; where not, callers can leave the call out."""
        return getattr(type(self), method) is not getattr(Position, method)

    def order(self, length: int, start: int = 0, *, device: torch.device) -> Order:
        """What self-attention applies to `length` tokens after `start` others."""
        bias = self.bias(length, start + length, device)
        return Order(lambda x: self.rotate(x, start), bias)

    def initialize(self, draw: Callable[[Tensor, float], None]) -> None:
        """Draw learned numbers; `draw(tensor, std)` fills it with a normal."""


def distances(query_len: int, key_len: int, device: torch.device) -> Tensor:
    """(query_len, key_len): key position minus query position, the last query standing at the last key."""
    keys = torch.arange(key_len, device=device)
    queries = keys[key_len - query_len :]
    return keys[None] - queries[:, None]
