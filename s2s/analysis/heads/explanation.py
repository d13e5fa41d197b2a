"""Is attention an explanation here? How far the output moves when a head's weights are changed, not its values.

If other weights give the same output, these weights alone do not explain it (Jain and Wallace 2019). What this says
of a trained model is disputed (Wiegreffe and Pinter 2019). Cross-attention only. Knows nothing of text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from s2s.analysis.alignment import Floats, Ints
from s2s.analysis.intervene import Head
from s2s.analysis.trace import attentions, capture
from s2s.model import Transformer, inference

SHIFT_ROWS = 64  # changed rows of attention per forward pass
SEEDS = 20  # permutations; the paper takes 100


@dataclass(frozen=True)
class OutputShift:
    """How far the next token's distribution moves, per variant of the changed weights and target position.

    At each position the row of that position alone is changed, in all chosen heads; the target before it is given.
    """

    total_variation: Floats  # (variants, tgt_len), 0 to 1: half the sum of absolute differences
    jensen_shannon: Floats  # (variants, tgt_len), nats, 0 to ln 2
    weights_moved: Floats  # (variants, tgt_len), 0 to 1: total variation of the weights, mean of the chosen heads
    best: Ints  # (variants, tgt_len) the most probable token with the change
    own_best: Ints  # (tgt_len,) and without

    @property
    def is_changed(self) -> npt.NDArray[np.bool_]:
        """Where a change makes another token the most probable: (variants, tgt_len)."""
        changed: npt.NDArray[np.bool_] = self.best != self.own_best
        return changed


def cross_weights(model: Transformer, src: Sequence[int], tgt: Sequence[int]) -> Tensor:
    """Cross-attention, (layers, heads, tgt_len, src_len); `tgt` are the decoder's inputs, which begin with the start
    id.
    """
    with capture(model) as trace:
        model(_row(model, src), _row(model, tgt))
        return torch.stack([layer[0] for layer in trace.cross])


def permuted_weights(weights: Tensor, n_seeds: int = SEEDS) -> Tensor:
    """Each row's weights on other keys, at random, one variant per seed from 0: (seeds, layers, heads, tgt, src)."""
    variants = []
    for seed in range(n_seeds):
        generator = torch.Generator().manual_seed(seed)
        order = torch.rand(weights.shape, generator=generator).argsort(-1).to(weights.device)
        variants.append(weights.gather(-1, order))
    return torch.stack(variants)


def uniform_weights(weights: Tensor) -> Tensor:
    """Weights that are the same on every key: (1, layers, heads, tgt, src)."""
    return torch.full_like(weights, 1 / weights.shape[-1])[None]


def weights_of_other_heads(weights: Tensor) -> Tensor:
    """Weights where each head takes those of the head that comes k later in its layer, one variant per k from 1.

    (heads - 1, layers, heads, tgt, src): with one head per layer there is no variant.
    """
    variants = [weights.roll(-shift, 1) for shift in range(1, weights.shape[1])]
    return torch.stack(variants) if variants else weights.new_empty(0, *weights.shape)


def weights_of_other_sentences(weights: Tensor, others: Sequence[Tensor]) -> Tensor:
    """The same head's weights at the same target position of other sentences: (others, layers, heads, tgt, src).

    Raises ValueError for another number of source tokens, and for fewer target tokens.
    """
    tgt_len, src_len = weights.shape[-2:]
    if any(other.shape[-1] != src_len or other.shape[-2] < tgt_len for other in others):
        raise ValueError(
            "weights of other sentences need as many keys, and a row for each position"
        )
    rows = [other[:, :, :tgt_len] for other in others]
    return torch.stack(rows) if rows else weights.new_empty(0, *weights.shape)


class WeightChange(NamedTuple):
    """A way to change weights: what is shown of it, and the variants that it gives from this sentence's weights.

    `others`: the weights of other sentences.
    """

    label: str
    variants: Callable[[Tensor, Sequence[Tensor]], Tensor]
    about: str
    source: str


# A slug is stored in links, in `set`: if you rename one, keep reading the old one.
WEIGHT_CHANGES: Mapping[str, WeightChange] = MappingProxyType(
    {
        "permuted": WeightChange(
            "Permuted",
            lambda weights, others: permuted_weights(weights),
            f"The same weights on other source tokens, at random ({SEEDS} seeds).",
            "Jain and Wallace 2019, section 4.2.1",
        ),
        "uniform": WeightChange(
            "Uniform",
            lambda weights, others: uniform_weights(weights),
            "The same weight on every source token.",
            "Wiegreffe and Pinter 2019, section 3.2",
        ),
        "heads": WeightChange(
            "Other head",
            lambda weights, others: weights_of_other_heads(weights),
            "The weights of each other head of the same layer.",
            "Jain and Wallace 2019, section 4.2",
        ),
        "sentences": WeightChange(
            "Other sentence",
            weights_of_other_sentences,
            "The same head's weights at the same target position of other sentences with as many source tokens.",
            "Jain and Wallace 2019, section 4.2",
        ),
    }
)


def shift_output(
    model: Transformer,
    src: Sequence[int],
    tgt: Sequence[int],
    variants: Tensor,
    heads: Collection[Head] | None = None,
) -> Generator[float, None, OutputShift]:
    """Run the decoder with each variant (variants, layers, heads, tgt, src) of the chosen cross-attention heads.

    `heads`: all if None. Later layers respond to the change: heads that are not chosen compute their weights again.
    Yields the share done.
    """
    tgt_len = len(tgt)
    n_rows = len(variants) * tgt_len
    chosen = _chosen(model, heads)  # (layers, heads)
    own = _log_probs(model, src, tgt)  # (tgt_len, vocab)
    moved = _total_variation(
        variants, cross_weights(model, src, tgt)
    )  # (variants, layers, heads, tgt)
    of_heads = moved[:, chosen].mean(1)  # (variants, tgt)
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    for start in range(0, n_rows, SHIFT_ROWS):
        rows = torch.arange(start, min(start + SHIFT_ROWS, n_rows), device=model.device)
        positions = rows % tgt_len
        new = variants[rows // tgt_len, :, :, positions]  # (rows, layers, heads, src)
        changed = _log_probs_changed(
            model, src, tgt, positions=positions, new=new, chosen=chosen
        )  # (rows, vocab)
        p, q = own[positions].exp(), changed.exp()
        found.append((_total_variation(p, q), jensen_shannon(p, q), changed.argmax(-1)))
        yield (start + len(rows)) / n_rows
    shape = (len(variants), tgt_len)
    columns = [
        torch.cat(column).reshape(shape).cpu().numpy() for column in zip(*found, strict=True)
    ]
    variation, divergence, best = columns or [np.zeros(shape)] * 3
    return OutputShift(
        variation,
        divergence,
        of_heads.double().cpu().numpy(),
        best.astype(np.int64),
        own.argmax(-1).cpu().numpy(),
    )


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """The Jensen-Shannon divergence of distributions along the last axis, in nats: 0 where they are equal, ln 2 where
    they share nothing.
    """
    middle = (p + q) / 2
    terms: Tensor = torch.special.xlogy(p, p / middle) + torch.special.xlogy(q, q / middle)
    return terms.nan_to_num(0.0).sum(-1).clamp(min=0.0) / 2  # 0 / 0 where both are 0


def _total_variation(p: Tensor, q: Tensor) -> Tensor:
    return (p - q).abs().sum(-1) / 2


def _chosen(model: Transformer, heads: Collection[Head] | None) -> Tensor:
    """The chosen heads as a mask, (layers, heads) bool. Raises ValueError for a head that is not of cross-attention."""
    layers = attentions(model, "cross")
    shape = (len(layers), layers[0].n_heads)
    if heads is None:
        return torch.ones(shape, dtype=torch.bool, device=model.device)
    chosen = torch.zeros(shape, dtype=torch.bool, device=model.device)
    for head in heads:
        if head.kind != "cross":
            raise ValueError(f"{head.kind} attention has no weights on the source")
        chosen[head.layer, head.head] = True
    return chosen


def _log_probs(model: Transformer, src: Sequence[int], tgt: Sequence[int]) -> Tensor:
    """Log-probabilities, (tgt_len, vocab), nats, float64: differences of close distributions are measured."""
    with inference(model):
        logits = model(_row(model, src), _row(model, tgt))[0]
        log_probs: Tensor = logits.double().log_softmax(-1)
        return log_probs


def _log_probs_changed(
    model: Transformer,
    src: Sequence[int],
    tgt: Sequence[int],
    *,
    positions: Tensor,
    new: Tensor,
    chosen: Tensor,
) -> Tensor:
    """Log-probabilities under changed weights: row i has `new[i]`, (layers, heads, src), at its position of the target:
    (rows, vocab) of that position.
    """
    rows = torch.arange(len(positions), device=model.device)

    def replace(layer: int, module: nn.Module, args: tuple[Tensor, ...], weights: Tensor) -> Tensor:
        changed = weights.clone()  # (rows, heads, tgt, src)
        at_position = changed[rows, :, positions]  # (rows, heads, src)
        mixed = torch.where(chosen[layer][:, None], new[:, layer], at_position)
        changed[rows, :, positions] = mixed
        return changed

    with inference(model), contextlib.ExitStack() as hooks:
        for layer, attention in enumerate(attentions(model, "cross")):
            handle = attention.weights.register_forward_hook(partial(replace, layer))
            hooks.callback(handle.remove)
        ids = _row(model, src)
        memory = model.encode(ids).expand(len(rows), -1, -1)
        states = model.decode(
            _row(model, tgt).expand(len(rows), -1), memory, ids.expand(len(rows), -1)
        )
        logits = model.project(states[rows, positions])
        log_probs: Tensor = logits.double().log_softmax(-1)
        return log_probs


def _row(model: Transformer, ids: Sequence[int]) -> Tensor:
    return torch.tensor([list(ids)], device=model.device)
