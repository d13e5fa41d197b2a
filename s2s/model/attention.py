"""Multi-head attention (Vaswani et al. 2017, section 3.2), and the choice of how it is computed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from s2s.config import ModelConfig, Stack
from s2s.model.positions import NO_ORDER, Order

# The float32 numbers that one vector of this CPU holds, as torch uses it.
LANES = 16 if torch.backends.cpu.get_cpu_capability() == "AVX512" else 8
# For the whole process: cuDNN's attention, which torch prefers for bfloat16 on an H100, plans anew for every shape, and
# batches nearly all differ. The first updates of `transformer-base` took 600 ms each, of which the GPU worked 53.
torch.backends.cuda.enable_cudnn_sdp(False)


class KeysValues(NamedTuple):
    """Keys and values, both (batch, heads, key_len, d_head)."""

    keys: Tensor
    values: Tensor

    def select(self, rows: Tensor) -> KeysValues:
        """These rows of the batch, in this order."""
        keys = self.keys.index_select(0, rows)
        values = self.values.index_select(0, rows)
        return KeysValues(keys, values)


class Attention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W_O, where head_i is eq. 1 on d_head columns of each projection.

    `weights` is an identity that the attention weights pass through: `analysis` hooks it to read or to change them.
    Without a hook the fused kernel may skip it.
    """

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        settings = config.attention
        self.n_heads = stack.n_heads
        self.d_head = config.d_head(stack)
        inner = self.n_heads * self.d_head
        self.query = nn.Linear(config.d_model, inner, bias=settings.bias)
        self.key = nn.Linear(config.d_model, inner, bias=settings.bias)
        self.value = nn.Linear(config.d_model, inner, bias=settings.bias)
        self.output: nn.Module = nn.Identity()
        if settings.output_projection:
            self.output = nn.Linear(inner, config.d_model, bias=settings.bias)
        self.weights = nn.Identity()
        self.scale = self.d_head**-0.5 if settings.scaled else 1.0
        self.dropout = config.dropout if settings.dropout else 0.0

    def forward(
        self,
        x: Tensor,
        memory: Tensor | KeysValues,
        mask: Tensor,
        order: Order = NO_ORDER,
    ) -> Tensor:
        """x (batch, query_len, d_model) attends to memory (batch, key_len, d_model) -> (batch, query_len, d_model).

        `memory` may be its keys and values, where those are known already. `mask` broadcasts to (batch, heads,
        query_len, key_len), True = may look; a query without any allowed key gets zeros. `order` is what positions do
        in self-attention.
        """
        queries = order.rotate(self.split(self.query(x)))  # (batch, heads, query_len, d_head)
        if not isinstance(memory, KeysValues):
            memory = self.keys_values(memory, order)  # both (batch, heads, key_len, d_head)
        heads = self.attend(queries, *memory, mask, order.bias)  # (batch, heads, query_len, d_head)
        joined = heads.transpose(1, 2).flatten(2)  # (batch, query_len, heads * d_head)
        return self.output(joined)

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor, bias: Tensor | None
    ) -> Tensor:
        """softmax(scale Q K^T + bias) V (eq. 1): (batch, heads, query_len, d_head)."""
        dropout = self.dropout if self.training else 0.0
        if use_fused(queries, self.weights):
            added = _added_to_scores(mask, bias)
            return F.scaled_dot_product_attention(
                queries, keys, values, added, dropout_p=dropout, scale=self.scale
            )
        # In training alone: elsewhere, other threads may multiply at the same time.
        if torch.is_grad_enabled() and bias is None and not (dropout or is_hooked(self.weights)):
            return _ExactAttention.apply(queries, keys, values, mask, self.scale)  # type: ignore[no-untyped-call]
        weights = attention_weights(queries, keys, mask, bias, scale=self.scale)
        weights = self.weights(weights)  # (batch, heads, query_len, key_len)
        return F.dropout(weights, dropout) @ values

    def keys_values(self, memory: Tensor, order: Order = NO_ORDER) -> KeysValues:
        """(batch, key_len, d_model) -> keys and values, both (batch, heads, key_len, d_head)."""
        keys = order.rotate(self.split(self.key(memory)))
        values = self.split(self.value(memory))
        return KeysValues(keys, values)

    def split(self, x: Tensor) -> Tensor:
        """(batch, len, heads * d_head) -> (batch, heads, len, d_head)."""
        batch, length, _ = x.shape
        by_head = x.view(batch, length, self.n_heads, self.d_head)
        return by_head.transpose(1, 2)


class _ExactAttention(torch.autograd.Function):
    """softmax(scale Q K^T) V in exact products, where those of other layers are fast (Dao et al. 2022, appendix B).

    The matrices of a sentence are too small for oneDNN's fast product to pay, and one function for all takes fewer
    passes than autograd's: a training step takes 0.92 of the time, with batches of 1,024 tokens 0.71.
    """

    @staticmethod
    def forward(  # noqa: PLR0917 (torch calls it by position)
        ctx: Any, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor, scale: float
    ) -> Tensor:
        queries, keys, values = queries.contiguous(), keys.contiguous(), values.contiguous()
        with exact_products():
            weights = attention_weights(queries, keys, mask, None, scale=scale)
            heads = weights @ values  # (batch, heads, query_len, d_head)
        ctx.save_for_backward(queries, keys, values, weights, heads)
        ctx.scale = scale
        return heads

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, weights, heads = ctx.saved_tensors
        heads_grad = grads[0].contiguous()
        with exact_products():
            weights_grad = heads_grad @ values.mT  # (batch, heads, query_len, key_len)
            mean_grad = (heads_grad * heads).sum(-1, keepdim=True)  # of the weights, each by itself
            scores_grad = weights_grad.sub_(mean_grad).mul_(weights).mul_(ctx.scale)
            queries_grad = scores_grad @ keys
            keys_grad = scores_grad.mT @ queries
            values_grad = weights.mT @ heads_grad
        return queries_grad, keys_grad, values_grad, None, None


def attention_weights(
    queries: Tensor, keys: Tensor, mask: Tensor, bias: Tensor | None, *, scale: float
) -> Tensor:
    """softmax(scale Q K^T + bias) over the allowed keys (eq. 1): (batch, heads, query_len, key_len).

    Rows sum to 1; a row without any allowed key is all zeros.
    """
    scores = (queries * scale) @ keys.transpose(-1, -2)  # (batch, heads, query_len, key_len)
    if bias is not None:
        scores = scores + bias
    # The lowest finite number instead of -inf: a fully masked row stays finite, also backwards, and is zeroed after.
    lowest = torch.finfo(scores.dtype).min
    hidden = torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(~mask, lowest)
    weights = softmax(scores + hidden)
    has_key = mask.any(-1, keepdim=True)  # of each query
    return weights if has_key.all() else weights.masked_fill(~has_key, 0.0)


def softmax(scores: Tensor) -> Tensor:
    """Softmax over the last axis, with rows that are too short for the CPU's vectors padded until they fill one.

    torch's kernel takes up to ten times as long for a row of 15 as for one of 16, where a vector holds 16.
    """
    length = scores.shape[-1]
    if scores.device.type != "cpu" or length >= LANES:
        return scores.softmax(-1)
    padded = F.pad(scores, (0, LANES - length), value=torch.finfo(scores.dtype).min)
    return padded.softmax(-1)[..., :length]


def use_fused(queries: Tensor, seam: nn.Module) -> bool:
    """Whether torch's fused kernel computes attention: no hook needs the weights, and the kernel is not slower here."""
    return not (is_hooked(seam) or fused_is_slow(queries.device))


def is_hooked(module: nn.Module) -> bool:
    """Whether a forward hook or pre-hook is registered; torch has no public way to ask."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def fused_is_slow(device: torch.device) -> bool:
    """Under oneDNN's fast matrix product the CPU's fused kernels are many times slower than explicit products."""
    matmul = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    return device.type == "cpu" and matmul.fp32_precision not in ("none", "ieee")


@contextlib.contextmanager
def exact_products() -> Iterator[None]:
    """Within it, matrix products on a CPU are in float32, whatever is set; the setting is restored afterwards."""
    matmul = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    before = matmul.fp32_precision
    matmul.fp32_precision = "ieee"
    try:
        yield
    finally:
        matmul.fp32_precision = before


def _added_to_scores(mask: Tensor, bias: Tensor | None) -> Tensor:
    """What the fused kernel takes: the mask itself, or a bias of -inf where the mask forbids."""
    if bias is None:
        return mask
    return torch.where(mask, bias, float("-inf"))
