"""Every cross-attention head's word-level maps over many sentences, by reduction. Knows nothing of runs or links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from s2s.analysis.alignment import Floats, Ints, merge_to_words
from s2s.analysis.attention import Weights
from s2s.analysis.heads.batches import Batch, Pair, batched
from s2s.analysis.reduce import rolled
from s2s.analysis.trace import capture, capture_value_norms
from s2s.config import UserError
from s2s.model import Transformer

MOST_TOKENS = 512  # of one side of a batch: the weights of all heads are kept until it is done


class WordPair(Pair, Protocol):
    """A pair with the word that each token belongs to (see `word_indices`); the start id has no entry."""

    @property
    def src_words(self) -> Ints: ...

    @property
    def tgt_words(self) -> Ints: ...


class HeadArrays(NamedTuple):
    """The arrays of one sentence that the reductions need."""

    cross: Weights  # (layers, heads, tgt_len, src_len)
    encoder: Weights  # (layers, src_len, src_len), mean over heads
    norms: Floats  # (layers, heads, src_len) of `value_norms`, cross-attention


class WordMaps(NamedTuple):
    """One sentence's maps of all heads, by slug of `HEAD_REDUCTIONS`: (layers, heads, tgt_words, src_words) each."""

    row: int  # of the sample
    maps: Mapping[str, Weights]


def word_maps(model: Transformer, pairs: Sequence[WordPair]) -> Iterator[WordMaps]:
    """The maps of every sentence, shortest sentences first.

    Raises UserError where there is none, and for weights that are not finite."""
    for batch in batched(model, pairs, MOST_TOKENS):
        rows = batch.rows.tolist()
        for index, arrays in zip(rows, _head_arrays(model, batch, pairs), strict=True):
            yield WordMaps(index, _reduced(pairs[index], arrays))


def _head_arrays(
    model: Transformer, batch: Batch, pairs: Sequence[WordPair]
) -> Iterator[HeadArrays]:
    with capture(model) as trace, capture_value_norms(model) as norms:
        model(batch.src, batch.tgt[:, :-1])
        cross = _stacked(trace.cross)  # (batch, layers, heads, tgt_len, src_len)
        # (batch, layers, src_len, src_len)
        encoder = _stacked([layer.mean(1) for layer in trace.encoder])
        lengths = _stacked(norms.cross)  # (batch, layers, heads, src_len)
    if not np.isfinite(cross).all():
        raise UserError(
            "The attention weights of this checkpoint are not finite numbers, as after a training that diverged; choose"
            " an earlier checkpoint."
        )
    for row, index in enumerate(batch.rows.tolist()):
        n_src = len(pairs[index].src)
        n_tgt = len(pairs[index].tgt) - 1
        yield HeadArrays(
            cross[row, :, :, :n_tgt, :n_src],
            encoder[row, :, :n_src, :n_src],
            lengths[row, :, :, :n_src].astype(np.float64),
        )


def _stacked(layers: Sequence[Tensor]) -> Weights:
    """One array of all layers: (batch, ...) per layer -> (batch, layers, ...)."""
    stacked: Weights = torch.stack([*layers], 1).float().cpu().numpy()
    return stacked


def _reduced(pair: WordPair, arrays: HeadArrays) -> dict[str, Weights]:
    maps = dict[str, Weights]()
    for slug, reduce in HEAD_REDUCTIONS.items():
        weights = reduce(arrays)
        rows = pair.tgt_words[: weights.shape[-2]]
        maps[slug] = merge_to_words(weights, rows, pair.src_words)
    return maps


def _norm_weighted(arrays: HeadArrays) -> Weights:
    lengths = arrays.cross * arrays.norms[:, :, None]  # (layers, heads, tgt_len, src_len)
    sums = lengths.sum(-1, keepdims=True)
    shares = np.divide(lengths, sums, out=np.zeros_like(lengths), where=sums > 0)
    weights: Weights = shares.astype(np.float32)
    return weights


# The rows of `reduce.REDUCTIONS` that say something of a single cross-attention head, for all heads at once.
HEAD_REDUCTIONS: Mapping[str, Callable[[HeadArrays], Weights]] = MappingProxyType(
    {
        "mean": lambda arrays: arrays.cross,
        "norm": _norm_weighted,
        "shift": lambda arrays: arrays.cross[:, :, 1:],
        "rollout": lambda arrays: (arrays.cross @ rolled(arrays.encoder)).astype(np.float32),
    }
)
