"""Decoding one token at a time over a cache. Fits `s2s.decode.Stepper` by shape; knows nothing of search."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.model import masks
from s2s.model.attention import KeysValues, fused_is_slow
from s2s.model.fast.cache import Cache, Shape
from s2s.model.fast.flat import SHORT, FlatModel, laid_out
from s2s.model.fast.products import can_round
from s2s.model.transformer import Transformer


class LayerPast:
    """One layer's keys and values so far."""

    def __init__(self) -> None:
        self.seen: KeysValues | None = None

    def extend(self, new: KeysValues) -> KeysValues:
        """Append along the length axis."""
        old = self.seen
        self.seen = (
            new
            if old is None
            else KeysValues(
                torch.cat([old.keys, new.keys], 2), torch.cat([old.values, new.values], 2)
            )
        )
        return self.seen

    def reorder(self, rows: Tensor) -> None:
        """Keep these rows, in this order."""
        if self.seen is not None:
            self.seen = self.seen.select(rows)


class TransformerStepper(ABC):
    """Rows of hypotheses that advance together, each over its own source. Use inside `inference(model)`.

    The memory is read once; `reorder` copies it only where rows move to another source.
    """

    def __init__(self, model: Transformer, src: Tensor) -> None:
        ids = model.config.ids
        self.model = model
        self.start_id = ids.start
        self.eos_id = ids.eos
        self.pad_id = ids.pad
        self.sources = [tuple(token for token in row if token != ids.pad) for row in src.tolist()]
        self.src_mask = masks.padding(src, ids.pad)
        self.memory = self._read(src)
        self.states = torch.empty(
            len(src), 0
        )  # (rows, d_model), what the last logits were projected from

    def _read(self, src: Tensor) -> Tensor:
        """The memory: (batch, src_len, d_model)."""
        memory: Tensor = self.model.encoder(src, self.src_mask)
        return memory

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """How many hypotheses stand side by side."""

    @property
    def max_length(self) -> int | None:
        """Most tokens a hypothesis may have, or None where the model sets no limit."""
        positions = self.model.config.positions
        return positions.max_length if positions.kind == "learned" else None

    @abstractmethod
    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> logits of the next (rows, vocab), float32, on the CPU, the caller's to write over."""

    @abstractmethod
    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was; `rows` may repeat, drop and permute."""


class ModuleStepper(TransformerStepper):
    """Calls the decoder's modules, as hooks want it."""

    def __init__(self, model: Transformer, src: Tensor) -> None:
        super().__init__(model, src)
        self.memories = model.decoder.read(self.memory)
        self.pasts = [LayerPast() for _ in self.memories]
        self.source = torch.arange(len(src), device=src.device)
        self.length = 0

    @property
    def n_rows(self) -> int:
        return len(self.source)

    def step(self, tokens: Tensor) -> Tensor:
        tokens = tokens.to(self.source.device)
        states = self.model.decoder.step(
            tokens, list(self.pasts), self.memories, self.src_mask, self.length
        )
        self.length = self.length + 1
        self.states = states.cpu()
        return self.model.project(states).float().cpu()

    def reorder(self, rows: Tensor) -> None:
        rows = rows.to(self.source.device)
        source = self.source[rows]
        if not torch.equal(source, self.source):
            self.src_mask = self.src_mask[rows]
            self.memories = [memory.select(rows) for memory in self.memories]
            self.source = source
        for past in self.pasts:
            past.reorder(rows)


class FlatStepper(TransformerStepper):
    """Calls the weights directly; the rows of one source share its memory and a cache that nothing is copied in."""

    def __init__(
        self,
        model: Transformer,
        src: Tensor,
        *,
        is_fast: bool = False,
        flat: FlatModel | None = None,
    ) -> None:
        self.flat = flat or laid_out(model)
        super().__init__(model, src)
        self.memories = self.flat.read(self.memory)
        self.looked_at = (
            self.flat.fold(self.memories)
            if len(src) == 1 and self.hidden is None
            else self.memories
        )
        if is_fast and not can_round(src.device):
            raise ValueError(f"no products of 8-bit numbers on {src.device}")
        self.project = self.flat.project_fast if is_fast else self.flat.project
        keys = self.memories[0].keys  # (batch, heads, src_len, d_head)
        shape = Shape(len(self.memories), keys.shape[1], keys.shape[3])
        self.cache = Cache(len(src), shape, like=keys, keeps_times=self.flat.has_bias)

    def _read(self, src: Tensor) -> Tensor:
        self.hidden = None  # or (batch, 1, 1, slots), added to the scores of looking at the source
        batch, src_len = src.shape
        missing = 0 if batch == 1 else max(0, SHORT - src_len)
        if missing or not bool(self.src_mask.all()):
            is_real = F.pad(self.src_mask, (0, missing))
            zeros = torch.zeros(
                is_real.shape, dtype=self.model.output.weight.dtype, device=src.device
            )
            self.hidden = zeros.masked_fill_(
                ~is_real, torch.finfo(zeros.dtype).min
            )  # finite: a source without tokens gives numbers too
        return (
            super()._read(src)
            if any(self.flat.encoder_hooks)
            else self.flat.encode(src, self.hidden)
        )

    @property
    def n_rows(self) -> int:
        return self.cache.rows

    def step(self, tokens: Tensor) -> Tensor:
        tokens = tokens.to(self.memory.device)
        states = self.flat.step(tokens, self.cache, self.looked_at, self.hidden)
        self.states = states.cpu()
        return self.project(states).float().cpu()

    def reorder(self, rows: Tensor) -> None:
        kept = self.cache.reorder(rows.to(self.memory.device))
        if kept is not None:
            self.looked_at = self.memories = [memory.select(kept) for memory in self.memories]
            self.hidden = None if self.hidden is None else self.hidden[kept]


def stepper_for(model: Transformer, src: Tensor, precision: str = "exact") -> TransformerStepper:
    """Sources (batch, src_len), padded at the end -> the faster stepper that shows what hooks are there to see.

    `fast` rounds the output matrix to 8 bits (raises ValueError where `can_round` says no), unless something is hooked.
    """
    flat = laid_out(model)
    if any(flat.decoder_hooks) or fused_is_slow(src.device):
        return ModuleStepper(model, src)
    return FlatStepper(model, src, is_fast=precision == "fast", flat=flat)
