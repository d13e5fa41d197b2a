"""Rotary positions (Su et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor

from s2s.config import ModelConfig, Stack
from s2s.model.positions.base import Position


class Rotary(Position):
    """Pairs of query and key columns rotated by an angle that grows with position (Su et al. 2021, eq. 34)."""

    frequencies: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        d_head = config.d_head(stack)
        exponents = torch.arange(0, d_head, 2, dtype=torch.float32) / d_head
        self.register_buffer("frequencies", self.settings.base**-exponents, persistent=False)

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        positions = start + self.settings.offset + torch.arange(x.shape[2], device=x.device)
        angles = torch.outer(positions, self.frequencies)  # (len, d_head / 2)
        if self.settings.pair_axis == -2:
            return _rotated_halves(x, angles)
        # A pair is a complex number, turned by a product: a third of the time of halves.
        real = x.float() if x.dtype == torch.bfloat16 else x  # there are no complex bfloat16
        pairs = torch.view_as_complex(real.view(*x.shape[:-1], -1, 2))  # (..., len, d_head / 2)
        turned = pairs * torch.polar(torch.ones_like(angles), angles)
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)  # (batch, heads, len, d_head)


def _rotated_halves(x: Tensor, angles: Tensor) -> Tensor:
    """(first, second) -> (first cos - second sin, second cos + first sin), where these are the halves of a head.

    Whole rows at a time, since halves are too short for a CPU's vectors.
    """
    cos = angles.cos().to(x.dtype)
    sin = angles.sin().to(x.dtype)
    swapped = x.view(*x.shape[:-1], 2, -1).flip(-2).flatten(-2)  # as x
    kept = torch.cat([cos, cos], -1)  # (len, d_head)
    taken = torch.cat([-sin, sin], -1)  # (len, d_head)
    return torch.addcmul(x * kept, swapped, taken)  # (batch, heads, len, d_head)
