"""Multi-head attention (Vaswani et al. 2017, section 3.2), and the one place that chooses how it is computed."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.config import ModelConfig, Stack
from s2s.model.positions import Position


class KeysValues(NamedTuple):
    """What attention looks at: both (batch, heads, key_len, d_head)."""

    keys: Tensor
    values: Tensor

    def select(self, rows: Tensor) -> KeysValues:
        """These rows of the batch, in this order."""
        return KeysValues(self.keys.index_select(0, rows), self.values.index_select(0, rows))


class Attention(nn.Module):
    """Softmax(Q K^T * scale + bias) V for several heads at once.

    `self.weights` is an identity that the weights pass through when anything hooks it: `analysis.trace` reads
    them there and `analysis.intervene` changes them. Unhooked, the fused kernel may skip it.
    """

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        attention = config.attention
        self.n_heads = stack.n_heads
        self.d_head = config.d_head(stack)
        inner = self.n_heads * self.d_head
        self.query = nn.Linear(config.d_model, inner, bias=attention.bias)
        self.key = nn.Linear(config.d_model, inner, bias=attention.bias)
        self.value = nn.Linear(config.d_model, inner, bias=attention.bias)
        self.output = (
            nn.Linear(inner, config.d_model, bias=attention.bias)
            if attention.output_projection
            else nn.Identity()
        )
        self.weights = nn.Identity()
        self.scale = self.d_head**-0.5 if attention.scaled else 1.0
        self.dropout = config.dropout if attention.dropout else 0.0

    def split(self, x: Tensor) -> Tensor:
        """(batch, len, heads * d_head) -> (batch, heads, len, d_head)."""
        return x.view(*x.shape[:2], self.n_heads, self.d_head).transpose(1, 2)

    def keys_values(
        self, x: Tensor, position: Position | None = None, start: int = 0
    ) -> KeysValues:
        """(batch, key_len, d_model) -> keys and values; `position` turns the keys where it is rotary."""
        keys = self.split(self.key(x))
        return KeysValues(
            keys if position is None else position.rotate(keys, start), self.split(self.value(x))
        )

    def queries(self, x: Tensor, position: Position | None = None, start: int = 0) -> Tensor:
        """(batch, query_len, d_model) -> (batch, heads, query_len, d_head)."""
        queries = self.split(self.query(x))
        return queries if position is None else position.rotate(queries, start)

    def forward(
        self, queries: Tensor, seen: KeysValues, mask: Tensor | None, bias: Tensor | None = None
    ) -> Tensor:
        """What each query gathers: (batch, query_len, d_model).

        `mask` broadcasts to (batch, heads, query_len, key_len), True = may look, None = all may; `bias` is added to
        the scores. A row that may look at nothing gathers zeros.
        """
        dropout = self.dropout if self.training else 0.0
        if use_fused(queries, self.weights):
            gathered = _fused(queries, seen, mask, bias, scale=self.scale, dropout=dropout)
        else:
            weights = self.weights(
                attention_weights(queries, seen.keys, mask, bias, scale=self.scale)
            )
            gathered = F.dropout(weights, dropout, self.training) @ seen.values
        merged = gathered.transpose(1, 2).flatten(
            2
        )  # (batch, heads, len, d_head) -> (batch, len, heads * d_head)
        out: Tensor = self.output(merged)
        return out


def attention_weights(
    queries: Tensor, keys: Tensor, mask: Tensor | None, bias: Tensor | None, *, scale: float
) -> Tensor:
    """Softmax of the scaled scores over the keys (eq. 1): (batch, heads, query_len, key_len), rows sum to 1.

    A row that may look at nothing is all zeros.
    """
    scores = (queries * scale) @ keys.transpose(-1, -2)  # (batch, heads, query_len, key_len)
    if bias is not None:
        scores = scores + bias
    if mask is None:
        return scores.softmax(-1)
    # The lowest finite number, not -inf: an empty row stays finite, forwards and backwards, and is zeroed after.
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    return weights.masked_fill(~mask, 0.0)


def use_fused(queries: Tensor, seam: nn.Module) -> bool:
    """Whether torch's fused kernel computes attention: nothing looks at the weights, and it is not slower here."""
    return not (is_hooked(seam) or fused_is_slow(queries.device))


def is_hooked(module: nn.Module) -> bool:
    """Whether anything looks at what goes in or comes out; torch has no public way to ask."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def fused_is_slow(device: torch.device) -> bool:
    """Under oneDNN's fast matrix product the CPU's fused kernels are many times slower than the explicit product."""
    matmul = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    return device.type == "cpu" and matmul.fp32_precision not in ("none", "ieee")


def _fused(
    queries: Tensor,
    seen: KeysValues,
    mask: Tensor | None,
    bias: Tensor | None,
    *,
    scale: float,
    dropout: float,
) -> Tensor:
    if bias is not None:
        mask = bias if mask is None else torch.where(mask, bias, float("-inf"))
    return F.scaled_dot_product_attention(
        queries, seen.keys, seen.values, mask, dropout_p=dropout, scale=scale
    )
