"""T5's relative position buckets (Raffel et al. 2020, section 2.1)."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from s2s.config import ModelConfig, Positions, Stack
from s2s.model.positions.base import Position, distances


class Relative(Position):
    """A learned score for each bucket of distances and head, one table per stack."""

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.table = nn.Embedding(self.settings.buckets, stack.n_heads)

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        distance = distances(query_len, key_len, device)  # (query_len, key_len)
        buckets = relative_buckets(distance, self.settings, is_causal=self.is_causal)
        scores = self.table(buckets)  # (query_len, key_len, heads)
        return scores.permute(2, 0, 1)[None]  # -> (1, heads, query_len, key_len)

    def initialize(self, draw: Callable[[Tensor, float], None]) -> None:
        draw(self.table.weight, 0.02)


def relative_buckets(distance: Tensor, settings: Positions, *, is_causal: bool) -> Tensor:
    """The bucket of each distance: near ones have their own, far ones share logarithmically, up to max_distance.

    Causal: the past uses all buckets. Otherwise the future has the upper half.
    """
    n_buckets = settings.buckets if is_causal else settings.buckets // 2
    if is_causal:
        first = torch.zeros_like(distance)
        far = (-distance).clamp(min=0)
    else:
        first = (distance > 0).long() * n_buckets
        far = distance.abs()
    n_exact = n_buckets // 2
    log_ratio = torch.log(far.clamp(min=1).float() / n_exact)
    growth = log_ratio / math.log(settings.max_distance / n_exact)  # 0 at n_exact, 1 at the maximum
    shared = n_exact + growth * (n_buckets - n_exact)
    shared = shared.long().clamp(max=n_buckets - 1)
    return first + torch.where(far < n_exact, far, shared)
