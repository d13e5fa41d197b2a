"""Decoding one token at a time over a cache. Fits `s2s.decode.Stepper` by shape; knows nothing of search."""

from __future__ import annotations

import torch
from torch import Tensor

from s2s.model import masks
from s2s.model.attention import KeysValues
from s2s.model.transformer import Transformer


class LayerPast:
    """One layer's keys and values so far."""

    def __init__(self) -> None:
        self.seen: KeysValues | None = None

    def extend(self, new: KeysValues) -> KeysValues:
        """Append along the length axis."""
        old = self.seen
        self.seen = new if old is None else KeysValues(torch.cat([old.keys, new.keys], 2), torch.cat([old.values, new.values], 2))
        return self.seen

    def reorder(self, rows: Tensor) -> None:
        """Keep these rows, in this order."""
        if self.seen is not None:
            self.seen = self.seen.select(rows)


class TransformerStepper:
    """Rows of hypotheses that advance together, each over its own source. Use inside `inference(model)`.

    The memory is read once; `reorder` copies it only when a row moves to another source.
    """

    def __init__(self, model: Transformer, src: Tensor) -> None:
        ids = model.config.ids
        self.model, self.start_id, self.eos_id, self.pad_id = model, ids.start, ids.eos, ids.pad
        self.src_mask = masks.padding(src, ids.pad)
        self.memories = model.decoder.read(model.encoder(src, self.src_mask))
        self.pasts = [LayerPast() for _ in self.memories]
        self.source = torch.arange(len(src), device=src.device)
        self.length = 0

    @property
    def n_rows(self) -> int:
        """How many hypotheses stand side by side."""
        return len(self.source)

    @property
    def max_length(self) -> int | None:
        """Most tokens a hypothesis may have, or None where the model sets no limit."""
        positions = self.model.config.positions
        return positions.max_length if positions.kind == "learned" else None

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> log-probabilities of the next in nats (rows, vocab), float32."""
        states = self.model.decoder.step(tokens.to(self.source.device), list(self.pasts), self.memories, self.src_mask, self.length)
        self.length += 1
        return self.model.project(states).float().log_softmax(-1)

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was; `rows` may repeat, drop and permute."""
        source = self.source[rows]
        if not torch.equal(source, self.source):
            self.src_mask = self.src_mask[rows]
            self.memories = [memory.select(rows) for memory in self.memories]
            self.source = source
        for past in self.pasts:
            past.reorder(rows)
