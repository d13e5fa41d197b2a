"""A vector per position, added to the token's: sinusoidal (Vaswani et al. 2017) or learned (Gehring et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from s2s.config import ModelConfig, Positions, Stack
from s2s.model.positions.base import Position


class Absolute(Position):
    """A vector for each position, added to the token's."""

    def rows(self, positions: Tensor, end: int) -> Tensor:
        """The vectors (..., d_model) of positions (...), all below `end`."""
        raise NotImplementedError

    def add(self, x: Tensor, is_real: Tensor | None, start: int = 0) -> Tensor:
        """Token vectors plus the vectors of positions, which count from `offset`; over real tokens only where
        `skip_padding` is set.
        """
        first = start + self.settings.offset
        end = first + x.shape[1]
        if not self.settings.skip_padding or is_real is None:
            positions = torch.arange(first, end, device=x.device)  # (len,)
            return x + self.rows(positions, end)
        n_before = is_real.cumsum(1) - 1  # (batch, len): real tokens before each real token
        positions = n_before.clamp(min=0) + first  # (batch, len)
        vectors = self.rows(positions, end)  # (batch, len, d_model)
        return x + vectors * is_real[..., None]


class Sinusoidal(Absolute):
    """Sines and cosines of fixed wavelengths (Vaswani et al. 2017, section 3.5)."""

    table: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.d_model = config.d_model
        self.register_buffer("table", torch.empty(0, config.d_model), persistent=False)

    def rows(self, positions: Tensor, end: int) -> Tensor:
        """The vectors, read from a table that grows as longer sequences come; else every decoding step would compute
        sines.
        """
        if len(self.table) < end:
            # Made in inference mode, the table could not be used in training afterwards.
            with torch.inference_mode(False):
                table = sinusoids(max(256, 2 * end), self.d_model, self.settings)
                self.table = table.to(self.table)  # its device and precision
        return self.table[positions]


def frequencies(d_model: int, settings: Positions) -> Tensor:
    """(half,) radians per position of each sine and its cosine: base ** -(2i / d_model), the fastest first."""
    half = d_model // 2
    span = max(1, half - 1) if settings.full_span else half
    exponents = torch.arange(half, dtype=torch.float64) / span
    return settings.base**-exponents


def sinusoids(length: int, d_model: int, settings: Positions) -> Tensor:
    """(length, d_model): sin and cos of position / base ** (2i / d_model), interleaved or in halves."""
    positions = torch.arange(length, dtype=torch.float64)
    angles = torch.outer(positions, frequencies(d_model, settings))  # (length, half)
    waves = torch.stack([angles.sin(), angles.cos()], dim=settings.pair_axis)
    return waves.flatten(1).float()  # (length, half, 2) or (length, 2, half) -> (length, d_model)


class Learned(Absolute):
    """One trained vector per position (Gehring et al. 2017); sequences longer than the table cannot be read."""

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        rows = self.settings.max_length + self.settings.offset
        self.table = nn.Embedding(rows, config.d_model)

    def rows(self, positions: Tensor, end: int) -> Tensor:
        return self.table(positions)

    def initialize(self, draw: Callable[[Tensor, float], None]) -> None:
        draw(self.table.weight, 0.02)
