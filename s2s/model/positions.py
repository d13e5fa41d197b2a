"""Order, six ways. Each kind changes one thing: the token vectors, the queries and keys, or the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import torch
from torch import Tensor, nn

from s2s.config import Choice, ModelConfig, Positions, Stack


class Position(nn.Module):
    """No positions at all; the base that each kind overrides in one method.

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
        """Queries or keys, turned by position: (batch, heads, len, d_head) both."""
        return x

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        """Added to self-attention's scores: (1, heads, query_len, key_len). The last query stands at the last key."""
        return None

    def initialise(self, draw: Callable[[Tensor, float], None]) -> None:
        """Draw learned numbers; `draw(tensor, std)` fills it with a normal."""


class Absolute(Position):
    """A vector for each position, added to the token's."""

    def rows(self, positions: Tensor, end: int) -> Tensor:
        """(...) positions, all below `end` -> (..., d_model)."""
        raise NotImplementedError

    def add(self, x: Tensor, is_real: Tensor | None, start: int = 0) -> Tensor:
        """Positions count from `offset`; over real tokens only where `skip_padding` is set."""
        first = start + self.settings.offset
        end = first + x.shape[1]
        if not self.settings.skip_padding or is_real is None:
            return x + self.rows(torch.arange(first, end, device=x.device), end)
        counted = (is_real.cumsum(1) - 1).clamp(min=0) + first  # (batch, len)
        return x + self.rows(counted, end) * is_real[..., None]


class Sinusoidal(Absolute):
    """Sines and cosines of fixed wavelengths (Vaswani et al. 2017, section 3.5)."""

    table: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.d_model = config.d_model
        self.register_buffer("table", torch.empty(0, config.d_model), persistent=False)

    def rows(self, positions: Tensor, end: int) -> Tensor:
        """Read from a table that grows as longer sequences come; without it every step would compute sines."""
        if len(self.table) < end:
            # Made in inference mode, the table could not be used in training afterwards.
            with torch.inference_mode(False):
                self.table = sinusoids(max(256, 2 * end), self.d_model, self.settings).to(
                    positions.device
                )
        return self.table[positions]


def sinusoids(length: int, d_model: int, settings: Positions) -> Tensor:
    """(length, d_model): sin and cos of position / base ** (2i / d_model), interleaved or in halves."""
    half = d_model // 2
    span = half - 1 if settings.full_span and half > 1 else half
    frequencies = settings.base ** (-torch.arange(half, dtype=torch.float64) / span)
    angles = (
        torch.arange(length, dtype=torch.float64)[:, None] * frequencies
    )  # (length, d_model / 2)
    if settings.layout == "halves":
        return torch.cat([angles.sin(), angles.cos()], dim=1).float()
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()


class Learned(Absolute):
    """One trained vector a position (Gehring et al. 2017); a sequence longer than the table cannot be read."""

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.table = nn.Embedding(self.settings.max_length + self.settings.offset, config.d_model)

    def rows(self, positions: Tensor, end: int) -> Tensor:
        vectors: Tensor = self.table(positions)
        return vectors

    def initialise(self, draw: Callable[[Tensor, float], None]) -> None:
        draw(self.table.weight, 0.02)


class Rotary(Position):
    """Pairs of query and key columns turned by an angle that grows with position (Su et al. 2021, eq. 34)."""

    frequencies: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        d_head = config.d_head(stack)
        frequencies = self.settings.base ** (
            -torch.arange(0, d_head, 2, dtype=torch.float32) / d_head
        )
        self.register_buffer("frequencies", frequencies, persistent=False)

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        positions = torch.arange(start, start + x.shape[2], device=x.device) + self.settings.offset
        angles = positions[:, None] * self.frequencies  # (len, d_head / 2)
        cos = angles.cos().to(x.dtype)
        sin = angles.sin().to(x.dtype)
        if self.settings.layout == "halves":
            first, second = x.chunk(2, dim=-1)
            return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        first = x[..., 0::2]
        second = x[..., 1::2]
        return torch.stack(
            [first * cos - second * sin, second * cos + first * sin], dim=-1
        ).flatten(-2)


def distances(query_len: int, key_len: int, device: torch.device) -> Tensor:
    """(query_len, key_len): key position minus query position, the last query standing at the last key."""
    queries = torch.arange(key_len - query_len, key_len, device=device)
    return torch.arange(key_len, device=device)[None] - queries[:, None]


class Alibi(Position):
    """Scores fall linearly with distance, each head at its own slope (Press et al. 2022); both ways in the encoder."""

    slopes: Tensor

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.register_buffer("slopes", alibi_slopes(stack.n_heads), persistent=False)

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        far = distances(query_len, key_len, device).abs()
        return -(self.slopes[:, None, None] * far)[None]  # (1, heads, query_len, key_len)


def alibi_slopes(n_heads: int) -> Tensor:
    """(heads,): 2 ** (-8 i / n) for a power of two; otherwise the next power's odd ones fill up, as the authors do."""
    power = 2 ** math.floor(math.log2(n_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    between = [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * power, 2)]
    return torch.tensor((slopes + between)[:n_heads])


class Relative(Position):
    """A learned score for each bucket of distances and head, one table a stack (Raffel et al. 2020, section 2.1)."""

    def __init__(self, config: ModelConfig, stack: Stack, *, is_causal: bool) -> None:
        super().__init__(config, stack, is_causal=is_causal)
        self.table = nn.Embedding(self.settings.buckets, stack.n_heads)

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        buckets = relative_buckets(
            distances(query_len, key_len, device), self.settings, is_causal=self.is_causal
        )
        scores: Tensor = self.table(buckets)  # (query_len, key_len, heads)
        return scores.permute(2, 0, 1)[None]  # -> (1, heads, query_len, key_len)

    def initialise(self, draw: Callable[[Tensor, float], None]) -> None:
        draw(self.table.weight, 0.02)


def relative_buckets(distance: Tensor, settings: Positions, *, is_causal: bool) -> Tensor:
    """Bucket of each distance: near ones have their own, far ones share logarithmically, all from max_distance on the last.

    One-way (`is_causal`): the past uses all buckets. Both ways: the future has the upper half.
    """
    n_buckets = settings.buckets if is_causal else settings.buckets // 2
    first = torch.zeros_like(distance) if is_causal else (distance > 0).long() * n_buckets
    far = (-distance).clamp(min=0) if is_causal else distance.abs()
    n_exact = n_buckets // 2
    growth = torch.log(far.clamp(min=1).float() / n_exact) / math.log(
        settings.max_distance / n_exact
    )
    shared = (n_exact + growth * (n_buckets - n_exact)).long().clamp(max=n_buckets - 1)
    return first + torch.where(far < n_exact, far, shared)


POSITIONS: MappingProxyType[str, Choice[type[Position]]] = MappingProxyType(
    {
        "sinusoidal": Choice(
            Sinusoidal,
            Positions,
            "Fixed waves added to the token vectors.",
            "Vaswani et al. 2017, section 3.5",
        ),
        "learned": Choice(
            Learned,
            Positions,
            "One trained vector a position, added to the token's.",
            "Gehring et al. 2017",
        ),
        "rotary": Choice(
            Rotary, Positions, "Queries and keys are turned by their position.", "Su et al. 2021"
        ),
        "alibi": Choice(
            Alibi, Positions, "Scores fall linearly with distance.", "Press et al. 2022"
        ),
        "relative": Choice(
            Relative,
            Positions,
            "A learned score for each range of distances.",
            "Raffel et al. 2020",
        ),
        "none": Choice(Position, Positions, "No order, but for what causality gives away.", ""),
    }
)
