"""What works on one position at a time: token embeddings, feed-forward, norms, residual connections."""

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
    """LayerNorm (Ba et al. 2016), RMSNorm (Zhang & Sennrich 2019) or none, over the last axis."""
    if norm.kind == "layer":
        return nn.LayerNorm(d_model, eps=norm.eps, bias=norm.bias)
    if norm.kind == "rms":
        return nn.RMSNorm(d_model, eps=norm.eps)
    return nn.Identity()


class Residual(nn.Module):
    """The residual connection around a sublayer: x + f(norm(x)) with pre-norm, norm(x + f(x)) with post-norm."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.norm = make_norm(config.norm, config.d_model)
        self.dropout = Dropout(config.dropout if stack.dropout else 0.0)
        self.is_pre = config.norm.place == "pre"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(batch, len, d_model) -> (batch, len, d_model)."""
        if self.is_pre:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


class FeedForward(nn.Module):
    """FFN(x) = act(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2); gated: (act(x Wg) * x W1) W2 (Shazeer 2020)."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        settings = config.feed_forward
        self.up = nn.Linear(config.d_model, stack.d_ff, bias=settings.bias)
        self.gate: nn.Linear | None = None
        if settings.gated:
            self.gate = nn.Linear(config.d_model, stack.d_ff, bias=settings.bias)
        self.down = nn.Linear(stack.d_ff, config.d_model, bias=settings.bias)
        self.activation = ACTIVATIONS[settings.activation]
        self.dropout = Dropout(config.dropout if settings.dropout else 0.0)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, len, d_model) -> (batch, len, d_model)."""
        if self.gate is None:
            hidden = self.activation(self.up(x))  # (batch, len, d_ff)
        else:
            hidden = self.activation(self.gate(x)) * self.up(x)  # (batch, len, d_ff)
        return self.down(self.dropout(hidden))


class TokenEmbedding(nn.Embedding):
    """Token vectors, times sqrt(d_model) where the config says so (Vaswani et al. 2017, section 3.4)."""

    def __init__(self, vocab_size: int, config: ModelConfig) -> None:
        super().__init__(vocab_size, config.d_model)
        self.scale = math.sqrt(config.d_model) if config.embeddings.scaled else 1.0

    def forward(self, input: Tensor) -> Tensor:
        """(batch, len) ids -> (batch, len, d_model)."""
        vectors = super().forward(input)
        if self.scale != 1.0:
            vectors = vectors * self.scale
        return vectors
