"""Copying by the direct path: whether a head, where it attends to a token, raises that token's own logit.

A head adds its values, through its slice of the output projection, to the residual stream; the logits read the stream
(Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022, "copying"). What later
layers make of it is left aside, and so are norms other than the decoder's final one, of which centering and gains
count.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import reduce
from operator import add

import numpy as np
import torch
from torch import Tensor, nn

from s2s.analysis.alignment import Ints
from s2s.analysis.heads.batches import Pair
from s2s.analysis.heads.captured import AttentionBatch, Bools, attention_batches
from s2s.analysis.heads.induction import FEWEST, NO_NUMBER, MatchScore
from s2s.analysis.roles import Rows, Tally
from s2s.analysis.trace import attentions, capture_values
from s2s.model import Attention, Transformer

WRITING = ("cross", "decoder")  # the kinds of attention whose heads write to the logits' stream


def target_ids(src_numbers: Ints, tgt_numbers: Ints) -> Ints:
    """The target id of the same token for each source id, NO_NUMBER where there is none: given `shared_numbers`."""
    known = {int(number): id for id, number in enumerate(tgt_numbers) if number != NO_NUMBER}
    return np.array([known.get(int(number), NO_NUMBER) for number in src_numbers], np.int64)


def direct_copying(
    model: Transformer, pairs: Sequence[Pair], src_numbers: Ints, tgt_numbers: Ints
) -> Generator[float, None, Mapping[str, MatchScore]]:
    """Each head's share of weight on tokens whose logit it raises, by kind of attention.

    "Raises" means above the mean of all logits, so that a head without preference has about one half. A kind with fewer
    than FEWEST rows that attend to such tokens is left out. Yields the share of the pairs that is done.
    """
    as_target = {
        "cross": target_ids(src_numbers, tgt_numbers),
        "decoder": np.where(tgt_numbers == NO_NUMBER, NO_NUMBER, np.arange(len(tgt_numbers))),
    }
    tallies: dict[str, list[tuple[Tally, Tally]]] = {kind: [] for kind in WRITING}
    n_done = 0
    for batch in attention_batches(model, pairs):
        targets = {kind: as_target[kind][batch.keys(kind)] for kind in WRITING}
        raised = _raised(model, batch, targets)
        for kind in WRITING:
            tallies[kind].append(_tally(batch, kind, targets[kind], raised[kind]))
        n_done += len(batch.numbers)
        yield n_done / len(pairs)
    found = {}
    for kind, parts in tallies.items():
        raising, all_weight = (reduce(add, side) for side in zip(*parts, strict=True))
        if all_weight.n >= FEWEST:
            share = np.divide(
                raising.total,
                all_weight.total,
                out=np.zeros_like(raising.total),
                where=all_weight.total > 0,
            )
            found[kind] = MatchScore(share, 0.5, all_weight.n)
    return found


def _raised(
    model: Transformer, batch: AttentionBatch, targets: Mapping[str, Ints]
) -> Mapping[str, Bools]:
    """Whether a head raises the logit of each key's token, (batch, layers, heads, keys); anything if it has none."""
    src, inputs = (torch.as_tensor(ids, device=model.device) for ids in (batch.src, batch.inputs))
    with capture_values(model) as trace:
        model.decode(inputs, model.encode(src), src)
        raised = {}
        for kind in WRITING:
            directions = _directions(model, torch.as_tensor(targets[kind], device=model.device))
            layers = zip(attentions(model, kind), getattr(trace, kind), strict=True)
            effects = [_effect(attention, values, directions) for attention, values in layers]
            raised[kind] = (torch.stack(effects, 1) > 0).cpu().numpy()
    return raised


def _directions(model: Transformer, targets: Tensor) -> Tensor:
    """Directions that raise the logit of each token above the mean of all, (batch, keys) -> (batch, keys, d_model)."""
    unembedding = model.projection.weight.float()  # (vocab, d_model)
    directions = unembedding[targets.clamp(min=0)] - unembedding.mean(0)
    norm = model.decoder.final_norm
    gains = getattr(norm, "weight", None)
    if gains is not None:
        directions = directions * gains.float()
    if isinstance(norm, nn.LayerNorm):  # which subtracts the mean of the stream
        directions = directions - directions.mean(-1, keepdim=True)
    return directions


def _effect(attention: Attention, values: Tensor, directions: Tensor) -> Tensor:
    """How far one unit of weight on each key moves the stream in its direction: (batch, heads, keys)."""
    shape = (attention.n_heads, attention.d_head, -1)
    if isinstance(attention.output, nn.Linear):
        slices = attention.output.weight.float().T.reshape(shape)  # (heads, d_head, d_model)
    else:
        slices = torch.eye(attention.n_heads * attention.d_head, device=values.device).view(shape)
    wanted = torch.einsum("hdm,bkm->bhkd", slices, directions)  # (batch, heads, keys, d_head)
    effect: Tensor = (values.float() * wanted).sum(-1)
    return effect


def _tally(batch: AttentionBatch, kind: str, targets: Ints, raised: Bools) -> tuple[Tally, Tally]:
    rows = Rows(batch.weights[kind], batch.allowed(kind))
    can_write = rows.allowed & (targets >= 0)[:, None]  # (batch, rows, keys)
    counted = can_write.sum(-1) > 0
    written = np.where(can_write[:, None, None], rows.weights, 0.0)
    raising = np.where(raised[:, :, :, None], written, 0.0).sum(-1, dtype=float)
    return rows.total(raising, counted), rows.total(written.sum(-1, dtype=float), counted)
