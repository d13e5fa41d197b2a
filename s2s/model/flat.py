"""A model laid out for decoding: the numbers its modules give, in a fraction of the calls and the time. Knows nothing of search."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.attention import KeysValues
from s2s.model.cache import Cache
from s2s.model.layers import FeedForward
from s2s.model.positions import Absolute, Position, Rotary
from s2s.model.products import Product, Turn, affine, rounded
from s2s.model.transformer import DecoderLayer, Encoder, EncoderLayer, Transformer

COPIED = 2**25  # numbers of an output matrix that is still copied into the orders in which it is multiplied fastest


class View(NamedTuple):
    """What every layer of a step is told."""

    cache: Cache
    mask: Tensor | None  # (families or 1, heads or 1, width or 1, slots), added to the scores of looking back
    src_mask: Tensor | None  # (families, 1, 1, src_len), added to the scores of looking at the source


class FlatModel:
    """The weights of a `Transformer` as they are now; those that change later are not seen."""

    def __init__(self, model: Transformer) -> None:
        self.embed, self.position = model.decoder.embed, model.decoder.embed.position
        self.weights, self.modules = tuple(model.parameters()), (*model.encoder.modules(), *model.decoder.modules())
        self.state = self._state()
        self.encode = FlatEncoder(model.encoder)
        self.layers = [FlatLayer(cast(DecoderLayer, layer), self.position) for layer in model.decoder.layers]
        crosses = [cast(DecoderLayer, layer).cross_attention for layer in model.decoder.layers]
        self.heads = (crosses[0].n_heads, crosses[0].d_head)
        self._remember = affine([part for cross in crosses for part in (cross.key, cross.value)])
        self.places = torch.empty(0)
        self.has_bias = self.position.bias(1, 1, model.device) is not None
        self.first_norm, self.last_norm = _norm(self.embed.norm), _norm(model.decoder.final_norm)
        self.projection = matrix, bias, scale = model.projection
        self.project = Product(matrix * scale, bias) if matrix.numel() <= COPIED else model.project

    @functools.cached_property
    def project_fast(self) -> Turn:
        """`project` with matrix and states rounded to 8 bits, each word's row and each state on a scale of its own."""
        matrix, bias, scale = self.projection
        return rounded(matrix.detach().float() * scale, None if bias is None else bias.detach().float())

    def is_stale(self) -> bool:
        """Whether a weight has changed since."""
        return self._state() != self.state

    def _state(self) -> list[tuple[int, int]]:
        return [(weight.data_ptr(), weight._version) for weight in self.weights]

    def read(self, memory: Tensor) -> list[KeysValues]:
        """`Decoder.read` in one product: each layer's keys and values of the memory (batch, src_len, d_model)."""
        layers = self._remember(memory.flatten(0, 1)).view(*memory.shape[:2], len(self.layers), 2, *self.heads)
        by_layer = layers.permute(2, 3, 0, 4, 1, 5).contiguous()  # (layers, 2, batch, heads, src_len, d_head)
        return [KeysValues(keys, values) for keys, values in by_layer]

    def step(self, tokens: Tensor, cache: Cache, memories: Sequence[KeysValues], src_mask: Tensor | None) -> Tensor:
        """(rows,) -> (rows, d_model); the cache grows by one token a row."""
        x, view = self._vectors(tokens, cache.length), View(cache, self._mask(cache), src_mask)
        for number, (layer, memory) in enumerate(zip(self.layers, memories, strict=True)):
            x = layer(x, number, memory, view)
        cache.close()
        return self.last_norm(x)

    def _vectors(self, tokens: Tensor, start: int) -> Tensor:
        """(rows,) -> (rows, d_model), the norm of embeddings included."""
        table, scale = self.embed.tokens.weight, self.embed.tokens.scale
        vectors = F.embedding(tokens, table)
        x = vectors * scale if scale != 1.0 else vectors
        if isinstance(self.position, Absolute):
            place = self._places(start)
            x = x + (place * tokens.ne(self.embed.pad_id)[:, None] if self.position.settings.skip_padding else place)
        return self.first_norm(x)

    def _places(self, start: int) -> Tensor:
        """(d_model,), the vector of a position; read from the module some at a time."""
        if start >= len(self.places):
            position = cast(Absolute, self.position)
            first, most = position.settings.offset, position.settings.max_length if position.settings.kind == "learned" else 2**31
            end = first + min(most, 2 * start + 32)
            self.places = position.rows(torch.arange(first, end, device=self.embed.tokens.weight.device), end)
        return self.places[start]

    def _mask(self, cache: Cache) -> Tensor | None:
        looks = cache.open()
        mask = None if looks is None else looks[:, None]  # (families, 1, width, slots)
        if cache.times is None:
            return mask
        bias = self.position.bias(1, cache.length + 1, cache.times.device)  # (1, heads, 1, length)
        if bias is None:
            return mask
        by_slot = bias[0, :, 0][:, cache.times].transpose(0, 1)[:, :, None]  # -> (families or 1, heads, 1, slots)
        return by_slot if mask is None else by_slot + mask


def laid_out(model: Transformer) -> FlatModel:
    """The one made before, if no weight has changed since. Hold the model's lock."""
    made: FlatModel | None = model.flat
    if made is None or made.is_stale():
        made = model.flat = FlatModel(model)
    return made


class FlatEncoder:
    """`Encoder`; the scale of the scores stands in the queries' weights."""

    def __init__(self, encoder: Encoder) -> None:
        self.embed, self.last_norm = encoder.embed, _norm(encoder.final_norm)
        self.layers = [FlatEncoderLayer(cast(EncoderLayer, layer), encoder.embed.position) for layer in encoder.layers]

    def __call__(self, src: Tensor, hidden: Tensor | None) -> Tensor:
        """(batch, src_len) -> memory (batch, src_len, d_model); `hidden` (batch, 1, 1, src_len) is added to the scores."""
        x, (batch, length) = self.embed(src), src.shape
        bias = self.embed.position.bias(length, length, src.device)
        mask = hidden if bias is None else bias if hidden is None else bias + hidden
        x = x.flatten(0, 1)
        for layer in self.layers:
            x = layer(x, (batch, length), mask)
        return self.last_norm(x).view(batch, length, -1)


class FlatEncoderLayer:
    """`EncoderLayer`."""

    def __init__(self, layer: EncoderLayer, position: Position) -> None:
        own, ff = layer.self_attention, layer.feed_forward
        self.heads, self.d_head, self.inner = own.n_heads, own.d_head, own.n_heads * own.d_head
        self.rotate = position.rotate if isinstance(position, Rotary) else None
        self.ask = affine([own.query, own.key, own.value], own.scale)
        self.out, self.feed_forward = _out(own.output), None if ff is None else _feed_forward(ff)
        self.is_pre = layer.self_residual.is_pre
        residuals = (layer.self_residual, layer.feed_forward_residual)
        self.norms = [_same if residual is None else _norm(residual.norm) for residual in residuals]

    def __call__(self, x: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        """(batch * src_len, d_model) -> the same shape."""
        first, second = self.norms
        if self.is_pre:
            x = x + self._look(first(x), grid, mask)
            return x if self.feed_forward is None else x + self.feed_forward(second(x))
        x = first(x + self._look(x, grid, mask))
        return x if self.feed_forward is None else second(x + self.feed_forward(x))

    def _look(self, y: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        all_three = self.ask(y).view(*grid, 3, self.heads, self.d_head)
        queries, keys, values = (part.transpose(1, 2) for part in all_three.unbind(2))
        if self.rotate is not None:
            queries, keys = self.rotate(queries), self.rotate(keys)
        gathered = F.scaled_dot_product_attention(queries, keys, values, mask, scale=1.0)
        return self.out(gathered.transpose(1, 2).reshape(-1, self.inner))


class FlatLayer:
    """`DecoderLayer`; the scale of the scores stands in the queries' weights."""

    def __init__(self, layer: DecoderLayer, position: Position) -> None:
        own, cross, ff = layer.self_attention, layer.cross_attention, layer.feed_forward
        self.heads, self.d_head, self.inner = own.n_heads, own.d_head, own.n_heads * own.d_head
        self.rotate = position.rotate if isinstance(position, Rotary) else None
        self.look_back = affine([own.query, own.key, own.value], own.scale)
        self.ask = affine([cross.query], cross.scale)
        self.own_out, self.cross_out = _out(own.output), _out(cross.output)
        self.feed_forward = None if ff is None else _feed_forward(ff)
        self.is_pre = layer.self_residual.is_pre
        residuals = (layer.self_residual, layer.cross_residual, layer.feed_forward_residual)
        self.norms = [_same if residual is None else _norm(residual.norm) for residual in residuals]

    def __call__(self, x: Tensor, number: int, memory: KeysValues, view: View) -> Tensor:
        """(rows, d_model) -> (rows, d_model)."""
        first, second, third = self.norms
        if self.is_pre:
            x = x + self._look_back(first(x), number, view)
            x = x + self._look_at(second(x), memory, view)
            return x if self.feed_forward is None else x + self.feed_forward(third(x))
        x = first(x + self._look_back(x, number, view))
        x = second(x + self._look_at(x, memory, view))
        return x if self.feed_forward is None else third(x + self.feed_forward(x))

    def _look_back(self, y: Tensor, number: int, view: View) -> Tensor:
        all_three = self.look_back(y).view(view.cache.families, view.cache.width, 3, self.heads, self.d_head)
        if self.rotate is not None:
            both = all_three.narrow(2, 0, 2)  # (families, width, 2, heads, d_head)
            turned = self.rotate(both.reshape(-1, 2 * self.heads, 1, self.d_head), view.cache.length)
            both.copy_(turned.view(both.shape))
        seen = view.cache.extend(number, all_three.narrow(2, 1, 2))
        queries = all_three.select(2, 0).transpose(1, 2)
        gathered = F.scaled_dot_product_attention(queries, seen.keys, seen.values, view.mask, scale=1.0)
        return self.own_out(gathered.transpose(1, 2).reshape(-1, self.inner))

    def _look_at(self, y: Tensor, memory: KeysValues, view: View) -> Tensor:
        """A family's rows are so many queries of one memory."""
        grid = (view.cache.families, view.cache.width, self.heads, self.d_head)
        queries = self.ask(y).view(grid).transpose(1, 2)
        gathered = F.scaled_dot_product_attention(queries, memory.keys, memory.values, view.src_mask, scale=1.0)
        return self.cross_out(gathered.transpose(1, 2).reshape(-1, self.inner))


def _feed_forward(ff: FeedForward) -> Turn:
    up, down, activation = affine([ff.up]), affine([ff.down]), ff.activation
    if ff.gate is None:
        return lambda x: down(activation(up(x)))
    gate = affine([ff.gate])
    return lambda x: down(activation(gate(x)) * up(x))


def _out(module: nn.Module) -> Turn:
    return affine([module]) if isinstance(module, nn.Linear) else _same


def _norm(module: nn.Module) -> Turn:
    if isinstance(module, nn.LayerNorm):
        return lambda x: torch.layer_norm(x, module.normalized_shape, module.weight, module.bias, module.eps)
    return _same if isinstance(module, nn.Identity) else module


def _same(x: Tensor) -> Tensor:
    return x
