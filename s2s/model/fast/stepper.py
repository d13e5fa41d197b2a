"""Decoding one token at a time over a cache. Fits `s2s.decode.Stepper` by shape; knows nothing of search."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.config import SpecialIds
from s2s.model import masks
from s2s.model.attention import Attention, KeysValues, fused_is_slow
from s2s.model.fast.cache import Cache, Shape
from s2s.model.fast.fused import FusedModel, fused
from s2s.model.fast.layers import SHORT, Memory
from s2s.model.fast.linear import WideLinear, can_round
from s2s.model.transformer import Transformer


class TransformerStepper(ABC):
    """Rows of hypotheses that advance together, each over its own source. Use inside `inference(model)`.

    The memory is read once; `reorder` copies it only where rows move to another source.
    """

    def __init__(self, model: Transformer, src: Tensor, *, ids: SpecialIds | None = None) -> None:
        """`ids` are the model's own unless others are given, for another language say."""
        ids = ids or model.config.ids
        self.model = model
        self.start_id = ids.start
        self.eos_id = ids.eos
        self.first_id = ids.forced_first
        self.suppressed = ids.suppressed_sequences
        self.suppressed_first = ids.suppressed_first_ids
        self.renormalizes = ids.renormalizes
        self.forces_end = ids.forces_end
        self.pad_id = ids.pad
        # The real tokens of each.
        self.sources = [tuple(token for token in row if token != ids.pad) for row in src.tolist()]
        self.src_mask = masks.padding(src, ids.pad)  # (batch, 1, 1, src_len)
        self.memory = self._read(src)  # (batch, src_len, d_model)
        self.states = torch.empty(len(src), 0)  # (rows, d_model), what gave the last logits

    def _read(self, src: Tensor) -> Tensor:
        """The memory: (batch, src_len, d_model)."""
        return self.model.encode(src)

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """How many hypotheses stand side by side."""

    @property
    def max_length(self) -> int | None:
        """The longest hypothesis in tokens; None where the model sets no limit."""
        return self.model.config.positions.longest

    @abstractmethod
    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> logits of the next (rows, vocab).

        They are float32, where the model is; the caller may write over them, as the next step may.
        """

    @abstractmethod
    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was; `rows` may repeat, drop and permute."""


class ModuleStepper(TransformerStepper):
    """Calls the decoder itself, so that hooks see what they expect; keys and values of earlier tokens are cached.

    The cache is a hook, too: before an attention runs, the vectors that it attends to give way to their keys and
    values.
    """

    def __init__(self, model: Transformer, src: Tensor, *, ids: SpecialIds | None = None) -> None:
        super().__init__(model, src, ids=ids)
        self.row_source = torch.arange(len(src), device=src.device)
        self.length = 0
        self.cached: dict[Attention, KeysValues] = {}
        layers: Any = model.decoder.layers
        self.self_attentions: list[Attention] = [layer.self_attention for layer in layers]
        self.cross_attentions: list[Attention] = [layer.cross_attention for layer in layers]
        for attention in self.cross_attentions:
            self.cached[attention] = attention.keys_values(self.memory)

    @property
    def n_rows(self) -> int:
        return len(self.row_source)

    def step(self, tokens: Tensor) -> Tensor:
        tokens = tokens.to(self.row_source.device)
        with self._caching():
            decoder = self.model.decoder
            states = decoder(tokens[:, None], self.memory, self.src_mask, self.length)
        states = states[:, 0]  # (rows, 1, d_model) -> (rows, d_model)
        logits = self.model.project(states)  # (rows, vocab)
        self.length += 1
        self.states = states
        return logits.float()

    def reorder(self, rows: Tensor) -> None:
        rows = rows.to(self.row_source.device)
        row_source = self.row_source[rows]
        moved = self.self_attentions if self.length else []
        if not torch.equal(row_source, self.row_source):
            self.src_mask = self.src_mask[rows]
            moved = [*moved, *self.cross_attentions]
            self.row_source = row_source
        for attention in moved:
            self.cached[attention] = self.cached[attention].select(rows)

    @contextlib.contextmanager
    def _caching(self) -> Iterator[None]:
        with contextlib.ExitStack() as hooks:
            for attention in self.self_attentions:
                handle = attention.register_forward_pre_hook(self._extend, prepend=True)
                hooks.callback(handle.remove)
            for attention in self.cross_attentions:
                handle = attention.register_forward_pre_hook(self._recall, prepend=True)
                hooks.callback(handle.remove)
            yield

    def _extend(self, module: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Self-attention of the new tokens over all so far."""
        attention = cast(Attention, module)
        x, memory, mask, order = inputs
        keys, values = attention.keys_values(memory, order)  # (rows, heads, 1, d_head)
        if earlier := self.cached.get(attention):
            keys = torch.cat([earlier.keys, keys], 2)  # (rows, heads, length + 1, d_head)
            values = torch.cat([earlier.values, values], 2)
        self.cached[attention] = KeysValues(keys, values)
        return x, self.cached[attention], mask, order

    def _recall(self, module: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Cross-attention over keys and values that do not depend on the target."""
        x, _, mask = inputs
        return x, self.cached[cast(Attention, module)], mask


class FusedStepper(TransformerStepper):
    """Calls the weights directly; the rows of one source share its memory and a cache that forks without copies."""

    def __init__(
        self,
        model: Transformer,
        src: Tensor,
        *,
        is_fast: bool = False,
        fused_model: FusedModel | None = None,
        ids: SpecialIds | None = None,
    ) -> None:
        self.fused = fused_model or fused(model)
        super().__init__(model, src, ids=ids)
        if is_fast and not can_round(src.device):
            raise ValueError(f"no products of 8-bit integers on {src.device}")
        parts = self.fused.project_fast if is_fast else self.fused.project
        self.project = WideLinear(parts, len(self.fused.projection.weight))
        self.keys_values = self.fused.memories(self.memory)
        self.memories: Sequence[Memory] = self.keys_values
        if len(src) == 1 and self.hidden is None:
            self.memories = self.fused.absorb(self.keys_values)
        keys = self.keys_values[0].keys  # (batch, heads, src_len, d_head)
        shape = Shape(layers=len(self.keys_values), heads=keys.shape[1], d_head=keys.shape[3])
        self.cache = Cache(len(src), shape, like=keys, keeps_times=self.fused.embed.has_bias)

    def _read(self, src: Tensor) -> Tensor:
        self.hidden = None  # or (batch, 1, 1, slots), added to cross-attention's scores
        batch, src_len = src.shape
        missing = 0 if batch == 1 else max(0, SHORT - src_len)
        if missing or not bool(self.src_mask.all()):
            is_real = F.pad(self.src_mask, (0, missing))  # (batch, 1, 1, slots)
            dtype = self.model.output.weight.dtype
            zeros = torch.zeros(is_real.shape, dtype=dtype, device=src.device)
            # Finite, so that a source without tokens gives numbers too.
            self.hidden = zeros.masked_fill_(~is_real, torch.finfo(dtype).min)
        if any(self.fused.encoder_hooks):
            return super()._read(src)
        return self.fused.encode(src, self.hidden)

    @property
    def n_rows(self) -> int:
        return self.cache.rows

    def step(self, tokens: Tensor) -> Tensor:
        tokens = tokens.to(self.memory.device)
        states = self.fused.step(tokens, self.cache, self.memories, self.hidden)  # (rows, d_model)
        logits = self.project(states)  # (rows, vocab)
        self.states = states
        return logits.float()

    def reorder(self, rows: Tensor) -> None:
        kept = self.cache.reorder(rows)
        if kept is None:
            return
        self.keys_values = [memory.select(kept) for memory in self.keys_values]
        self.memories = self.keys_values
        if self.hidden is not None:
            self.hidden = self.hidden[kept]


def stepper_for(
    model: Transformer, src: Tensor, precision: str = "exact", ids: SpecialIds | None = None
) -> TransformerStepper:
    """Sources (batch, src_len), padded at the end -> the faster stepper that runs what is hooked.

    `fast` rounds the output matrix to 8 bits (raises ValueError where `can_round` says no), unless something is hooked.
    `ids` stand in for the model's own.
    """
    fused_model = fused(model)
    if any(fused_model.decoder_hooks) or fused_is_slow(src.device):
        return ModuleStepper(model, src, ids=ids)
    return FusedStepper(model, src, is_fast=precision == "fast", fused_model=fused_model, ids=ids)
