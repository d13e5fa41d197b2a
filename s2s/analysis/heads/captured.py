"""Attention weights of many pairs, one padded batch at a time, so that never all are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.analysis.alignment import Ints
from s2s.analysis.attention import KINDS, Weights
from s2s.analysis.heads.batches import Pair
from s2s.analysis.trace import capture
from s2s.model import Transformer

Bools = npt.NDArray[np.bool_]
MOST_ROWS = 64  # pairs per batch: the model's lock is free in between
MOST_WEIGHTS = 8_000_000  # numbers per batch, 32 MB


@dataclass(frozen=True)
class AttentionBatch:
    """Every head's weights for some of the pairs, padded at the end.

    As in `Attention`, row i of cross-attention and of the decoder reads `inputs[:, i]` and predicts `outputs[:, i]`.
    """

    numbers: Ints  # (batch,) of its pairs, among all that were given
    src: Ints  # (batch, src_len) ids
    inputs: Ints  # (batch, tgt_len) ids, the start id first
    outputs: Ints  # (batch, tgt_len) ids, `</s>` last
    src_lengths: Ints  # (batch,)
    tgt_lengths: Ints  # (batch,)
    weights: Mapping[
        str, Weights
    ]  # by kind, (batch, layers, heads, rows, keys); rows of padding say nothing

    def allowed(self, kind: str) -> Bools:
        """The keys that each row may attend to, none for padding: (batch, rows, keys)."""
        src = np.arange(self.src.shape[1]) < self.src_lengths[:, None]  # (batch, src_len)
        tgt = np.arange(self.inputs.shape[1]) < self.tgt_lengths[:, None]  # (batch, tgt_len)
        rows = src if kind == "encoder" else tgt
        keys = tgt if kind == "decoder" else src
        allowed: Bools = rows[:, :, None] & keys[:, None, :]
        return np.tril(allowed) if kind == "decoder" else allowed

    def keys(self, kind: str) -> Ints:
        """The ids of the keys: (batch, keys)."""
        return self.inputs if kind == "decoder" else self.src


def attention_batches(model: Transformer, pairs: Sequence[Pair]) -> Iterator[AttentionBatch]:
    """The weights of every pair once, under teacher forcing, shorter pairs first."""
    ids = model.config.ids
    for numbers in packed(model, pairs):
        src = _padded([pairs[i].src for i in numbers], ids.pad)
        tgt = _padded([pairs[i].tgt for i in numbers], ids.pad)
        with capture(model) as trace:
            on_device = [torch.as_tensor(each, device=model.device) for each in (src, tgt[:, :-1])]
            model.decode(on_device[1], model.encode(on_device[0]), on_device[0])
            weights = {kind: _stacked(getattr(trace, kind)) for kind in KINDS}
        yield AttentionBatch(
            numbers=np.array(numbers, np.int64),
            src=src,
            inputs=tgt[:, :-1],
            outputs=tgt[:, 1:],
            src_lengths=np.array([len(pairs[i].src) for i in numbers], np.int64),
            tgt_lengths=np.array([len(pairs[i].tgt) - 1 for i in numbers], np.int64),
            weights=weights,
        )


def packed(model: Transformer, pairs: Sequence[Pair]) -> list[list[int]]:
    """The pairs in batches, by number: similar lengths, at most MOST_ROWS pairs and MOST_WEIGHTS weights.

    A pair that has more weights than that is a batch of its own.
    """
    n_heads = sum(
        stack.n_layers * stack.n_heads * n
        for stack, n in ((model.config.encoder, 1), (model.config.decoder, 2))
    )
    lengths = [max(len(pair.src), len(pair.tgt) - 1) for pair in pairs]
    batches: list[list[int]] = []
    for number in sorted(range(len(pairs)), key=lengths.__getitem__):
        n_weights = n_heads * lengths[number] ** 2
        if not batches or min(MOST_ROWS, MOST_WEIGHTS // n_weights) <= len(batches[-1]):
            batches.append([])
        batches[-1].append(number)
    return batches


def _padded(rows: Sequence[Sequence[int]], pad_id: int) -> Ints:
    """Ids of different lengths -> (rows, longest), padded at the end."""
    filled = np.full((len(rows), max(map(len, rows))), pad_id, np.int64)
    for row, ids in zip(filled, rows, strict=True):
        row[: len(ids)] = ids
    return filled


def _stacked(layers: Sequence[Tensor]) -> Weights:
    """Layers of (batch, heads, rows, keys) -> (batch, layers, heads, rows, keys), float32."""
    stacked: Weights = torch.stack(list(layers), 1).float().cpu().numpy()
    return stacked
