"""Fused layers: the numbers of `s2s.model`'s modules in fewer calls.

The scale of the scores stands in the queries' weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.attention import Attention, KeysValues
from s2s.model.fast.cache import Cache
from s2s.model.fast.linear import Map, NoLinear, PackedLinear, add_product, packed
from s2s.model.layers import FeedForward
from s2s.model.positions import Position
from s2s.model.transformer import DecoderLayer, EncoderLayer

SHORT = 16  # keys that fill a register: attention over fewer takes longer than over so many


class Step(NamedTuple):
    """What every decoder layer of one step is given."""

    cache: Cache
    # (sources or 1, heads or 1, beam or 1, slots), added to self-attention's scores
    mask: Tensor | None
    src_mask: Tensor | None  # (sources, 1, 1, src_len), added to cross-attention's scores


class AbsorbedMemory(NamedTuple):
    """One layer's memory of a single source, multiplied with the weights around it: two products instead of four."""

    keys: Tensor  # (d_model, heads * src_len), from states to scores
    bias: Tensor | None  # (heads * src_len,)
    values: Tensor  # (heads * src_len, d_model), from weights to what joins the stream
    out_bias: Tensor | None  # (d_model,), added to every row


Memory = KeysValues | AbsorbedMemory


class FusedEncoderLayer:
    """`EncoderLayer` in fewer calls."""

    def __init__(self, layer: EncoderLayer, position: Position) -> None:
        attention = layer.self_attention
        self.heads = attention.n_heads
        self.d_head = attention.d_head
        self.rotate = position.rotate if position.overrides("rotate") else None
        self.queries_keys_values = _queries_keys_values(attention)
        self.output = _output(attention.output)
        self.feed_forward = _feed_forward(layer.feed_forward)
        self.is_pre = layer.self_residual.is_pre
        self.self_norm = fused_norm(layer.self_residual.norm)
        residual = layer.feed_forward_residual
        self.feed_forward_norm = identity if residual is None else fused_norm(residual.norm)

    def __call__(self, x: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        """(batch * src_len, d_model) -> the same shape; `grid` is (batch, src_len)."""
        if self.is_pre:
            x = self._attend(self.self_norm(x), x, grid, mask)
            return self.feed_forward(self.feed_forward_norm(x), x)
        x = self.self_norm(self._attend(x, x, grid, mask))
        return self.feed_forward_norm(self.feed_forward(x, x))

    def _attend(self, y: Tensor, x: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        """Self-attention of y, added to the stream x."""
        batch, src_len = grid
        projected = self.queries_keys_values(y)  # (batch * src_len, 3 * heads * d_head)
        split = projected.view(batch, src_len, 3, self.heads, self.d_head)
        # each (batch, heads, src_len, d_head)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)
        if self.rotate is not None:
            queries = self.rotate(queries)
            keys = self.rotate(keys)
        if mask is not None and mask.shape[-1] > src_len:
            keys = lengthened(keys)  # (batch, heads, SHORT, d_head)
            values = lengthened(values)
        heads = F.scaled_dot_product_attention(queries, keys, values, mask, scale=1.0)
        # (batch, heads, src_len, d_head) -> (batch * src_len, heads * d_head)
        joined = heads.transpose(1, 2).reshape(len(x), -1)
        return self.output.add_to(x, joined)


class FusedDecoderLayer:
    """`DecoderLayer` in fewer calls, one token per row.

    With post-norm, a norm adds in advance what the next sublayer would add to every row, its output bias: the stream is
    `pre_added` that much ahead, and the sublayer's first product subtracts it again.
    """

    def __init__(self, layer: DecoderLayer, position: Position) -> None:
        attention = layer.self_attention
        cross = layer.cross_attention
        feed_forward = layer.feed_forward
        self.heads = attention.n_heads
        self.d_head = attention.d_head
        self.rotate = position.rotate if position.overrides("rotate") else None
        self.is_pre = layer.self_residual.is_pre
        pre_cross = None
        pre_feed_forward = None
        if not self.is_pre and isinstance(layer.self_residual.norm, nn.LayerNorm):
            pre_cross = _bias(cross.output)
            if feed_forward is not None:
                pre_feed_forward = _bias(feed_forward.down)
        self.queries_keys_values = _queries_keys_values(attention)
        self.queries = packed([cross.query], cross.scale, pre_added=pre_cross)
        self.self_output = _output(attention.output)
        self.cross_output = _output(cross.output, has_pre_added=pre_cross is not None)
        self.feed_forward = _feed_forward(feed_forward, pre_feed_forward)
        self.self_norm = fused_norm(layer.self_residual.norm, pre_cross)
        self.cross_norm = fused_norm(layer.cross_residual.norm, pre_feed_forward)
        residual = layer.feed_forward_residual
        self.feed_forward_norm = identity if residual is None else fused_norm(residual.norm)

    def absorb(self, memory: KeysValues) -> AbsorbedMemory:
        """The layer's keys and values (1, heads, src_len, d_head) of one source, with the weights around them."""
        output = self.cross_output
        if not isinstance(output, PackedLinear):
            raise ValueError("without an output projection there is nothing to absorb")
        keys = memory.keys[0]  # (heads, src_len, d_head)
        values = memory.values[0]  # (heads, src_len, d_head)
        query = self.queries.transposed.view(-1, self.heads, self.d_head)
        query = query.permute(1, 2, 0)  # (d_model, heads, d_head) -> (heads, d_head, d_model)
        to_scores = torch.bmm(keys, query)  # (heads, src_len, d_model)
        bias = None
        if self.queries.bias is not None:
            query_bias = self.queries.bias.view(self.heads, self.d_head, 1)
            bias = torch.bmm(keys, query_bias).flatten()  # (heads * src_len,)
        projection = output.transposed.view(self.heads, self.d_head, -1)
        to_stream = torch.bmm(values, projection)  # (heads, src_len, d_model)
        return AbsorbedMemory(
            keys=to_scores.flatten(0, 1).t(),  # (d_model, heads * src_len)
            bias=bias,
            values=to_stream.flatten(0, 1),  # (heads * src_len, d_model)
            out_bias=output.bias,
        )

    def __call__(self, x: Tensor, number: int, memory: Memory, step: Step) -> Tensor:
        """(rows, d_model) -> (rows, d_model); `number` is the layer's, in the cache."""
        if self.is_pre:
            x = self._attend(self.self_norm(x), x, number, step)
            x = self._cross_attend(self.cross_norm(x), x, memory, step)
            return self.feed_forward(self.feed_forward_norm(x), x)
        x = self.self_norm(self._attend(x, x, number, step))
        x = self.cross_norm(self._cross_attend(x, x, memory, step))
        return self.feed_forward_norm(self.feed_forward(x, x))

    def _attend(self, y: Tensor, x: Tensor, number: int, step: Step) -> Tensor:
        """Self-attention of y over the cache, added to the stream x."""
        cache = step.cache
        projected = self.queries_keys_values(y)  # (rows, 3 * heads * d_head)
        split = projected.view(cache.sources, cache.beam, 3, self.heads, self.d_head)
        if self.rotate is not None:
            both = split.narrow(2, 0, 2)  # queries and keys: (sources, beam, 2, heads, d_head)
            as_heads = both.reshape(-1, 2 * self.heads, 1, self.d_head)
            rotated = self.rotate(as_heads, cache.length)
            both.copy_(rotated.view(both.shape))
        by_kind = split.permute(2, 0, 3, 1, 4)  # (3, sources, heads, beam, d_head)
        queries = by_kind.select(0, 0)  # (sources, heads, beam, d_head)
        memory = cache.extend(number, by_kind.narrow(0, 1, 2))
        heads = attend(queries, memory, step.mask)
        # (sources, heads, beam, d_head) -> (rows, heads * d_head)
        joined = heads.transpose(1, 2).reshape(x.size(0), -1)
        return self.self_output.add_to(x, joined)

    def _cross_attend(self, y: Tensor, x: Tensor, memory: Memory, step: Step) -> Tensor:
        """Cross-attention of y, added to the stream x; a source's rows are so many queries of one memory."""
        if isinstance(memory, AbsorbedMemory):
            if memory.bias is None:
                scores = torch.mm(y, memory.keys)  # (rows, heads * src_len)
            else:
                scores = torch.addmm(memory.bias, y, memory.keys)  # (rows, heads * src_len)
            by_head = scores.view(y.size(0), self.heads, -1)  # (rows, heads, src_len)
            weights = by_head.softmax(-1).view(scores.shape)  # -> (rows, heads * src_len)
            return add_product(x, weights, memory.values, memory.out_bias)
        cache = step.cache
        queries = self.queries(y).view(cache.sources, cache.beam, self.heads, self.d_head)
        queries = queries.transpose(1, 2)  # (sources, heads, beam, d_head)
        heads = attend(queries, memory, step.src_mask)
        # (sources, heads, beam, d_head) -> (rows, heads * d_head)
        joined = heads.transpose(1, 2).reshape(x.size(0), -1)
        return self.cross_output.add_to(x, joined)


class FusedFeedForward:
    """`FeedForward` in fewer calls; `pre_added` is what the stream holds in advance."""

    def __init__(self, module: FeedForward, pre_added: Tensor | None = None) -> None:
        self.up = packed([module.up], pre_added=pre_added)
        self.gate = None if module.gate is None else packed([module.gate], pre_added=pre_added)
        self.down = _output(module.down, has_pre_added=pre_added is not None)
        self.activation = torch.relu_ if module.activation is F.relu else module.activation

    def __call__(self, y: Tensor, x: Tensor) -> Tensor:
        """Feed-forward of y, added to the stream x, both (rows, d_model)."""
        if self.gate is None:
            hidden = self.activation(self.up(y))  # (rows, d_ff)
        else:
            hidden = self.activation(self.gate(y)) * self.up(y)  # (rows, d_ff)
        return self.down.add_to(x, hidden)


class FusedNorm:
    """`nn.LayerNorm`, plus what the stream holds in advance."""

    def __init__(self, norm: nn.LayerNorm, pre_added: Tensor | None) -> None:
        self.shape = norm.normalized_shape
        self.weight = norm.weight
        self.eps = norm.eps
        self.bias: Tensor | None = norm.bias
        if pre_added is not None:
            self.bias = pre_added if self.bias is None else self.bias + pre_added

    def __call__(self, x: Tensor) -> Tensor:
        """(rows, d_model) -> (rows, d_model)."""
        return torch.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


def attend(queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
    """Attention of few queries (sources, heads, beam, d_head); on CPUs two products are faster than a fused kernel."""
    if queries.size(0) == 1 or queries.device.type != "cpu":
        return F.scaled_dot_product_attention(queries, memory.keys, memory.values, mask, scale=1.0)
    keys = memory.keys.flatten(0, 1)  # (sources * heads, slots, d_head)
    values = memory.values.flatten(0, 1)
    # (sources * heads, beam, slots)
    scores = torch.bmm(queries.flatten(0, 1), keys.transpose(1, 2))
    if mask is not None:
        by_head = scores.view(*queries.shape[:3], -1)  # (sources, heads, beam, slots)
        by_head.add_(mask)
    weights = scores.softmax(-1)
    return torch.bmm(weights, values).view(queries.shape)


def lengthened(keys: Tensor) -> Tensor:
    """Keys or values (..., len, d_head), padded with zeros up to `SHORT`; a mask must hide the padding."""
    missing = max(0, SHORT - keys.shape[-2])
    return F.pad(keys, (0, 0, 0, missing)).contiguous()


def fused_norm(module: nn.Module, pre_added: Tensor | None = None) -> Map:
    """A norm as one call; none at all is the identity."""
    if isinstance(module, nn.LayerNorm):
        return FusedNorm(module, pre_added)
    return identity if isinstance(module, nn.Identity) else module


def identity(x: Tensor) -> Tensor:
    """x itself."""
    return x


def _queries_keys_values(attention: Attention) -> PackedLinear:
    return packed([attention.query, attention.key, attention.value], attention.scale)


def _bias(module: nn.Module) -> Tensor | None:
    return module.bias if isinstance(module, nn.Linear) else None


def _output(module: nn.Module, *, has_pre_added: bool = False) -> PackedLinear | NoLinear:
    """What joins a sublayer to the stream; without its bias where the stream holds it already."""
    if not isinstance(module, nn.Linear):
        return NoLinear()
    return PackedLinear(module.weight, None if has_pre_added else module.bias)


def _feed_forward(
    module: FeedForward | None, pre_added: Tensor | None = None
) -> Callable[[Tensor, Tensor], Tensor]:
    """The fused feed-forward; where there is none, the stream stays as it is."""
    if module is None:
        return lambda y, x: x
    return FusedFeedForward(module, pre_added)
