"""A model fused for decoding: the numbers of its modules in a fraction of the calls and the time."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.attention import KeysValues
from s2s.model.fast.cache import Cache
from s2s.model.fast.layers import (
    FusedDecoderLayer,
    FusedEncoderLayer,
    Memory,
    Step,
    fused_norm,
    lengthened,
)
from s2s.model.fast.linear import Map, PackedLinear, in_parts, packed, rounded
from s2s.model.transformer import DecoderLayer, Encoder, EncoderLayer, Transformer

COPIED = 2**26  # numbers of the largest output matrix copied into the fastest layouts: 268 MB


class FusedModel:
    """A `Transformer` fused for decoding, as long as no weight of it changes; each layout is made when first needed."""

    def __init__(self, model: Transformer) -> None:
        decoder = model.decoder
        layers = [cast(DecoderLayer, layer) for layer in decoder.layers]
        crosses = [layer.cross_attention for layer in layers]
        self.weights = tuple(model.parameters())
        self.versions = self._versions()
        self.encoder_hooks = _hooks(model.encoder)
        self.decoder_hooks = _hooks(decoder)
        self.encode = FusedEncoder(model.encoder)
        self.embed = FusedEmbed(decoder.embed)
        self.layers = [FusedDecoderLayer(layer, decoder.embed.position) for layer in layers]
        self.heads = (crosses[0].n_heads, crosses[0].d_head)
        # Of all layers: key, value, key, value, ...
        self.keys_values = packed([part for cross in crosses for part in (cross.key, cross.value)])
        self.final_norm = fused_norm(decoder.final_norm)
        self.projection = model.projection
        self.project: Sequence[Map] = [model.project]  # parts of a `WideLinear`
        matrix, bias, scale = model.projection
        if matrix.numel() <= COPIED:
            if scale != 1.0:
                matrix = matrix * scale
            self.project = in_parts(PackedLinear, matrix, bias)

    @functools.cached_property
    def project_fast(self) -> Sequence[Map]:
        """`project` in 8-bit integers, each word's row and each state on its own scale."""
        matrix, bias, scale = self.projection
        bias = None if bias is None else bias.detach().float()
        return in_parts(rounded, matrix.detach().float() * scale, bias)

    def is_stale(self) -> bool:
        """Whether a weight has changed since the model was fused."""
        return self._versions() != self.versions

    def _versions(self) -> list[tuple[int, int]]:
        return [(weight.data_ptr(), weight._version) for weight in self.weights]

    def memories(self, memory: Tensor) -> list[KeysValues]:
        """Each layer's keys and values of the memory (batch, src_len, d_model), in one product.

        Those of several sources have at least `SHORT` slots.
        """
        batch, src_len, _ = memory.shape
        # (batch * src_len, layers * 2 * heads * d_head)
        projected = self.keys_values(memory.flatten(0, 1))
        split = projected.view(batch, src_len, len(self.layers), 2, *self.heads)
        by_layer = split.permute(2, 3, 0, 4, 1, 5)  # (layers, 2, batch, heads, src_len, d_head)
        slots = by_layer.contiguous() if batch == 1 else lengthened(by_layer)
        return [KeysValues(keys, values) for keys, values in slots]

    def absorb(self, memories: Sequence[KeysValues]) -> Sequence[Memory]:
        """The memories of a single source without padding, absorbed where that takes fewer multiplications."""
        _, heads, src_len, _ = memories[0].keys.shape
        d_model = self.projection.weight.shape[1]
        has_output = isinstance(self.layers[0].cross_output, PackedLinear)
        if not has_output or heads * src_len > 2 * d_model:
            return memories
        pairs = zip(self.layers, memories, strict=True)
        return [layer.absorb(memory) for layer, memory in pairs]

    def step(
        self, tokens: Tensor, cache: Cache, memories: Sequence[Memory], src_mask: Tensor | None
    ) -> Tensor:
        """The decoder's states of one step, (rows,) -> (rows, d_model); the cache grows by one token per row."""
        x = self.embed(tokens, cache.length)  # (rows, d_model)
        step = Step(cache, self._mask(cache), src_mask)
        for number, (layer, memory) in enumerate(zip(self.layers, memories, strict=True)):
            x = layer(x, number, memory, step)
        cache.close()
        return self.final_norm(x)

    def _mask(self, cache: Cache) -> Tensor | None:
        """What is added to self-attention's scores: who descends from which slot, and what positions say."""
        descends = cache.open()
        mask = None if descends is None else descends[:, None]  # (sources, 1, beam, slots)
        if cache.times is None:
            return mask
        bias: Tensor | None = self.embed.position.bias(1, cache.length + 1, cache.times.device)
        if bias is None:
            return mask
        by_position = bias[0, :, 0]  # (1, heads, 1, positions) -> (heads, positions)
        by_slot: Tensor = by_position[:, cache.times]  # (heads, sources or 1, slots)
        by_slot = by_slot.transpose(0, 1)[:, :, None]  # -> (sources or 1, heads, 1, slots)
        return by_slot if mask is None else by_slot + mask


class FusedEmbed:
    """`Embed` fused for decoding: one token per row."""

    def __init__(self, module: Any) -> None:
        self.table: Tensor = module.tokens.weight
        self.scale: float = module.tokens.scale
        self.pad_id: int = module.pad_id
        self.position = module.position
        self.has_vectors = self.position.overrides("add")
        self.has_bias = self.position.bias(1, 1, self.table.device) is not None
        self.norm = fused_norm(module.norm)
        self.rows = torch.empty(0)  # the first positions' vectors

    def __call__(self, tokens: Tensor, start: int) -> Tensor:
        """(rows,) ids after `start` others -> (rows, d_model)."""
        x = torch.embedding(self.table, tokens)
        if self.has_vectors:
            row = self._row(start)  # (d_model,)
            if self.position.settings.skip_padding:
                is_real = tokens.ne(self.pad_id)[:, None]  # (rows, 1)
                row = row * is_real  # -> (rows, d_model)
            x = torch.add(row, x, alpha=self.scale)
        elif self.scale != 1.0:
            x = x * self.scale
        return self.norm(x)

    def _row(self, start: int) -> Tensor:
        """The vector of a position: (d_model,); read from the module some at a time."""
        if start >= len(self.rows):
            longest = self.position.settings.longest or sys.maxsize
            nothing = self.table.new_zeros(1, min(longest, 2 * start + 32), self.table.shape[1])
            self.rows = self.position.add(nothing, None)[0]  # (len, d_model)
        return self.rows.select(0, start)


class FusedEncoder:
    """`Encoder` in fewer calls."""

    def __init__(self, encoder: Encoder) -> None:
        self.embed = encoder.embed
        self.final_norm = fused_norm(encoder.final_norm)
        layers = [cast(EncoderLayer, layer) for layer in encoder.layers]
        self.layers = [FusedEncoderLayer(layer, encoder.embed.position) for layer in layers]

    def __call__(self, src: Tensor, hidden: Tensor | None) -> Tensor:
        """Source ids (batch, src_len) -> memory (batch, src_len, d_model); `hidden` (batch, 1, 1, slots) is added to
        the scores.

        Where there are more slots than tokens, the last ones are empty.
        """
        batch, length = src.shape
        mask = self.embed.position.bias(length, length, src.device)
        if mask is None:
            mask = hidden
        elif hidden is not None:
            n_empty = hidden.shape[-1] - length
            mask = F.pad(mask, (0, n_empty)) + hidden  # (batch, heads, src_len, slots)
        x = self.embed(src).flatten(0, 1)  # (batch * src_len, d_model)
        for layer in self.layers:
            x = layer(x, (batch, length), mask)
        return self.final_norm(x).view(batch, length, -1)


def fused(model: Transformer) -> FusedModel:
    """The fused model: the one made before, if no weight has changed since. Hold the model's lock."""
    made: FusedModel | None = model.fused
    if made is None or made.is_stale():
        made = model.fused = FusedModel(model)
    return made


def _hooks(module: nn.Module) -> list[dict[int, Any]]:
    """The dictionaries of forward hooks of all modules inside, empty ones where none is registered."""
    found: list[dict[int, Any]] = []
    for part in module.modules():
        found += [part._forward_hooks, part._forward_pre_hooks]
    return found
