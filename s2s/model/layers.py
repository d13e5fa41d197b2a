"""The parts of a layer that look at one position at a time: norms, feed-forward, residual sums, token vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import torch.nn.functional as F
from torch import Tensor, nn

from s2s.config import ModelConfig, Norm, Stack
from s2s.model.dropout import Dropout

ACTIVATIONS: MappingProxyType[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
)


def make_norm(norm: Norm, d_model: int) -> nn.Module:
    """LayerNorm (Ba et al. 2016), RMSNorm (Zhang & Sennrich 2019) or nothing, over the last axis."""
    if norm.kind == "layer":
        return nn.LayerNorm(d_model, eps=norm.eps, bias=norm.bias)
    return nn.RMSNorm(d_model, eps=norm.eps) if norm.kind == "rms" else nn.Identity()


class FeedForward(nn.Module):
    """FFN(x) = act(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2), gated: (act(x Wg) * x W1) W2 (Shazeer 2020)."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        ff = config.feed_forward
        d_model = config.d_model
        self.up = nn.Linear(d_model, stack.d_ff, bias=ff.bias)
        self.gate = nn.Linear(d_model, stack.d_ff, bias=ff.bias) if ff.gated else None
        self.down = nn.Linear(stack.d_ff, d_model, bias=ff.bias)
        self.activation = ACTIVATIONS[ff.activation]
        self.dropout = Dropout(config.dropout if ff.dropout else 0.0)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, len, d_model) -> (batch, len, d_model)."""
        hidden = (
            self.activation(self.up(x))
            if self.gate is None
            else self.activation(self.gate(x)) * self.up(x)
        )
        down: Tensor = self.down(self.dropout(hidden))
        return down


class Residual(nn.Module):
    """x + f(norm(x)) before, or norm(x + f(x)) after: where a sublayer's output joins the stream."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.norm = make_norm(config.norm, config.d_model)
        self.dropout = Dropout(config.dropout if stack.dropout else 0.0)
        self.is_pre = config.norm.place == "pre"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(batch, len, d_model) -> (batch, len, d_model)."""
        if self.is_pre:
            added: Tensor = x + self.dropout(sublayer(self.norm(x)))
            return added
        joined: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return joined


class TokenEmbedding(nn.Embedding):
    """Token vectors, times the square root of d_model where the config says so (Vaswani et al. 2017, section 3.4)."""

    def __init__(self, vocab_size: int, config: ModelConfig) -> None:
        super().__init__(vocab_size, config.d_model)
        self.scale = math.sqrt(config.d_model) if config.embeddings.scaled else 1.0

    def forward(self, input: Tensor) -> Tensor:
        """(batch, len) ids -> (batch, len, d_model)."""
        vectors = super().forward(input)
        return vectors * self.scale if self.scale != 1.0 else vectors
