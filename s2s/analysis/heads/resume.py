"""One forward pass remembered layer by layer, so that a changed head costs only what comes after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from s2s.analysis.heads.batches import Batch, losses
from s2s.analysis.intervene import Head
from s2s.model import Transformer, masks


class RememberedPass:
    """What enters each layer of an unchanged model for a batch; hold `inference(model)` around all uses."""

    def __init__(self, model: Transformer, batch: Batch) -> None:
        self.model = model
        self.batch = batch
        self.src_mask = masks.padding(batch.src, model.config.ids.pad)
        self.tgt_in = batch.tgt[:, :-1]
        self.encoder_inputs: list[Tensor] = []
        self.decoder_inputs: list[Tensor] = []
        self.memory = self._encode(model.encoder.embed(batch.src), 0, self.encoder_inputs)
        embedded = model.decoder.embed(self.tgt_in, 0)
        self.states = self._decode(embedded, 0, self.memory, self.decoder_inputs)

    def losses(self) -> Tensor:
        """The losses without any change: (batch,), nats per sentence."""
        return losses(self.model, self.batch, self.states)

    def losses_from(self, head: Head) -> Tensor:
        """The losses recomputed from the layer of this head, with the hooks that are set now: (batch,)."""
        memory = self.memory
        start = head.layer
        if head.kind == "encoder":
            memory = self._encode(self.encoder_inputs[head.layer], head.layer)
            start = 0
        states = self._decode(self.decoder_inputs[start], start, memory)
        return losses(self.model, self.batch, states)

    def _encode(self, x: Tensor, start: int, seen: list[Tensor] | None = None) -> Tensor:
        """Encode from layer `start` on: (batch, src_len, d_model) -> memory of the same shape."""
        encoder = self.model.encoder
        order = encoder.embed.position.order(x.shape[1], device=x.device)
        layers: Sequence[Any] = list(encoder.layers)[start:]
        for layer in layers:
            if seen is not None:
                seen.append(x)
            x = layer(x, self.src_mask, order)
        memory: Tensor = encoder.final_norm(x)
        return memory

    def _decode(
        self, x: Tensor, start: int, memory: Tensor, seen: list[Tensor] | None = None
    ) -> Tensor:
        """Decode from layer `start` on: (batch, tgt_len, d_model) -> states of the same shape."""
        decoder = self.model.decoder
        tgt_mask = masks.causal(x.shape[1], device=x.device)
        order = decoder.embed.position.order(x.shape[1], 0, device=x.device)
        layers: Sequence[Any] = list(decoder.layers)[start:]
        for layer in layers:
            if seen is not None:
                seen.append(x)
            x = layer(x, memory, tgt_mask, self.src_mask, order)
        states: Tensor = decoder.final_norm(x)
        return states
