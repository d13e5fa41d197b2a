"""The mean output of every head over a sample: what mean ablation puts in its place (Wang et al. 2022)."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Any

from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.analysis.heads.batches import Batch
from s2s.analysis.intervene import Head, all_heads
from s2s.analysis.trace import attentions
from s2s.model import Transformer, inference


def measure_means(
    model: Transformer, sample: Sequence[Batch]
) -> Generator[float, None, dict[Head, Tensor]]:
    """Each head's weighted sum of values, (d_head,), averaged over all tokens of the sample that query it.

    Padding does not count. Every token counts the same, whichever its position and sentence.
    """
    sums: dict[tuple[str, int], Tensor] = {}
    counts = dict.fromkeys(KINDS, 0)
    pad_id = model.config.ids.pad
    for done, batch in enumerate(sample, 1):
        tgt_in = batch.tgt[:, :-1]
        is_real = {"encoder": batch.src.ne(pad_id)}
        # The input after the last real token is padding; the row that reads `</s>` predicts nothing.
        is_real["decoder"] = is_real["cross"] = batch.tgt[:, 1:].ne(pad_id)
        with _joined_heads(model) as joined:
            model(batch.src, tgt_in)
        for (kind, layer), heads in joined.items():
            total = heads[is_real[kind]].double().sum(0)  # (heads * d_head,)
            before = sums.get((kind, layer))
            sums[kind, layer] = total if before is None else before + total
        for kind in KINDS:
            counts[kind] += int(is_real[kind].sum())
        yield done / len(sample)
    dtype = model.output.weight.dtype
    means = {}
    for kind, layer, head in all_heads(model):
        by_head = sums[kind, layer].view(attentions(model, kind)[layer].n_heads, -1)
        means[Head(kind, layer, head)] = (by_head[head] / counts[kind]).to(dtype)
    return means


@contextlib.contextmanager
def _joined_heads(model: Transformer) -> Iterator[dict[tuple[str, int], Tensor]]:
    """What enters each output projection, (batch, query_len, heads * d_head), by kind and layer."""
    found: dict[tuple[str, int], Tensor] = {}

    def record(key: tuple[str, int], module: nn.Module, args: tuple[Any, ...]) -> None:
        found[key] = args[0]

    with inference(model), contextlib.ExitStack() as hooks:
        for kind in KINDS:
            for layer, attention in enumerate(attentions(model, kind)):
                hook = partial(record, (kind, layer))
                hooks.callback(attention.output.register_forward_pre_hook(hook).remove)
        yield found
